from ctxlab.messages.blocks import kinds_and_ids


def orphans(messages):
    """Return (message, block, id) of each result for which no message before it makes the call, in order."""
    called = set()
    found = []
    for index, message in enumerate(messages):
        for number, (kind, call_id) in enumerate(kinds_and_ids(message)):
            # 1. Remember each call that has been passed.
            # Is this block a call?
            if kind == "call":
                called.add(call_id)
            # 2. A result needs one of them.
            # Is it a result of none of these calls?
            elif kind == "result" and call_id not in called:
                found.append((index, number, call_id))
    return found

"""Your version numbers the results of a message, and the task asks for the number of the block. In the
scenario lost_calls a text stands before the results, so each number in that message is one too low, and
points at the wrong block."""

from ctxlab.messages.blocks import kinds_and_ids


def orphans(messages):
    called = set()
    found = []
    for index, message in enumerate(messages):
        blocks = kinds_and_ids(message)
        called.update(call_id for kind, call_id in blocks if kind == "call")
        results = [call_id for kind, call_id in blocks if kind == "result"]
        found += [(index, number, one) for number, one in enumerate(results) if one not in called]
    return found

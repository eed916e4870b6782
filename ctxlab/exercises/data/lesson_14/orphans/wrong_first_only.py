"""Your version returns at the first orphan that it meets. In the scenario lost_calls there are three. Whoever
mends only the first is told of the next one by the next rejected request."""

from ctxlab.messages.blocks import kinds_and_ids


def orphans(messages):
    called = set()
    for index, message in enumerate(messages):
        for number, (kind, call_id) in enumerate(kinds_and_ids(message)):
            if kind == "call":
                called.add(call_id)
            elif kind == "result" and call_id not in called:
                return [(index, number, call_id)]
    return []

"""Your version returns the ids alone. In the scenario mismatch that is enough to know that something is
wrong, and not where. An id may be used twice, and a person who has to look needs the message and the
block."""

from ctxlab.messages.blocks import kinds_and_ids


def orphans(messages):
    called = set()
    found = []
    for message in messages:
        for kind, call_id in kinds_and_ids(message):
            if kind == "call":
                called.add(call_id)
            elif kind == "result" and call_id not in called:
                found.append(call_id)
    return found

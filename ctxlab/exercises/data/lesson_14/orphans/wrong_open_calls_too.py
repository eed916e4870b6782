"""Your version also reports calls that no result answers. In the scenario pending nothing is an orphan: a
call without its result is the other half of the story, and its remedy is the opposite one. An orphan is
dropped, an open call must be kept."""

from ctxlab.messages.blocks import kinds_and_ids


def orphans(messages):
    called = set()
    found = []
    answered = {one for message in messages for kind, one in kinds_and_ids(message) if kind == "result"}
    for index, message in enumerate(messages):
        for number, (kind, call_id) in enumerate(kinds_and_ids(message)):
            if kind == "call":
                called.add(call_id)
            if (kind == "result" and call_id not in called) or (kind == "call" and call_id not in answered):
                found.append((index, number, call_id))
    return found

"""Your version forgets a call once it has a result. In the scenario answered_twice the second result of
call_1 comes out as an orphan. Its call is there; one result too many is another fault, and it needs another
remedy: which of the two is the real one?"""

from ctxlab.messages.blocks import kinds_and_ids


def orphans(messages):
    called = set()
    found = []
    for index, message in enumerate(messages):
        for number, (kind, call_id) in enumerate(kinds_and_ids(message)):
            if kind == "call":
                called.add(call_id)
            elif kind == "result" and call_id in called:
                called.remove(call_id)
            elif kind == "result":
                found.append((index, number, call_id))
    return found

"""Your version finds the right places and writes each as a list. In the scenario mismatch it returns [4, 0,
"wrong"] where the task asks for the tuple (4, 0, "wrong"). The two are not equal, so a program that compares
them finds a difference."""

from ctxlab.messages.blocks import kinds_and_ids


def orphans(messages):
    called = set()
    found = []
    for index, message in enumerate(messages):
        for number, (kind, call_id) in enumerate(kinds_and_ids(message)):
            if kind == "call":
                called.add(call_id)
            elif kind == "result" and call_id not in called:
                found.append([index, number, call_id])
    return found

"""Your version stops after the first text that it finds. In the scenario trim two old texts are long, in
messages 2 and 4, and only the first is named. What is left may then still be over the budget, and a summary
is paid for that was not needed."""

from ctxlab.reference import split_history


def trimmable(messages, keep_recent, max_chars):
    older = split_history(messages, keep_recent)["older"]
    for index in range(2, 1 + 2 * len(older), 2):
        for number, block in enumerate(messages[index]["content"]):
            if len(block["content"]) > max_chars:
                return [[index, number]]
    return []

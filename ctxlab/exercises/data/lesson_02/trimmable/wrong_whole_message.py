"""Your version adds up all texts of a message and then names every block of it. In the scenario multi the
second result is one short sentence, and it is to go because the first one is long. Short answers cost little
and are often the ones worth keeping."""

from ctxlab.reference import split_history


def trimmable(messages, keep_recent, max_chars):
    older = split_history(messages, keep_recent)["older"]
    places = []
    for index in range(2, 1 + 2 * len(older), 2):
        blocks = messages[index]["content"]
        if sum(len(block["content"]) for block in blocks) > max_chars:
            places += [[index, number] for number in range(len(blocks))]
    return places

"""Your version measures a text in bytes, and its limit is one of characters. In the scenario chinese the old
texts have 180 characters each, well under 300, but three times as many bytes. Your version would take them
all away. Bytes are for the budget of the whole history."""

from ctxlab.reference import split_history


def trimmable(messages, keep_recent, max_chars):
    older = split_history(messages, keep_recent)["older"]
    places = []
    for index in range(2, 1 + 2 * len(older), 2):
        for number, block in enumerate(messages[index]["content"]):
            if len(block["content"].encode("utf-8")) > max_chars:
                places.append([index, number])
    return places

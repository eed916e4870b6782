"""Your version stops one exchange too early. In the scenario normal there is one older exchange, its results
are message 2, and your version names none. A range ends before its end: for it to reach message 2 *
len(older), it has to end after that."""

from ctxlab.reference import split_history


def trimmable(messages, keep_recent, max_chars):
    older = split_history(messages, keep_recent)["older"]
    places = []
    for index in range(2, 2 * len(older), 2):
        for number, block in enumerate(messages[index]["content"]):
            if len(block["content"]) > max_chars:
                places.append([index, number])
    return places

"""Your version finds the right texts and names the wrong places: it counts exchanges where messages are asked
for. In the scenario normal the long text stands in message 2, and your version says 0. Message 0 is the
question, and whoever goes by your list would cut there."""

from ctxlab.reference import split_history


def trimmable(messages, keep_recent, max_chars):
    older = split_history(messages, keep_recent)["older"]
    places = []
    for index, exchange in enumerate(older):
        for number, block in enumerate(exchange[1]["content"]):
            if len(block["content"]) > max_chars:
                places.append([index, number])
    return places

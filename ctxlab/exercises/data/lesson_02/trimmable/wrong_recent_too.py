"""Your version looks at the whole history, the recent exchanges included. In the scenario recent it names
message 4 as well: the result that the model has just asked for and has not read yet. Without its text the
model can only ask for it again."""

from ctxlab.reference import split_history


def trimmable(messages, keep_recent, max_chars):
    split_history(messages, keep_recent)
    places = []
    for index in range(2, len(messages), 2):
        for number, block in enumerate(messages[index]["content"]):
            if len(block["content"]) > max_chars:
                places.append([index, number])
    return places

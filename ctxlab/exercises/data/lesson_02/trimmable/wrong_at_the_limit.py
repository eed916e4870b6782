"""Your version also names texts that are exactly at the limit. In the scenario exact the old text has 1200
characters and 1200 are allowed, so it may stay. Everywhere in this course a limit is the most that is
allowed."""

from ctxlab.reference import split_history


def trimmable(messages, keep_recent, max_chars):
    older = split_history(messages, keep_recent)["older"]
    places = []
    for index in range(2, 1 + 2 * len(older), 2):
        for number, block in enumerate(messages[index]["content"]):
            if len(block["content"]) >= max_chars:
                places.append([index, number])
    return places

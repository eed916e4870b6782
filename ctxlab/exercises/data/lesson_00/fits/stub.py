import json


def fits(messages, budget):
    """Return True if the history has at most `budget` bytes as compact JSON in UTF-8, else False."""
    # Given: json.dumps makes a text of the messages. Its options decide how the text looks.
    raise NotImplementedError("not written yet")

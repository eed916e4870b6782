from ctxlab.reference.counting import as_json


def texts_of(block):
    """Return the texts in which a block says something, or None where it cannot be counted."""
    if block["type"] == "text":
        return [block["text"]]
    return None


def message_tokens(messages, count):
    """Return the tokens of each message, None for one with a block that cannot be counted."""
    # Given: count(text) is the number of tokens of one text, as_json(value) the compact JSON of a value.
    raise NotImplementedError("not written yet")

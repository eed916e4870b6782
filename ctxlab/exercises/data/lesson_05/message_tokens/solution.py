from ctxlab.reference.counting import as_json


def texts_of(block):
    """Return the texts in which a block says something, or None where it cannot be counted."""
    if block["type"] == "text":
        return [block["text"]]
    # Is it a call?
    if block["type"] == "tool_use":
        return [block["name"], as_json(block["input"])]
    # Is it a result in one text?
    if block["type"] == "tool_result" and isinstance(block["content"], str):
        return [block["content"]]
    # An image, hidden reasoning: nothing here says how many tokens that is.
    return None


def message_tokens(messages, count):
    """Return the tokens of each message, None for one with a block that cannot be counted."""
    tokens = []
    for message in messages:
        # 1. Collect what the message says: one text, or what each of its blocks says.
        content = message["content"]
        texts = [[content]] if isinstance(content, str) else [texts_of(block) for block in content]
        # 2. Count it, or say that it cannot be counted.
        tokens.append(None if None in texts else sum(count(text) for said in texts for text in said))
    return tokens

"""Your version counts the input of a call and leaves out the name of the tool. The name is sent with every
call, so the model reads it each time. In the scenario multi two names are missing in one message."""

from ctxlab.reference.counting import as_json


def texts_of(block):
    if block["type"] == "text":
        return [block["text"]]
    if block["type"] == "tool_use":
        return [as_json(block["input"])]
    if block["type"] == "tool_result" and isinstance(block["content"], str):
        return [block["content"]]
    return None


def message_tokens(messages, count):
    tokens = []
    for message in messages:
        content = message["content"]
        texts = [[content]] if isinstance(content, str) else [texts_of(block) for block in content]
        tokens.append(None if None in texts else sum(count(text) for said in texts for text in said))
    return tokens

"""Your version counts what it cannot read as 0. In the scenario image the screenshot and the hidden
reasoning then look as if they were free. They are sent and they cost tokens; only nobody here can say how
many. A 0 goes into every sum, None does not."""

from ctxlab.reference.counting import as_json


def texts_of(block):
    if block["type"] == "text":
        return [block["text"]]
    if block["type"] == "tool_use":
        return [block["name"], as_json(block["input"])]
    if block["type"] == "tool_result" and isinstance(block["content"], str):
        return [block["content"]]
    return []


def message_tokens(messages, count):
    tokens = []
    for message in messages:
        content = message["content"]
        texts = [[content]] if isinstance(content, str) else [texts_of(block) for block in content]
        tokens.append(None if None in texts else sum(count(text) for said in texts for text in said))
    return tokens

"""Your version skips the block that it cannot count and counts the rest of its message. In the scenario
image the call beside the hidden reasoning gets a figure, which looks like that of the whole message. A
part of a count is no count: the message has to be None."""

from ctxlab.reference.counting import as_json


def texts_of(block):
    if block["type"] == "text":
        return [block["text"]]
    if block["type"] == "tool_use":
        return [block["name"], as_json(block["input"])]
    if block["type"] == "tool_result" and isinstance(block["content"], str):
        return [block["content"]]
    return None


def message_tokens(messages, count):
    tokens = []
    for message in messages:
        content = message["content"]
        texts = [[content]] if isinstance(content, str) else [texts_of(block) for block in content]
        known = [said for said in texts if said is not None]
        tokens.append(sum(count(text) for said in known for text in said) if known else None)
    return tokens

"""Your version counts what is said and what came back, and calls cost nothing in it. In the scenario
source_code a call with its path then has no tokens. That seems little, until a call writes a file: then
the whole file stands in its input, and your count does not see it."""

from ctxlab.reference.counting import as_json


def texts_of(block):
    if block["type"] == "text":
        return [block["text"]]
    if block["type"] == "tool_use":
        return []
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

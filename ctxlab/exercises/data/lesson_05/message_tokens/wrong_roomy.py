"""Your version counts spaces that are not sent, after each colon and comma of an input. In the scenario
multi that makes the count of a call differ a little, and with every call and every argument more."""

import json


def texts_of(block):
    if block["type"] == "text":
        return [block["text"]]
    if block["type"] == "tool_use":
        return [block["name"], json.dumps(block["input"], ensure_ascii=False)]
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

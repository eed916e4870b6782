"""Your version writes each Chinese character of an input as an escape of six characters, and counts those.
In the scenario chinese_notes the path becomes several times as long as what is sent. English paths look
the same in both forms, so a test in English never shows it."""

import json


def texts_of(block):
    if block["type"] == "text":
        return [block["text"]]
    if block["type"] == "tool_use":
        return [block["name"], json.dumps(block["input"], separators=(",", ":"))]
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

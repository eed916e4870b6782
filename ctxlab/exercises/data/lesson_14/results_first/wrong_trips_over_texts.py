"""Your version takes every content for a list of blocks. In the scenario text_first the question is a plain
text: its parts are characters, and a character has no type. Ask what the content is before you go through
it."""

from copy import deepcopy


def results_first(messages):
    mended = deepcopy(messages)
    for message in mended:
        results = [block for block in message["content"] if block["type"] == "tool_result"]
        others = [block for block in message["content"] if block["type"] != "tool_result"]
        message["content"] = results + others
    return mended

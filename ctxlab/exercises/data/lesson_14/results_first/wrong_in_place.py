"""Your version mends the history that it was given. In the scenario text_first the caller's own messages are
in another order afterwards, and nobody decided that yet. A repair is a candidate: work on a deep copy."""

from copy import deepcopy


def results_first(messages):
    for message in messages:
        if isinstance(message["content"], list):
            results = [block for block in message["content"] if block["type"] == "tool_result"]
            others = [block for block in message["content"] if block["type"] != "tool_result"]
            message["content"] = results + others
    return deepcopy(messages)

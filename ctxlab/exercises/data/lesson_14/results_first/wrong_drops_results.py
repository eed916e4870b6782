"""Your version drops the results that stand behind a text. In the scenario text_first the call is there, and
its outcome is gone: a matter of order has become an unanswered call."""

from copy import deepcopy


def results_first(messages):
    mended = deepcopy(messages)
    for message in mended:
        if isinstance(message["content"], list) and message["content"]:
            first, *rest = message["content"]
            if first["type"] != "tool_result":
                rest = [block for block in rest if block["type"] != "tool_result"]
            message["content"] = [first, *rest]
    return mended

"""Your version keeps only the results of a message that holds any. In the scenario text_first the words "Be
brief." are gone. The provider is content, and nobody notices that something the user said was lost."""

from copy import deepcopy


def results_first(messages):
    mended = deepcopy(messages)
    for message in mended:
        if isinstance(message["content"], list):
            results = [block for block in message["content"] if block["type"] == "tool_result"]
            message["content"] = results or message["content"]
    return mended

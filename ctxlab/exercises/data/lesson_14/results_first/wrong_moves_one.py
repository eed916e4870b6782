"""Your version moves one result of each message. In the scenario reminders a message holds two, and the
second one still stands behind a text. The provider looks at each of them."""

from copy import deepcopy


def results_first(messages):
    mended = deepcopy(messages)
    for message in mended:
        if isinstance(message["content"], list):
            results = [block for block in message["content"] if block["type"] == "tool_result"]
            others = [block for block in message["content"] if block not in results[:1]]
            message["content"] = results[:1] + others
    return mended

"""Your version puts what stood beside the results into a message of its own. In the scenario text_first the
history has one message more than before, and every place behind it has another number: receipts and markers
that name a place are wrong now. Keep it in the same message, behind the results."""

from copy import deepcopy


def results_first(messages):
    mended = []
    for message in deepcopy(messages):
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [block for block in blocks if block["type"] == "tool_result"]
        others = [block for block in blocks if block["type"] != "tool_result"]
        if results and others:
            mended += [{**message, "content": results}, {**message, "content": others}]
        else:
            mended.append(message)
    return mended

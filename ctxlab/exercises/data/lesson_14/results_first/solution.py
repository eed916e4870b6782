from copy import deepcopy


def results_first(messages):
    """Return a copy of `messages` in which the results of each message stand in front of its other blocks."""
    mended = deepcopy(messages)
    for message in mended:
        # 1. Only a list of blocks can hold a result.
        # Is the content a list of blocks?
        if isinstance(message["content"], list):
            # 2. Two lists keep the order inside each of them.
            results = [block for block in message["content"] if block["type"] == "tool_result"]
            others = [block for block in message["content"] if block["type"] != "tool_result"]
            # 3. Results first, and nothing is lost.
            message["content"] = results + others
    return mended

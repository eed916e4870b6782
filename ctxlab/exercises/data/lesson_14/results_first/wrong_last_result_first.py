"""Your version puts each result to the very front, so the one that it meets last stands first. In the
scenario reminders the two results of a message have changed places. That is allowed, but it is a change that
nobody needed, and it breaks the cached prefix for nothing."""

from copy import deepcopy


def results_first(messages):
    mended = deepcopy(messages)
    for message in mended:
        if isinstance(message["content"], list):
            for block in list(message["content"]):
                if block["type"] == "tool_result":
                    message["content"].remove(block)
                    message["content"].insert(0, block)
    return mended

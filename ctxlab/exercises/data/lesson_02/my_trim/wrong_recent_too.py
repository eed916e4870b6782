"""Your version trims the recent exchanges as well. In the scenario recent the text of message 4 is gone: the
result that the model has just asked for. It has read nothing of it yet, and can only ask again."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import split_history
from ctxlab.reference.history import result_marker


def my_trim(messages, receipt, keep_recent=1, max_chars=600):
    if not receipt:
        raise Refusal("bad_receipt", "archive the history first")
    split_history(messages, keep_recent)
    candidate = deepcopy(messages)
    for index in range(2, len(candidate), 2):
        for number, block in enumerate(candidate[index]["content"]):
            marker = result_marker(receipt, index, number, block["tool_use_id"])
            if len(block["content"]) > max_chars and len(marker) <= len(block["content"]):
                block["content"] = marker
    return candidate

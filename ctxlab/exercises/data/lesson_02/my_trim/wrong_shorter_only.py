"""Your version wants the marker to be shorter than the text. In the scenario marker_length both have 116
characters, and the text is over its limit of 50. Only a marker that is longer than its text is to be left
out, for it makes the history grow. One of the same length does not."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import split_history
from ctxlab.reference.history import result_marker


def my_trim(messages, receipt, keep_recent=1, max_chars=600):
    if not receipt:
        raise Refusal("bad_receipt", "archive the history first")
    older = split_history(messages, keep_recent)["older"]
    candidate = deepcopy(messages)
    for index in range(2, 1 + 2 * len(older), 2):
        for number, block in enumerate(candidate[index]["content"]):
            marker = result_marker(receipt, index, number, block["tool_use_id"])
            if len(block["content"]) > max_chars and len(marker) < len(block["content"]):
                block["content"] = marker
    return candidate

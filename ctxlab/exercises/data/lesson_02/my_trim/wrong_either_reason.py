"""Your version trims where one of the two conditions holds, and both are needed. In the scenario exact the
old text is within its limit, and it goes because a marker is shorter. With or in place of and, being longer
than a marker is enough to lose a text."""

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
            if len(block["content"]) > max_chars or len(marker) <= len(block["content"]):
                block["content"] = marker
    return candidate

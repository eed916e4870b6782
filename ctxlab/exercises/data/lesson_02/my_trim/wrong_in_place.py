"""Your version writes the markers into the history that it was given. In the scenario normal the result is
right, and the caller's own text is gone as well. If a later step says no, the caller goes on with a history
that was cut for nothing."""

from ctxlab import Refusal
from ctxlab.reference import split_history
from ctxlab.reference.history import result_marker


def my_trim(messages, receipt, keep_recent=1, max_chars=600):
    if not receipt:
        raise Refusal("bad_receipt", "archive the history first")
    older = split_history(messages, keep_recent)["older"]
    candidate = list(messages)
    for index in range(2, 1 + 2 * len(older), 2):
        for number, block in enumerate(candidate[index]["content"]):
            marker = result_marker(receipt, index, number, block["tool_use_id"])
            if len(block["content"]) > max_chars and len(marker) <= len(block["content"]):
                block["content"] = marker
    return candidate

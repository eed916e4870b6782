"""Your version asks for the receipt after it has split the history. In the scenario pending_no_receipt it
then says pending, and the missing receipt is not spoken of. The task puts the receipt first: without a
snapshot nothing may be cut, whatever the history looks like."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import split_history
from ctxlab.reference.history import result_marker


def my_trim(messages, receipt, keep_recent=1, max_chars=600):
    older = split_history(messages, keep_recent)["older"]
    if not receipt:
        raise Refusal("bad_receipt", "archive the history first")
    candidate = deepcopy(messages)
    for index in range(2, 1 + 2 * len(older), 2):
        for number, block in enumerate(candidate[index]["content"]):
            marker = result_marker(receipt, index, number, block["tool_use_id"])
            if len(block["content"]) > max_chars and len(marker) <= len(block["content"]):
                block["content"] = marker
    return candidate

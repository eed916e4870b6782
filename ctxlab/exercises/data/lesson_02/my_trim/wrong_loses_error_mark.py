"""Your version writes a new block with the fields that it thinks of, and the error mark is not one of them.
In the scenario error a failure then looks like a success. Other fields of a result, which an API may add one
day, would go the same way."""

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
            if len(block["content"]) > max_chars and len(marker) <= len(block["content"]):
                candidate[index]["content"][number] = {
                    "type": "tool_result",
                    "tool_use_id": block["tool_use_id"],
                    "content": marker,
                }
    return candidate

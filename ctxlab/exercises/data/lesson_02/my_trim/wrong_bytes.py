"""Your version measures a text in bytes, and its limit is one of characters. In the scenario chinese the old
texts have 180 characters each, well under 300, but three times as many bytes, and your version takes them all
away. For one and the same limit, a Chinese text would be cut at a third of its length."""

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
            size = len(block["content"].encode("utf-8"))
            if size > max_chars and len(marker) <= size:
                block["content"] = marker
    return candidate

"""Your version puts a marker in place of each text over the limit, whatever the marker costs. In the scenario
short_texts a sentence of 14 characters becomes a line of more than 100: the history is larger than before,
and it says less."""

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
            if len(block["content"]) > max_chars:
                block["content"] = marker
    return candidate

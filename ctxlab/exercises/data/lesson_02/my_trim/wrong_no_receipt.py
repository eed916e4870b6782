"""Your version cuts without a receipt: it never asks for one, or it makes a Refusal and does not raise it. In
the scenario no_receipt it cuts a text of which no snapshot exists, and leaves a marker that points to
nothing. Afterwards nobody can get the text back."""

from copy import deepcopy

from ctxlab.reference import split_history
from ctxlab.reference.history import result_marker


def my_trim(messages, receipt, keep_recent=1, max_chars=600):
    older = split_history(messages, keep_recent)["older"]
    candidate = deepcopy(messages)
    for index in range(2, 1 + 2 * len(older), 2):
        for number, block in enumerate(candidate[index]["content"]):
            marker = result_marker(receipt, index, number, block["tool_use_id"])
            if len(block["content"]) > max_chars and len(marker) <= len(block["content"]):
                block["content"] = marker
    return candidate

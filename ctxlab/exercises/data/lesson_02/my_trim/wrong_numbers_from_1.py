"""Your version counts the blocks from 1. In the scenario normal the marker names block 1, and the text stood
in block 0: whoever looks it up in the snapshot finds another text or none. Everywhere here messages and
blocks are counted from 0, which is what enumerate does when it is left alone."""

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
        for number, block in enumerate(candidate[index]["content"], 1):
            marker = result_marker(receipt, index, number, block["tool_use_id"])
            if len(block["content"]) > max_chars and len(marker) <= len(block["content"]):
                block["content"] = marker
    return candidate

"""Your version writes a marker of its own. In the scenario normal the text is gone, and [trimmed] does not
say where it is. The line that result_marker returns names the place and the snapshot, so that a reader can
fetch the text, and it begins by saying that it is no result."""

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
                block["content"] = "[trimmed]"
    return candidate

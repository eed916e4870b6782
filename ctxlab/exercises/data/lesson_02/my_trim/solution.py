from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import split_history
from ctxlab.reference.history import result_marker


def my_trim(messages, receipt, keep_recent=1, max_chars=600):
    """Return a copy in which long old result texts have become markers. Refuses `bad_receipt`."""
    # 1. Nothing is cut without a receipt.
    # Is the receipt missing?
    if not receipt:
        # Without a snapshot the texts would be lost for good.
        raise Refusal("bad_receipt", "archive the history first")
    # 2. Split, so that a bad history stops here, and work on a copy.
    older = split_history(messages, keep_recent)["older"]
    candidate = deepcopy(messages)
    # 3. Look at the results of the older exchanges only. They stand at 2, 4, 6, ...
    for index in range(2, 1 + 2 * len(older), 2):
        for number, block in enumerate(candidate[index]["content"]):
            marker = result_marker(receipt, index, number, block["tool_use_id"])
            # Is this old text over the limit, and the marker no longer than the text?
            if len(block["content"]) > max_chars and len(marker) <= len(block["content"]):
                # 4. Only the text goes; the result, its id and its error mark stay.
                block["content"] = marker
    return candidate

"""Your version returns what trimming leaves, however large that is. In the scenario summary no text is long
enough to be trimmed, so the result is as large as the input and over its budget. The caller believes that it
fits, and sends it."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import history_bytes, split_history, trim_results


def my_prepare(messages, state, archive, budget, keep_recent):
    split_history(messages, keep_recent)
    if history_bytes(messages) <= budget:
        return deepcopy(messages)
    receipt = archive(deepcopy(messages))
    if not receipt:
        raise Refusal("bad_receipt", "the archive gave no receipt")
    state["archives"].append(receipt)
    return trim_results(messages, receipt, keep_recent)

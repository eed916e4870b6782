"""Your version goes on when the archive fails. In the scenario disk_full no snapshot could be written, and
the old text is taken away all the same. The marker names a snapshot that does not exist. Without an archive
nothing may go."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import history_bytes, split_history, trim_results


def my_prepare(messages, state, archive, budget, keep_recent):
    split_history(messages, keep_recent)
    if history_bytes(messages) <= budget:
        return deepcopy(messages)
    try:
        receipt = archive(deepcopy(messages))
    except OSError:
        receipt = "none"
    if not receipt:
        raise Refusal("bad_receipt", "the archive gave no receipt")
    state["archives"].append(receipt)
    candidate = trim_results(messages, receipt, keep_recent)
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming is not enough")
    return candidate

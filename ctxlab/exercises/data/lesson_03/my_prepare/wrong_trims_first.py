"""Your version archives what trimming has left. In the scenario normal the snapshot then holds a marker where
the long text stood, and the text is nowhere. The marker names a snapshot, and in that snapshot stands the
same marker."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import history_bytes, split_history, trim_results


def my_prepare(messages, state, archive, budget, keep_recent):
    split_history(messages, keep_recent)
    if history_bytes(messages) <= budget:
        return deepcopy(messages)
    candidate = trim_results(messages, "snapshot", keep_recent)
    receipt = archive(deepcopy(candidate))
    if not receipt:
        raise Refusal("bad_receipt", "the archive gave no receipt")
    state["archives"].append(receipt)
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming is not enough")
    return candidate

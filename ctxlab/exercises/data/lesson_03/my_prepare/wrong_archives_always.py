"""Your version archives before it asks whether there is anything to do. In the scenario fit nothing has to be
removed, and still a snapshot is written. An agent prepares before each request, so this writes a file each
time."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import history_bytes, split_history, trim_results


def my_prepare(messages, state, archive, budget, keep_recent):
    split_history(messages, keep_recent)
    receipt = archive(deepcopy(messages))
    if not receipt:
        raise Refusal("bad_receipt", "the archive gave no receipt")
    state["archives"].append(receipt)
    if history_bytes(messages) <= budget:
        return deepcopy(messages)
    candidate = trim_results(messages, receipt, keep_recent)
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming is not enough")
    return candidate

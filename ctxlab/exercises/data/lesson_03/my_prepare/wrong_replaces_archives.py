"""Your version puts a new list in the place of the old one. In the scenario earlier_archive the state named a
snapshot of an earlier turn, and now it names only yours. The earlier file still lies on the disk, and nobody
knows of it. append leaves what is there."""

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
    state["archives"] = [receipt]
    candidate = trim_results(messages, receipt, keep_recent)
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming is not enough")
    return candidate

"""Your version gives the archive the caller's own messages. In the scenario normal nobody notices. But an
archive may keep what it is given, or change it as it writes: then the snapshot and the history are one and
the same, and a change to one is a change to the other. Give it a deep copy."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import history_bytes, split_history, trim_results


def my_prepare(messages, state, archive, budget, keep_recent):
    split_history(messages, keep_recent)
    if history_bytes(messages) <= budget:
        return deepcopy(messages)
    receipt = archive(messages)
    if not receipt:
        raise Refusal("bad_receipt", "the archive gave no receipt")
    state["archives"].append(receipt)
    candidate = trim_results(messages, receipt, keep_recent)
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming is not enough")
    return candidate

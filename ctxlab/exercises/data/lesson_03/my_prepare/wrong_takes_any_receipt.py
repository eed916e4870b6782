"""Your version takes whatever the archive returns for a receipt. In the scenario no_receipt that is an empty
text, and the state then lists a snapshot of no name. Trimming refuses a moment later, but the state already
says that something was stored."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import history_bytes, split_history, trim_results


def my_prepare(messages, state, archive, budget, keep_recent):
    split_history(messages, keep_recent)
    if history_bytes(messages) <= budget:
        return deepcopy(messages)
    receipt = archive(deepcopy(messages))
    state["archives"].append(receipt)
    candidate = trim_results(messages, receipt, keep_recent)
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming is not enough")
    return candidate

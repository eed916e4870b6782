"""Your version compares the number of messages with a budget of bytes. In the scenario normal 5 is surely
under 1600, so a history that is too large comes back as it was, and nothing was archived.
history_bytes(messages) tells the size that counts."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import split_history, trim_results


def my_prepare(messages, state, archive, budget, keep_recent):
    split_history(messages, keep_recent)
    if len(messages) <= budget:
        return deepcopy(messages)
    receipt = archive(deepcopy(messages))
    if not receipt:
        raise Refusal("bad_receipt", "the archive gave no receipt")
    state["archives"].append(receipt)
    candidate = trim_results(messages, receipt, keep_recent)
    if len(candidate) > budget:
        raise Refusal("over_budget", "trimming is not enough")
    return candidate

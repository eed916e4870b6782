"""Your version trims with the number of recent exchanges that trim_results takes by itself, which is 1. In
the scenario keep_two the last two are to be kept: your version cuts a text that the caller wants word for
word, and then the history fits. What the caller asked for has to be passed on."""

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
    candidate = trim_results(messages, receipt)
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming is not enough")
    return candidate

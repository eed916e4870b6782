"""Your version records the receipt only when everything went well. In the scenario summary it refuses at the
end, the snapshot has been written, and the state says that there is none. What has happened stays recorded,
also when the answer is no."""

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
    candidate = trim_results(messages, receipt, keep_recent)
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming is not enough")
    state["archives"].append(receipt)
    return candidate

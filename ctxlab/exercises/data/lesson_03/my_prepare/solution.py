from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import history_bytes, split_history, trim_results


def my_prepare(messages, state, archive, budget, keep_recent):
    """Return a history of at most `budget` bytes to use in place of `messages`.

    Refuses `bad_receipt` for an empty receipt, and `over_budget` where trimming is not enough.
    """
    # 1. A bad history stops before anything happens.
    split_history(messages, keep_recent)
    # Does the history fit the budget as it is?
    if history_bytes(messages) <= budget:
        # 2. A history that fits is left alone.
        return deepcopy(messages)
    # 3. Archive a copy before anything is removed, and record the receipt at once.
    receipt = archive(deepcopy(messages))
    # Did the archive give no receipt?
    if not receipt:
        # Without proof of a snapshot nothing may go.
        raise Refusal("bad_receipt", "the archive gave no receipt; nothing was removed")
    state["archives"].append(receipt)
    # 4. Trim the old results: the cheapest loss.
    candidate = trim_results(messages, receipt, keep_recent)
    # Is it still over the budget?
    if history_bytes(candidate) > budget:
        # The snapshot stays recorded.
        raise Refusal("over_budget", f"trimmed, the history has {history_bytes(candidate)} bytes")
    return candidate

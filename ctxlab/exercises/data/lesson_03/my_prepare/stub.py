from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import history_bytes, split_history, trim_results


def my_prepare(messages, state, archive, budget, keep_recent):
    """Return a history of at most `budget` bytes to use in place of `messages`.

    Refuses `bad_receipt` for an empty receipt, and `over_budget` where trimming is not enough.
    """
    # Given: archive(messages) writes a snapshot and returns its receipt, and
    # trim_results(messages, receipt, keep_recent) returns a trimmed copy.
    # 1. A bad history stops before anything happens.
    split_history(messages, keep_recent)
    raise NotImplementedError("not written yet")

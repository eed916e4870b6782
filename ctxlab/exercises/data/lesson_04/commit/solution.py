from copy import deepcopy


def commit(messages, prepare):
    """Let `prepare` make a candidate, and put it in the place of the history: `messages` changes in place.

    Returns "committed", or "context_error" where there is no candidate; then `messages` is as it was.
    """
    # 1. Make a candidate from a copy, and copy that too. Whatever goes wrong, the history stays as it is.
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except Exception:
        return "context_error"
    # Is the candidate anything but a list?
    if not isinstance(candidate, list):
        # No commit: nothing has changed.
        return "context_error"
    # 2. Commit: the candidate takes the place of the history, in one step.
    messages[:] = candidate
    return "committed"

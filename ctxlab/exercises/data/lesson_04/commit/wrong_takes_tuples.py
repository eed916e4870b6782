"""Your version takes tuples for histories. In the scenario trim, where prepare returns a tuple, it
commits. The messages in it may be fine; but who returns a tuple has not kept to what was agreed, and what
else is different nobody knows."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except Exception:
        return "context_error"
    if not isinstance(candidate, (list, tuple)):
        return "context_error"
    messages[:] = candidate
    return "committed"

"""Your version returns the history where a status is due. In the scenario trim the commit itself is right;
but the caller has the history already, and wants to know whether the request may be sent."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except Exception:
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages[:] = candidate
    return messages

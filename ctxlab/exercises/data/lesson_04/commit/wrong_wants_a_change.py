"""Your version takes a candidate that changes nothing for a failure. In the scenario fit the history is
small enough as it is, and its equal copy is the best candidate there is: the request may be sent."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except Exception:
        return "context_error"
    if not isinstance(candidate, list) or candidate == messages:
        return "context_error"
    messages[:] = candidate
    return "committed"

"""Your version hands the history itself to prepare, not a copy of it. In the scenario trim, where prepare
empties its list, then raises Refusal, there is no candidate, and the history is gone as well."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(messages))
    except Exception:
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages[:] = candidate
    return "committed"

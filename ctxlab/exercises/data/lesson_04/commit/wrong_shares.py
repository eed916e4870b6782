"""Your version commits the very messages that prepare returned. In the scenario trim all looks well. But
prepare may keep them, as a cache does, and whoever changes them later changes your history."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = prepare(deepcopy(messages))
    except Exception:
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages[:] = candidate
    return "committed"

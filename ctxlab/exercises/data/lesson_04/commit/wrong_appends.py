"""Your version adds the candidate to the history. In the scenario fit, where nothing had to be made
smaller, every message stands there twice. The candidate takes the place of the history."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except Exception:
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages.extend(candidate)
    return "committed"

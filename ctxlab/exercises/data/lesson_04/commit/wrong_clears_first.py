"""Your version empties the history before it has something to put there. In the scenario pending prepare
refuses, and nothing is left. Between "the old one is away" and "the new one is there" lies everything that
can fail."""

from copy import deepcopy


def commit(messages, prepare):
    copy = deepcopy(messages)
    messages.clear()
    try:
        candidate = deepcopy(prepare(copy))
    except Exception:
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages.extend(candidate)
    return "committed"

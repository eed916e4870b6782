"""Your version changes the history in two steps: it empties it, then fills it again. In the scenario trim the
history holds nothing in between, and whatever stops the run there, such as Ctrl-C, leaves it at that. One
assignment, messages[:] = candidate, has no in between."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except Exception:
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages.clear()
    messages.extend(candidate)
    return "committed"

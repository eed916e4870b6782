"""Your version gives the name messages to another list. In the scenario trim it says that all went well,
and the long texts are still in the history of the caller. Inside a function, a name is your own; the list
is the caller's."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except Exception:
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages = candidate
    return "committed"

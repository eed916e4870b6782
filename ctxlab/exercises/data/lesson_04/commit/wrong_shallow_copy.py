"""Your version gives prepare another list with the same messages in it. In the scenario trim all looks well.
But prepare may write into a message, to make a text shorter, and that message stands in the history. Only a
deep copy has messages of its own."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(messages.copy()))
    except Exception:
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages[:] = candidate
    return "committed"

"""Your version turns away None, and takes everything else. In the scenario trim, where prepare returns a
dict, the history becomes the names of its entries. Do not ask what a candidate must not be, but what it
has to be."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except Exception:
        return "context_error"
    if candidate is None:
        return "context_error"
    messages[:] = candidate
    return "committed"

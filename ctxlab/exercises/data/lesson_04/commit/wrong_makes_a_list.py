"""Your version makes a list of whatever comes. In the scenario trim, where prepare returns a generator,
that looks like help; but a prepare with a yield in it is a mistake, and should be told. A text and a dict
become lists in the same way, and those are no histories."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(list(prepare(deepcopy(messages))))
    except Exception:
        return "context_error"
    messages[:] = candidate
    return "committed"

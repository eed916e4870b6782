"""Your version catches everything, Ctrl-C included. In the scenario trim, where prepare is interrupted,
the person wants the agent to stop, and your version calls it a bad candidate. An except without a name
catches that too."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except:  # noqa: E722
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages[:] = candidate
    return "committed"

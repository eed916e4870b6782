"""Your version does not look at what prepare returned. In the scenario trim, where prepare returns a text,
that text is committed letter by letter, for a list takes anything that can be looped over. And where
prepare returns None, your version raises."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except Exception:
        return "context_error"
    messages[:] = candidate
    return "committed"

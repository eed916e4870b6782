"""Your version copies the candidate after the try, and before it looks at it. In the scenario trim, where
prepare returns a generator, deepcopy raises, and nobody catches that. Whatever is done to a candidate that
was not looked at can fail."""

from copy import deepcopy


def commit(messages, prepare):
    try:
        candidate = prepare(deepcopy(messages))
    except Exception:
        return "context_error"
    candidate = deepcopy(candidate)
    if not isinstance(candidate, list):
        return "context_error"
    messages[:] = candidate
    return "committed"

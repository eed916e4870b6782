"""Your version lets every error of prepare pass through. In the scenario pending the history stays whole,
which is right, but the caller is given a refusal where a status is due."""

from copy import deepcopy


def commit(messages, prepare):
    candidate = deepcopy(prepare(deepcopy(messages)))
    if not isinstance(candidate, list):
        return "context_error"
    messages[:] = candidate
    return "committed"

"""Your version catches refusals only. In the scenario archive_error the disk is full, which is an OSError,
and it passes through and ends the agent. Prepare calls an archive and a model, and either can fail in any
way."""

from copy import deepcopy

from ctxlab import Refusal


def commit(messages, prepare):
    try:
        candidate = deepcopy(prepare(deepcopy(messages)))
    except Refusal:
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages[:] = candidate
    return "committed"

"""Your version lets prepare work on the history itself, and puts a copy back where that fails. In the
scenario trim all looks well. But until it is put back the history is half done, and where the run is
stopped there, as by Ctrl-C, nobody puts it back."""

from copy import deepcopy


def commit(messages, prepare):
    backup = deepcopy(messages)
    try:
        candidate = deepcopy(prepare(messages))
    except Exception:
        messages[:] = backup
        return "context_error"
    if not isinstance(candidate, list):
        return "context_error"
    messages[:] = candidate
    return "committed"

from copy import deepcopy


def commit(messages, prepare):
    """Let `prepare` make a candidate, and put it in the place of the history: `messages` changes in place.

    Returns "committed", or "context_error" where there is no candidate; then `messages` is as it was.
    """
    # Given: prepare(messages) returns the history to go on with. It may also return anything else, change
    # what it was given, and raise.
    raise NotImplementedError("not written yet")

from copy import deepcopy


def drop_oldest_exchange(messages):
    """Return a copy of the history without its oldest exchange. The question stays."""
    # Given: deepcopy(value) returns a copy that shares nothing with the value.
    raise NotImplementedError("not written yet")

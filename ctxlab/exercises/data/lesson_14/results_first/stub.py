from copy import deepcopy


def results_first(messages):
    """Return a copy of `messages` in which the results of each message stand in front of its other blocks."""
    # Given: a message is {"role": ..., "content": a text or a list of blocks}, and each block has a "type".
    raise NotImplementedError("not written yet")

from copy import deepcopy


def drop_oldest_exchange(messages):
    """Return a copy of the history without its oldest exchange. The question stays."""
    # Is there less than a question and one whole exchange?
    if len(messages) < 3:
        # There is nothing that can go as a whole.
        return deepcopy(messages)
    # 1. The question stands first, and stays.
    question = messages[:1]
    # 2. Messages 1 and 2 are the oldest exchange. They go together.
    return deepcopy(question + messages[3:])

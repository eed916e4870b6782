"""Your version drops the exchange at the end, which is the newest. In the scenario normal that is the result
the model has just asked for. It would ask for it again, and again it would be dropped."""

from copy import deepcopy


def drop_oldest_exchange(messages):
    if len(messages) < 3:
        return deepcopy(messages)
    return deepcopy(messages[:-2])

"""Your version never asks whether the oldest exchange is whole. In the scenario open_call the call has no
result yet, and your version drops it. A moment later the result comes in, and the call that it answers is
gone."""

from copy import deepcopy


def drop_oldest_exchange(messages):
    return deepcopy(messages[:1] + messages[3:])

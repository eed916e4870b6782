"""Your version drops the call and leaves its results. In the scenario normal the question is then followed by
a result for call_1, which nobody has called any more. The provider refuses that, and nothing was won either:
the long text is in the result."""

from copy import deepcopy


def drop_oldest_exchange(messages):
    if len(messages) < 3:
        return deepcopy(messages)
    return deepcopy(messages[:1] + messages[2:])

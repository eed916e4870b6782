"""Your version drops the results and leaves their call. In the scenario normal the history then holds a call
of call_1 that nothing answers, and the provider refuses the request. The call looks small and harmless, but
it asks for an answer in the very next message."""

from copy import deepcopy


def drop_oldest_exchange(messages):
    if len(messages) < 3:
        return deepcopy(messages)
    return deepcopy(messages[:2] + messages[3:])

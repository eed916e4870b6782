"""Your version takes two messages off the front of the list, and the first message is the question. In the
scenario normal the history then begins with a result: the model no longer knows what it was asked, nor that
it should ask before it deletes anything."""

from copy import deepcopy


def drop_oldest_exchange(messages):
    if len(messages) < 3:
        return deepcopy(messages)
    return deepcopy(messages[2:])

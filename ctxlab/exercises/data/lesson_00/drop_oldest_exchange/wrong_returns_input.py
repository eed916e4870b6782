"""Where there is no exchange to drop, your version hands back the very list that it was given. In the
scenario question_only the caller believes to have a copy, appends to it, and has changed the history. A
function that sometimes copies is harder to use than one that always does."""

from copy import deepcopy


def drop_oldest_exchange(messages):
    if len(messages) < 3:
        return messages
    return deepcopy(messages[:1] + messages[3:])

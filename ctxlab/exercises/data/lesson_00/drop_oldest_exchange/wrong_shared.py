"""Your version makes a new list, but the messages in it are still the caller's own. In the scenario normal,
whoever shortens a text of the result later shortens it in the history too, without noticing. A slice copies
the list, not what is in it."""


def drop_oldest_exchange(messages):
    if len(messages) < 3:
        return messages[:]
    return messages[:1] + messages[3:]

"""Your version takes the exchange out of the list that it was given. The right messages are left, but in the
scenario normal the caller's own history is now shorter too. It may have been the only full copy, and if a
later step says no, there is no way back."""


def drop_oldest_exchange(messages):
    if len(messages) >= 3:
        del messages[1:3]
    return list(messages)

"""Your version counts the messages, and a message may have any size. The scenario normal has 5 messages,
which is surely under 1600, and yet it is too large: one of the five holds a long text. A limit in bytes needs
a count of bytes."""


def fits(messages, budget):
    return len(messages) <= budget

"""Your version measures the list as Python keeps it in memory. That is a few bytes for each message, wherever
its texts are and however long. In the scenario normal the history has over 1700 bytes, and your version says
that it fits into 1600. What counts are the bytes that are sent."""

import sys


def fits(messages, budget):
    return sys.getsizeof(messages) <= budget

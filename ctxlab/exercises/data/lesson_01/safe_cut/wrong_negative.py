"""Your version goes below zero where more is kept than there is. In the scenario keep_more it returns -1.
Python does not complain about that: an index of -1 means the last message, so the cut goes through the newest
exchange."""

from ctxlab import Refusal


def safe_cut(messages, keep_recent):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    return len(messages) - 2 * keep_recent

"""Your version counts two messages for each older exchange and forgets the one before them all. In the
scenario normal it returns 2, the place of the results of call_1: the cut goes through the first exchange.
Every index after the question is one higher than the exchanges alone would make it."""

from ctxlab import Refusal


def safe_cut(messages, keep_recent):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    exchanges = (len(messages) - 1) // 2
    return 2 * max(0, exchanges - keep_recent)

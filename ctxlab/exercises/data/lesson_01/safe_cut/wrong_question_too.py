"""Where everything is recent, your version returns 0, the place of the question. In the scenario keep_more
the question is then part of the recent exchanges. A program that puts the question in front of them, as it
should, now sends it twice."""

from ctxlab import Refusal


def safe_cut(messages, keep_recent):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    return max(0, len(messages) - 2 * keep_recent)

"""Your version keeps a number of messages, and keep_recent is a number of exchanges. In the scenario normal
it cuts before the last message, a result: its call falls to the older part. Once the older part is summarised
or dropped, the history begins with an answer to nothing."""

from ctxlab import Refusal


def safe_cut(messages, keep_recent):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    return max(1, len(messages) - keep_recent)

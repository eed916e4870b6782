"""Your version cuts in the middle, wherever that is. In the scenario normal the middle is message 2, a
result, so the cut goes through an exchange. In the scenario trim it happens to be safe, but it does not keep
as many exchanges as it was asked to."""

from ctxlab import Refusal


def safe_cut(messages, keep_recent):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    return len(messages) // 2

"""Your version returns how many exchanges are older, and the task asks for a place in the list. In the
scenario trim two exchanges are older, and a cut at 2 goes between the first call and its result. Before the
cut stand the question and two messages for each of those exchanges."""

from ctxlab import Refusal


def safe_cut(messages, keep_recent):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    exchanges = (len(messages) - 1) // 2
    return max(0, exchanges - keep_recent)

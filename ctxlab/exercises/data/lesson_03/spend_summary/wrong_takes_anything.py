"""Your version returns whatever came. In the scenario bad_summary that is an empty text. Put in place of the
older exchanges, it says that nothing happened, and everything they held is gone from the history."""

from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    if state["summaries"] >= state["max_summaries"]:
        raise Refusal("summaries_spent", "no attempt is left")
    state["summaries"] += 1
    return summarize(deepcopy(messages))

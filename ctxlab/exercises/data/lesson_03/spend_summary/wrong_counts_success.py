"""Your version counts only summaries that turned out well. In the scenario bad_summary the model was asked
and paid for, its answer was empty, and the state still says 0 attempts. The next turn asks again, and so on
without an end."""

from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    if state["summaries"] >= state["max_summaries"]:
        raise Refusal("summaries_spent", "no attempt is left")
    summary = summarize(deepcopy(messages))
    if not isinstance(summary, str) or not summary.strip():
        raise Refusal("bad_summary", "the summary says nothing")
    state["summaries"] += 1
    return summary

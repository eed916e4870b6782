"""Your version asks again by itself until an answer is good. In the scenario bad_summary that spends both
attempts at one go, and the second answer is as empty as the first. Whether another attempt is worth its price
is for the caller to say."""

from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    if state["summaries"] >= state["max_summaries"]:
        raise Refusal("summaries_spent", "no attempt is left")
    while state["summaries"] < state["max_summaries"]:
        state["summaries"] += 1
        summary = summarize(deepcopy(messages))
        if isinstance(summary, str) and summary.strip():
            return summary
    raise Refusal("bad_summary", "the summary says nothing")

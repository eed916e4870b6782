"""Your version gives the summariser the caller's own messages. In the scenario summary that comes out right.
But a summariser may shorten what it is given before it sends it, and then the history has been shortened,
with no decision of yours. Give it a deep copy."""

from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    if state["summaries"] >= state["max_summaries"]:
        raise Refusal("summaries_spent", "no attempt is left")
    state["summaries"] += 1
    summary = summarize(messages)
    if not isinstance(summary, str) or not summary.strip():
        raise Refusal("bad_summary", "the summary says nothing")
    return summary

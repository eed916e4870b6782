"""Your version allows one attempt more than the limit. In the scenario exhausted the limit is 0, and a model
is asked all the same. At the moment of the question, as many attempts as the limit allows may be spent
already."""

from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    if state["summaries"] > state["max_summaries"]:
        raise Refusal("summaries_spent", "no attempt is left")
    state["summaries"] += 1
    summary = summarize(deepcopy(messages))
    if not isinstance(summary, str) or not summary.strip():
        raise Refusal("bad_summary", "the summary says nothing")
    return summary

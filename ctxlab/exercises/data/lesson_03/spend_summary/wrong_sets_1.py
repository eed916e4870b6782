"""Your version sets the count to 1 and does not add to it. In the scenario second_attempt one attempt was
made before, this is the second, and the state still says 1. So the limit of 2 is never reached, and a model
can be asked for ever."""

from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    if state["summaries"] >= state["max_summaries"]:
        raise Refusal("summaries_spent", "no attempt is left")
    state["summaries"] = 1
    summary = summarize(deepcopy(messages))
    if not isinstance(summary, str) or not summary.strip():
        raise Refusal("bad_summary", "the summary says nothing")
    return summary

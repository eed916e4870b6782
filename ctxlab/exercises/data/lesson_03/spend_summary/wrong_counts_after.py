"""Your version counts when the answer is there. In the scenario no_answer there is none: the call raises, the
line that counts is never reached, and the state says 0 attempts. A model that is down would be asked on every
turn."""

from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    if state["summaries"] >= state["max_summaries"]:
        raise Refusal("summaries_spent", "no attempt is left")
    summary = summarize(deepcopy(messages))
    state["summaries"] += 1
    if not isinstance(summary, str) or not summary.strip():
        raise Refusal("bad_summary", "the summary says nothing")
    return summary

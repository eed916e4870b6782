"""Your version refuses the empty text and takes one of spaces. In the scenario blank the answer is two spaces
and a line end. It is not empty, and it says just as little."""

from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    if state["summaries"] >= state["max_summaries"]:
        raise Refusal("summaries_spent", "no attempt is left")
    state["summaries"] += 1
    summary = summarize(deepcopy(messages))
    if not isinstance(summary, str) or not summary:
        raise Refusal("bad_summary", "the summary says nothing")
    return summary

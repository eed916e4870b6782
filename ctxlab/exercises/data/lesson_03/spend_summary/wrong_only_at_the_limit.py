"""Your version stops only where the count is exactly the limit. In the scenario overspent three attempts were
made and two are allowed, for instance because the limit was lowered: the count is past the limit, and nothing
stops it any more. Whoever asks for at least the limit is safe."""

from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    if state["summaries"] == state["max_summaries"]:
        raise Refusal("summaries_spent", "no attempt is left")
    state["summaries"] += 1
    summary = summarize(deepcopy(messages))
    if not isinstance(summary, str) or not summary.strip():
        raise Refusal("bad_summary", "the summary says nothing")
    return summary

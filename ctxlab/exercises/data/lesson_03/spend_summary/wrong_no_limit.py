"""Your version asks as often as it is called, whatever the limit. In the scenario overspent three attempts
were made where two are allowed, and it makes a fourth. A limit has to be asked about before the call, and its
refusal has to be raised: Refusal(...) without raise stops nothing."""

from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    state["summaries"] += 1
    summary = summarize(deepcopy(messages))
    if not isinstance(summary, str) or not summary.strip():
        raise Refusal("bad_summary", "the summary says nothing")
    return summary

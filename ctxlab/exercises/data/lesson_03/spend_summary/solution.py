from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    """Return the text of one summary of `messages`, and count the attempt in `state["summaries"]`.

    Refuses `summaries_spent` where no attempt is left, and `bad_summary` for a text that says nothing.
    """
    # 1. A summary costs a model call, so the attempts are limited.
    # Are all attempts spent?
    if state["summaries"] >= state["max_summaries"]:
        # Nobody is asked.
        raise Refusal("summaries_spent", f"{state['summaries']} attempts are spent")
    # 2. Count before the call, so that a failing call cannot be repeated for ever.
    state["summaries"] += 1
    # 3. Ask. An error passes through, and the attempt stays counted.
    summary = summarize(deepcopy(messages))
    # 4. An answer can come back empty.
    # Is the summary anything but a text that says something?
    if not isinstance(summary, str) or not summary.strip():
        # The spent attempt stays recorded.
        raise Refusal("bad_summary", "the summary says nothing")
    return summary

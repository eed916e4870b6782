from copy import deepcopy

from ctxlab import Refusal


def spend_summary(messages, state, summarize):
    """Return the text of one summary of `messages`, and count the attempt in `state["summaries"]`.

    Refuses `summaries_spent` where no attempt is left, and `bad_summary` for a text that says nothing.
    """
    # Given: summarize(messages) asks a model. It may return anything, and it may raise.
    raise NotImplementedError("not written yet")

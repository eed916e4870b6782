"""Your version never compares the ids of a pair, or does nothing about what it finds: Refusal(...) without
raise only makes an exception. In the scenario mismatch the result answers a call that nobody made, and the
exchange comes back as if it were whole. The provider refuses it later."""

from copy import deepcopy

from ctxlab import Refusal


def my_split(messages, keep_recent=1):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    exchanges = [deepcopy(messages[at : at + 2]) for at in range(1, len(messages), 2)]
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": deepcopy(messages[0]), "older": exchanges[:cut], "recent": exchanges[cut:]}

"""Your version only compares how many calls and results there are. In the scenario mismatch there is one of
each, and still the result answers a call that nobody made. The provider compares the ids, and refuses what
your version let through."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    exchanges = []
    for at in range(1, len(messages), 2):
        if len(call_ids(messages[at])) != len(result_ids(messages[at + 1])):
            raise Refusal("mismatch", "the results do not answer the calls")
        exchanges.append(deepcopy(messages[at : at + 2]))
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": deepcopy(messages[0]), "older": exchanges[:cut], "recent": exchanges[cut:]}

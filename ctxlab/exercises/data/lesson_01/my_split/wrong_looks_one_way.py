"""Your version asks whether each result belongs to a call, and not whether each call has its result. In the
scenario partial two calls were made and one was answered: no result is foreign, and still the second call
waits in vain. A pair has two halves, and either can be missing."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    exchanges = []
    for at in range(1, len(messages), 2):
        if any(answered not in call_ids(messages[at]) for answered in result_ids(messages[at + 1])):
            raise Refusal("mismatch", "the results do not answer the calls")
        exchanges.append(deepcopy(messages[at : at + 2]))
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": deepcopy(messages[0]), "older": exchanges[:cut], "recent": exchanges[cut:]}

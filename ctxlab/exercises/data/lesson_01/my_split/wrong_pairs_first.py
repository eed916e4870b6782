"""Your version looks at the pairs before it asks whether the last call still waits. In the scenario
two_faults both are wrong, and yours says mismatch where the task wants pending. Waiting mends itself and a
broken pair does not, so the order decides what the caller does next."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    exchanges = []
    for at in range(1, len(messages) - 1, 2):
        if sorted(call_ids(messages[at])) != sorted(result_ids(messages[at + 1])):
            raise Refusal("mismatch", "the results do not answer the calls")
        exchanges.append(deepcopy(messages[at : at + 2]))
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": deepcopy(messages[0]), "older": exchanges[:cut], "recent": exchanges[cut:]}

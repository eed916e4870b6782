"""Your version compares which ids there are, and not how often. In the scenario repeated one call has two
results, and your version takes them for one. They even say different things, and nobody can tell which of the
two holds. Each id has to be answered exactly once."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    exchanges = []
    for at in range(1, len(messages), 2):
        if set(call_ids(messages[at])) != set(result_ids(messages[at + 1])):
            raise Refusal("mismatch", "the results do not answer the calls")
        exchanges.append(deepcopy(messages[at : at + 2]))
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": deepcopy(messages[0]), "older": exchanges[:cut], "recent": exchanges[cut:]}

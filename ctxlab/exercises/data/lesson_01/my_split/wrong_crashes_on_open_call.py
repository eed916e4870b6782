"""Your version takes for granted that every call has its results. In the scenario pending it looks for a
message after the last one and ends with an IndexError. Nothing is lost, but nobody can tell a history that is
not ready yet from a program that is broken. That is what the refusal is for."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    exchanges = []
    for at in range(1, len(messages), 2):
        if sorted(call_ids(messages[at])) != sorted(result_ids(messages[at + 1])):
            raise Refusal("mismatch", "the results do not answer the calls")
        exchanges.append(deepcopy(messages[at : at + 2]))
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": deepcopy(messages[0]), "older": exchanges[:cut], "recent": exchanges[cut:]}

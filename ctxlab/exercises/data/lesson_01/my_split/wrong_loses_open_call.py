"""Your version pairs what can be paired and says nothing about the rest. In the scenario pending the last
call has no partner, so it is in none of the parts: it is lost without a word. Its results will come, and
answer nothing."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    exchanges = []
    for request, response in zip(messages[1::2], messages[2::2], strict=False):
        if sorted(call_ids(request)) != sorted(result_ids(response)):
            raise Refusal("mismatch", "the results do not answer the calls")
        exchanges.append([deepcopy(request), deepcopy(response)])
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": deepcopy(messages[0]), "older": exchanges[:cut], "recent": exchanges[cut:]}

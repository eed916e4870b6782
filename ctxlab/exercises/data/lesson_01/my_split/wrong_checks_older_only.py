"""Your version compares the ids of the older exchanges and takes the recent ones on trust. In the scenario
mismatch the broken pair is the newest, and it comes back as if it were sound. The recent part is sent too,
word for word, so the provider refuses the request all the same."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    exchanges = [deepcopy(messages[at : at + 2]) for at in range(1, len(messages), 2)]
    cut = max(0, len(exchanges) - keep_recent)
    for request, response in exchanges[:cut]:
        if sorted(call_ids(request)) != sorted(result_ids(response)):
            raise Refusal("mismatch", "the results do not answer the calls")
    return {"question": deepcopy(messages[0]), "older": exchanges[:cut], "recent": exchanges[cut:]}

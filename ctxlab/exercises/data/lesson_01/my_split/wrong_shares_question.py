"""Your version copies the exchanges and hands out the question itself. In the scenario normal that looks the
same. But whoever adds a line to the question of the result has changed the first message of the history, from
which every later request is made. The question needs a copy too."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    exchanges = []
    for at in range(1, len(messages), 2):
        if sorted(call_ids(messages[at])) != sorted(result_ids(messages[at + 1])):
            raise Refusal("mismatch", "the results do not answer the calls")
        exchanges.append(deepcopy(messages[at : at + 2]))
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": messages[0], "older": exchanges[:cut], "recent": exchanges[cut:]}

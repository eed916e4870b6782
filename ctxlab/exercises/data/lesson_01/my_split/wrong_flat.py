"""Your version returns the older and the recent part as plain lists of messages. In the scenario normal the
cut is in the right place, but the exchanges are no longer seen in the parts: whoever takes one element out of
such a list takes half an exchange. The task asks for lists of exchanges, each a list of two messages."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    for at in range(1, len(messages), 2):
        if sorted(call_ids(messages[at])) != sorted(result_ids(messages[at + 1])):
            raise Refusal("mismatch", "the results do not answer the calls")
    copies = deepcopy(messages)
    cut = max(1, len(copies) - 2 * keep_recent)
    return {"question": copies[0], "older": copies[1:cut], "recent": copies[cut:]}

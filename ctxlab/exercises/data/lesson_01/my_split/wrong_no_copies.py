"""Your version returns the caller's own messages. The parts look right, in the scenario normal and
everywhere. But the next step trims a text in the older part, and then the history has changed too: the input
was the only full copy, and it is gone. A slice copies the list, not the messages in it."""

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    exchanges = []
    for at in range(1, len(messages), 2):
        if sorted(call_ids(messages[at])) != sorted(result_ids(messages[at + 1])):
            raise Refusal("mismatch", "the results do not answer the calls")
        exchanges.append(messages[at : at + 2])
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": messages[0], "older": exchanges[:cut], "recent": exchanges[cut:]}

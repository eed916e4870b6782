from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    """Split a history at whole exchanges: {"question": message, "older": exchanges, "recent": exchanges}.

    Refuses `pending` for an open call at the end, and `mismatch` for results that do not answer their calls.
    """
    # 1. After the question come pairs: a call message, then its results.
    # Is the last call still waiting for its results?
    if len(messages) % 2 == 0:
        # Between a call and its results there is no safe place to cut.
        raise Refusal("pending", f"message {len(messages) - 1} has no results yet")

    # 2. Group the pairs. A broken pair stops here.
    exchanges = []
    for at in range(1, len(messages), 2):
        # Is a call without its result, or a result without its call?
        if sorted(call_ids(messages[at])) != sorted(result_ids(messages[at + 1])):
            # A provider rejects a history in which one half of a pair is missing.
            raise Refusal("mismatch", f"message {at + 1} does not answer the calls of message {at}")
        exchanges.append(deepcopy(messages[at : at + 2]))

    # 3. Cut between two exchanges, never inside one.
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": deepcopy(messages[0]), "older": exchanges[:cut], "recent": exchanges[cut:]}

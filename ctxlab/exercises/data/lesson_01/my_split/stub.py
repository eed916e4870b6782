from copy import deepcopy

from ctxlab import Refusal
from ctxlab.messages.blocks import call_ids, result_ids


def my_split(messages, keep_recent=1):
    """Split a history at whole exchanges: {"question": message, "older": exchanges, "recent": exchanges}.

    Refuses `pending` for an open call at the end, and `mismatch` for results that do not answer their calls.
    """
    # Given: call_ids(message) and result_ids(message) return the ids in a message, in order.
    raise NotImplementedError("not written yet")

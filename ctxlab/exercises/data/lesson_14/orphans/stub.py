from ctxlab.messages.blocks import kinds_and_ids


def orphans(messages):
    """Return (message, block, id) of each result for which no message before it makes the call, in order."""
    # Given: kinds_and_ids(message) returns (kind, id) of each block; kind is "call", "result" or "other".
    raise NotImplementedError("not written yet")

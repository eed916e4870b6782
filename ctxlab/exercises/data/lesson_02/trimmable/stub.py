from ctxlab.reference import split_history


def trimmable(messages, keep_recent, max_chars):
    """Return [message, block] for each old result text of more than `max_chars` characters."""
    # Given: the older exchanges, each a list of two messages. A bad history is refused here.
    older = split_history(messages, keep_recent)["older"]
    raise NotImplementedError("not written yet")

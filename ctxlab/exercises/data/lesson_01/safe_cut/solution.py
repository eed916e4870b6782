from ctxlab import Refusal


def safe_cut(messages, keep_recent):
    """Return the index of the first message of the last `keep_recent` exchanges.

    Refuses `pending` where the last call still waits for its results.
    """
    # 1. A question and whole exchanges make an odd number of messages.
    # Is the last call still waiting for its results?
    if len(messages) % 2 == 0:
        # Between a call and its results there is no safe place to cut.
        raise Refusal("pending", f"message {len(messages) - 1} has no results yet")
    # 2. Count exchanges: each takes two messages.
    exchanges = (len(messages) - 1) // 2
    # 3. Where fewer exchanges exist than are kept, none is older.
    older = max(0, exchanges - keep_recent)
    # 4. Before the cut stand the question and the older exchanges.
    return 1 + 2 * older

from ctxlab.reference import split_history


def trimmable(messages, keep_recent, max_chars):
    """Return [message, block] for each old result text of more than `max_chars` characters."""
    # Given: the older exchanges, each a list of two messages. A bad history is refused here.
    older = split_history(messages, keep_recent)["older"]
    places = []
    # 1. Look at the results of the older exchanges only. They stand at 2, 4, 6, ...
    for index in range(2, 1 + 2 * len(older), 2):
        # 2. Measure each text on its own.
        for number, block in enumerate(messages[index]["content"]):
            # Is this old text over the limit?
            if len(block["content"]) > max_chars:
                places.append([index, number])
    return places

"""Your version goes on where the last call still waits: it never asks, or it makes a Refusal and does not
raise it. In the scenario pending it returns a place as if all were well, and what comes after that place ends
with an open call. The results will arrive later, when the history has already been changed around them."""


def safe_cut(messages, keep_recent):
    exchanges = (len(messages) - 1) // 2
    return 1 + 2 * max(0, exchanges - keep_recent)

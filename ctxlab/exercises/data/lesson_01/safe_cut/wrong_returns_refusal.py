"""Your version makes the refusal and returns it. In the scenario pending the caller gets a value, takes it
for the place, and goes on. Refusal(...) alone only makes an exception; raise is what stops the work, and
nobody can overlook it."""

from ctxlab import Refusal


def safe_cut(messages, keep_recent):
    if len(messages) % 2 == 0:
        return Refusal("pending", "the last call has no results yet")
    exchanges = (len(messages) - 1) // 2
    return 1 + 2 * max(0, exchanges - keep_recent)

"""Your version refuses at the right moment, with a code that is written otherwise. In the scenario pending it
says Pending. The text of a refusal is for people and may say anything. The code is for programs, and a
program that waits for "pending" does not know yours: the two must be equal to the letter."""

from ctxlab import Refusal


def safe_cut(messages, keep_recent):
    if len(messages) % 2 == 0:
        raise Refusal("Pending", "the last call has no results yet")
    exchanges = (len(messages) - 1) // 2
    return 1 + 2 * max(0, exchanges - keep_recent)

"""Pairs of functions that the tests of the comparison trace: as meant, and as a learner may write them."""

from collections.abc import Callable
from typing import Any

History = list[dict[str, Any]]


def cut(messages: History, keep_recent: int = 1) -> tuple[History, History]:
    """Divide a history before its newest exchanges."""
    found = 0
    for place in range(len(messages) - 1, 0, -1):
        # Is it a call?
        if messages[place]["role"] == "assistant":
            found += 1
        # Are there enough?
        if found >= keep_recent:
            # What stands before it is older.
            return messages[1:place], messages[place:]
    return [], messages[1:]


def slipped_cut(history: History, keep_recent: int = 1) -> tuple[History, History]:
    """Divide a history before its newest exchanges, or so it is meant."""
    found = 0
    for place in range(len(history) - 1, 0, -1):
        # Is it a call?
        if history[place]["role"] == "assistant":
            found += 1
        # Are there enough?
        if found > keep_recent:
            # What stands before it is older.
            return history[1:place], history[place:]
    return [], history[1:]


def careful_cut(messages: History, keep_recent: int = 1) -> tuple[History, History]:
    """Divide a history before its newest exchanges, after one check more."""
    # Is there anything to cut?
    if len(messages) < 2:
        # Nothing can be older.
        return [], messages
    return cut(messages, keep_recent)


def anxious_cut(messages: History, keep_recent: int = 1) -> tuple[History, History]:
    """Divide no history that holds a long text."""
    # Is a text long?
    if len(str(messages)) > 1000:
        # It is kept whole.
        return [], messages[1:]
    return cut(messages, keep_recent)


def archived(messages: History, archive: Callable[[History], str]) -> str:
    """Return the receipt of a copy."""
    return archive(list(messages))


def not_archived(messages: History, archive: Callable[[History], str]) -> str:
    """Return no receipt: nothing is copied."""
    return "none"


def count_long(sizes: list[int], limit: int) -> int:
    """Count what is longer than the limit."""
    found = 0
    for size in sizes:
        # Is it too long?
        if size > limit:
            found += 1
    return found


def committed(messages: History, prepare: Callable[[History], Any]) -> str:
    """Put what `prepare` returns in the place of the history."""
    candidate = prepare(list(messages))
    # Is it no list?
    if not isinstance(candidate, list):
        return "no candidate"
    messages[:] = candidate
    return "committed"


def rebound(messages: History, prepare: Callable[[History], Any]) -> str:
    """Give the name to what `prepare` returns; the history stays."""
    candidate = prepare(list(messages))
    # Is it no list?
    if not isinstance(candidate, list):
        return "no candidate"
    messages = candidate
    return "committed"

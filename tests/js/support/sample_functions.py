"""Functions that the player's tests trace besides the reference."""

from typing import Any


def delete_oldest_result(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a copy without its first result: the naive way to save space."""
    candidate = list(messages)
    # Is there a result to delete?
    if len(candidate) > 2:
        # Its call stays behind.
        del candidate[2]
    return candidate


def spin(messages: list[dict[str, Any]]) -> int:
    """Count for ever."""
    turns = 0
    # Is there anything to count?
    while messages:
        turns += 1
    return turns


def sizes(messages: list[dict[str, Any]], least: int = 50) -> dict[str, Any]:
    """Return several kinds of values, so that each has to be shown."""
    seen = {
        "least": least,
        "ratio": 0.5,
        "huge": 2**70,
        "pair": (1, "a"),
        "set": {"b"},
        "quote": 'say "no"\\\n\t',
    }
    for message in messages:
        length = len(message["content"])
        # Is it between the limits, and not the last?
        if least < length < 5000 and not (message is messages[-1] or length == 7):
            seen[f"{message['role']} {length}"] = [length, [length]]
    return seen


def window(messages: list[dict[str, Any]], most: int = 4) -> list[dict[str, Any]]:
    """Return the newest messages, with a note before them: the naive window."""
    candidate = list(messages)
    # Are there more than the window holds?
    while len(candidate) > most:
        candidate.pop(0)
    candidate.insert(0, {"role": "user", "content": "Go on."})
    # Were there any?
    if not candidate[1:]:
        return []
    candidate[1:3] = []
    return candidate

"""Shrink: a long result is cut as soon as it enters the history."""

from typing import Any

from ctxlab.reference.shrinking import MIN_LIMIT_CHARS, trim_single_observation
from ctxlab.strategies.strategy import History, Message, Prepare, Run

# The part of the limit that one result may fill, as in CompactionPolicy.
PART = 0.10


def begin_shrink(run: Run) -> Prepare:
    """Cut the middle out of each long result."""
    most = max(MIN_LIMIT_CHARS, int(run.limits.tokens * PART * run.characters_per_token))
    run.note(f"It limits each result to {most:,} characters, a tenth of the limit, not the history.")
    known = 0

    def prepare(history: History) -> History:
        nonlocal known
        entered = [_shrunk(message, most) for message in history[known:]]
        candidate = [*history[:known], *entered]
        known = len(candidate)
        return candidate

    return prepare


def _shrunk(message: Message, most: int) -> Message:
    if message["role"] != "tool":
        return message
    content = message["content"]
    if isinstance(content, list):
        return message | {"content": [_shrunk_part(part, most) for part in content]}
    return message | {"content": trim_single_observation(content, most)} if content else message


def _shrunk_part(part: Any, most: int) -> Any:
    if isinstance(part.get("text"), str):
        return part | {"text": trim_single_observation(part["text"], most)}
    return part

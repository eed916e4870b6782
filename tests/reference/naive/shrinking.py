"""Shrinking as it is often written: the mark is not counted, and neither are tokens."""

from collections.abc import Callable


def trim_single_observation(text: str, limit_chars: int) -> str:
    """Keep the head and the tail of a long text."""
    if len(text) <= limit_chars:
        return text
    head = text[: int(limit_chars * 0.6)]
    tail = text[-int(limit_chars * 0.3) :]
    missing = len(text) - len(head) - len(tail)
    return f"{head}\n[{missing} characters missing]\n{tail}"


def compress_tool_result(
    tool_name: str,
    raw_result: str,
    task_context: str,
    summarize: Callable[[str], str],
    max_tokens: int = 500,
) -> str:
    """Let a cheap model shorten a long result."""
    if len(raw_result.split()) < 200:
        return raw_result
    return summarize(f"Task: {task_context}\nShorten the result of {tool_name}:\n{raw_result}")

"""The ids in one message. Nothing here raises on a JSON value: what has no ids has empty lists."""

from typing import Any


def call_ids(message: Any) -> list[str]:
    """Return the ids of the calls (blocks of type tool_use) in a message, in order."""
    return _ids(message, "tool_use", "id")


def result_ids(message: Any) -> list[str]:
    """Return the ids that the results (blocks of type tool_result) in a message answer, in order."""
    return _ids(message, "tool_result", "tool_use_id")


def _ids(message: Any, kind: str, key: str) -> list[str]:
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return []
    ids = [block.get(key) for block in content if isinstance(block, dict) and block.get("type") == kind]
    return [value for value in ids if isinstance(value, str)]

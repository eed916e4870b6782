"""The ids in one message. Nothing here raises on a JSON value: what has no ids has empty lists."""

from typing import Any

KINDS = (("call", "tool_use", "id"), ("result", "tool_result", "tool_use_id"))


def call_ids(message: Any) -> list[str]:
    """Return the ids of the calls (blocks of type tool_use) in a message, in order."""
    return _ids(message, "tool_use", "id")


def result_ids(message: Any) -> list[str]:
    """Return the ids that the results (blocks of type tool_result) in a message answer, in order."""
    return _ids(message, "tool_result", "tool_use_id")


def kinds_and_ids(message: Any) -> list[tuple[str, str]]:
    """Return (kind, id) for each content block of a message, in order.

    The kind is "call", "result" or "other"; the id is that of the call, "" for other blocks. A call or result
    without an id is another block, and so is whatever has no form of a block. A text as content has none.
    """
    content = message.get("content") if isinstance(message, dict) else None
    return [_kind_and_id(block) for block in content] if isinstance(content, list) else []


def _kind_and_id(block: Any) -> tuple[str, str]:
    if isinstance(block, dict):
        for kind, block_type, key in KINDS:
            call_id = block.get(key)
            if block.get("type") == block_type and isinstance(call_id, str) and call_id:
                return kind, call_id
    return "other", ""


def _ids(message: Any, kind: str, key: str) -> list[str]:
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return []
    ids = [block.get(key) for block in content if isinstance(block, dict) and block.get("type") == kind]
    return [value for value in ids if isinstance(value, str)]

"""What a model answered, as a message of an assistant in the form of either API."""

from typing import Any


def blocks_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the content of an answer as blocks, as in the Messages API; a text becomes one block."""
    content = answer.get("content")
    # Is it one text, as in Chat Completions?
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return [block for block in blocks if isinstance(block, dict)]


def answer_text(answer: dict[str, Any]) -> str:
    """Return the text of an answer, each block of it on new lines; "" where there is none."""
    # Is it a block of text?
    texts = [block.get("text") for block in blocks_of(answer) if block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def calls_a_tool(answer: dict[str, Any]) -> bool:
    """Say whether an answer calls a tool."""
    return bool(answer.get("tool_calls")) or any(
        block.get("type") == "tool_use" for block in blocks_of(answer)
    )

"""The strict grammar of a history between two rounds of an agent, in the block form of the Anthropic Messages API.

One user question in text, then exchanges: an assistant message of text and tool_use blocks, and the user message with
one tool_result block for each call. Each function returns the first fault that it finds, or None; positions in texts are
counted from 0. Source of the pairing rule:
https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use
"""

from typing import Any, NamedTuple


class Fault(NamedTuple):
    """What is wrong: the code of the refusal that it deserves, and a text that names the place."""

    code: str
    text: str


def is_text_question(message: Any) -> bool:
    """Say whether `message` is a user message of text: a string, or a list of text blocks; not blank."""
    if not isinstance(message, dict) or message.get("role") != "user":
        return False
    content = message.get("content")
    if not isinstance(content, list):
        return isinstance(content, str) and bool(content.strip())
    texts = [block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"]
    return len(texts) == len(content) > 0 and all(isinstance(text, str) and text.strip() for text in texts)


def message_fault(message: Any, role: str, at: int) -> Fault | None:
    """Check that message `at` has this role and a list of blocks."""
    if not isinstance(message, dict):
        return Fault("not_a_history", f"message {at} is not a message but {type(message).__name__}")
    if message.get("role") != role:
        return Fault("not_a_history", f"message {at} has the role {message.get('role')!r} where {role!r} is due")
    if not isinstance(message.get("content"), list):
        return Fault("not_a_history", f"message {at} has no list of blocks as its content")
    return None


def call_fault(request: dict[str, Any], at: int) -> Fault | None:
    """Check the blocks of call message `at`: text and calls only, at least one call, ids that a result can name."""
    seen = set()
    for number, block in enumerate(request["content"]):
        place = f"message {at}, block {number}"
        if not isinstance(block, dict):
            return Fault("not_a_history", f"{place} is not a block but {type(block).__name__}")
        if block.get("type") == "text":
            continue
        if block.get("type") != "tool_use":
            return Fault("unsupported_block", f"{place} has the type {block.get('type')!r}; only text and tool_use fit")
        call_id = block.get("id")
        if not isinstance(call_id, str) or not call_id:
            return Fault("mismatch", f"{place} has the id {call_id!r}, which no result can name")
        if call_id in seen:
            return Fault("mismatch", f"{place} has the id {call_id!r} of an earlier call in the same message")
        seen.add(call_id)
    return None if seen else Fault("not_a_history", f"message {at} calls no tool, so it opens no exchange")


def result_fault(response: dict[str, Any], at: int) -> Fault | None:
    """Check the blocks of result message `at`: results only, each with the id it answers, text, and a boolean mark."""
    for number, block in enumerate(response["content"]):
        place = f"message {at}, block {number}"
        if not isinstance(block, dict):
            return Fault("bad_result", f"{place} is not a block but {type(block).__name__}")
        if block.get("type") != "tool_result":
            return Fault("unsupported_block", f"{place} has the type {block.get('type')!r}; only tool_result fits")
        if not isinstance(block.get("tool_use_id"), str):
            return Fault("bad_result", f"{place} has the tool_use_id {block.get('tool_use_id')!r}, which is no text")
        if not isinstance(block.get("content"), str):
            return Fault("bad_result", f"{place} has a content that is no text")
        if not isinstance(block.get("is_error", False), bool):
            return Fault("bad_result", f"{place} has the is_error {block['is_error']!r}, which is no boolean")
    return None

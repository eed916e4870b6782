"""The strict grammar of a history between two rounds of an agent, in the Anthropic Messages API's block form.

One user question in text, then exchanges: an assistant message of text and tool_use blocks, and the user
message with one tool_result block for each call. The functions named after faults return the first one that
they find, or None; positions in texts are counted from 0. Source of the pairing rule:
https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
"""

from typing import Any, NamedTuple

from ctxlab.errors import Refusal
from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.wording import shown


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
    blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
    texts = [block.get("text") for block in blocks]
    return len(texts) == len(content) > 0 and all(isinstance(text, str) and text.strip() for text in texts)


def pair_fault(request: Any, response: Any, at: int) -> Fault | None:
    """Check that messages `at` and `at + 1` are an assistant's and a user's, with lists of blocks."""
    pair = ((at, request, "assistant"), (at + 1, response, "user"))
    for place, message, _ in pair:
        if not isinstance(message, dict):
            return Fault("not_a_history", f"message {place} is not a message but {type(message).__name__}")
    for place, message, role in pair:
        if message.get("role") != role:
            found = shown(message.get("role"))
            return Fault("not_a_history", f"message {place} has the role {found} where {role!r} is due")
    for place, message, _ in pair:
        if not isinstance(message.get("content"), list):
            return Fault("not_a_history", f"message {place} has no list of blocks as its content")
    return None


def answer_fault(answer: Any, at: int) -> Fault | None:
    """Check message `at`, a model's answer: an assistant's, with text, or with calls that can be carried out.

    A call needs, besides what `call_fault` asks for, a name, and its input as a dict. An answer without a
    UTF-8 JSON form could never be sent again.
    """
    if not isinstance(answer, dict) or answer.get("role") != "assistant":
        return Fault("not_a_history", f"message {at}, the answer, is not an assistant's message")
    try:
        compact_json(answer)
    except Refusal:
        return Fault("not_a_history", f"message {at}, the answer, has no UTF-8 JSON form")
    content = answer.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return Fault("not_a_history", f"message {at}, the answer, has neither text nor blocks as its content")
    for number, block in enumerate(content):
        fault = _answer_block_fault(block, f"message {at}, block {number}")
        if fault:
            return fault
    if any(block["type"] == "tool_use" for block in content):
        return call_fault({"content": content}, at)
    if not any(block["text"].strip() for block in content):
        return Fault("not_a_history", f"message {at}, the answer, has no text and calls no tool")
    return None


def _answer_block_fault(block: Any, place: str) -> Fault | None:
    if not isinstance(block, dict):
        return Fault("not_a_history", f"{place} is not a block but {type(block).__name__}")
    if block.get("type") not in ("text", "tool_use"):
        found = shown(block.get("type"))
        return Fault("unsupported_block", f"{place} has the type {found}; only text and tool_use fit")
    if block["type"] == "text":
        if not isinstance(block.get("text"), str):
            return Fault("not_a_history", f"{place} has a text that is no text")
    elif not isinstance(block.get("name"), str) or not block["name"]:
        return Fault("not_a_history", f"{place} calls a tool with the name {shown(block.get('name'))}")
    elif not isinstance(block.get("input"), dict):
        return Fault("not_a_history", f"{place} has an input that is no dict")
    return None


def call_fault(request: dict[str, Any], at: int) -> Fault | None:
    """Check the blocks of call message `at`: only text and calls, at least one call, each with its own id."""
    calls = []
    for number, block in enumerate(request["content"]):
        place = f"message {at}, block {number}"
        if not isinstance(block, dict):
            return Fault("not_a_history", f"{place} is not a block but {type(block).__name__}")
        if block.get("type") not in ("text", "tool_use"):
            found = shown(block.get("type"))
            return Fault("unsupported_block", f"{place} has the type {found}; only text and tool_use fit")
        if block["type"] == "tool_use":
            calls.append((place, block.get("id")))
    if not calls:
        return Fault("not_a_history", f"message {at} calls no tool, so it opens no exchange")
    seen = set()
    for place, call_id in calls:
        if not isinstance(call_id, str) or not call_id:
            return Fault("mismatch", f"{place} has the id {shown(call_id)}, which no result can name")
        if call_id in seen:
            return Fault("mismatch", f"{place} has the id {shown(call_id)} of an earlier call in it")
        seen.add(call_id)
    return None


def result_fault(response: dict[str, Any], at: int) -> Fault | None:
    """Check the blocks of result message `at`: only results, each with an id, a text and a boolean mark."""
    for number, block in enumerate(response["content"]):
        place = f"message {at}, block {number}"
        if not isinstance(block, dict):
            return Fault("bad_result", f"{place} is not a block but {type(block).__name__}")
        if block.get("type") != "tool_result":
            found = shown(block.get("type"))
            return Fault("unsupported_block", f"{place} has the type {found}; only tool_result fits")
        if not isinstance(block.get("tool_use_id"), str):
            found = shown(block.get("tool_use_id"))
            return Fault("bad_result", f"{place} has the tool_use_id {found}, which is no text")
        if not isinstance(block.get("content"), str):
            return Fault("bad_result", f"{place} has a content that is no text")
        if not isinstance(block.get("is_error", False), bool):
            found = shown(block["is_error"])
            return Fault("bad_result", f"{place} has the is_error {found}, which is no boolean")
    return None


def unpaired(request: dict[str, Any], response: dict[str, Any], at: int) -> str:
    """Say which result of message `at + 1` has no call in message `at`, or which call there has no result.

    Both messages have passed the checks above, and their ids do not pair up.
    """
    called = set(call_ids(request))
    waiting = set(called)
    for number, result_id in enumerate(result_ids(response)):
        place = f"message {at + 1}, block {number}"
        if result_id not in called:
            return f"{place} answers {shown(result_id)}, which message {at} does not call"
        if result_id not in waiting:
            return f"{place} answers {shown(result_id)} a second time"
        waiting.remove(result_id)
    calls = (item for item in enumerate(request["content"]) if item[1]["type"] == "tool_use")
    number, call = next(item for item in calls if item[1]["id"] in waiting)
    return f"message {at}, block {number} calls {shown(call['id'])}, which message {at + 1} does not answer"

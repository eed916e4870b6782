"""The form of a message of the Anthropic Messages API.

Roles, blocks and their fields: https://platform.claude.com/docs/en/api/messages
"""

from collections.abc import Iterator
from typing import Any

from ctxlab.messages.diagnosis.finding import Finding, at_message, at_part
from ctxlab.messages.diagnosis.forms import (
    entry_fault,
    name_findings,
    plain_id_findings,
    role_findings,
    type_finding,
)
from ctxlab.messages.parts import Part, name_in
from ctxlab.messages.shapes import ANTHROPIC_BLOCKS
from ctxlab.messages.view import View
from ctxlab.messages.wording import type_words

ROLES = ("user", "assistant", "system")
# What the SDK defines besides: blocks of server tools (any *_tool_result), and those in beta.
BLOCKS = ANTHROPIC_BLOCKS | {
    "compaction",
    "fallback",
    "mcp_tool_listing",
    "mid_conv_system",
    "text",
    "tool_addition",
    "tool_removal",
}
LONGEST_NAME = 128


def anthropic_form(view: View) -> Iterator[Finding]:
    """Yield what is wrong with roles, contents and blocks."""
    yield from _order_of_roles(view.messages)
    for index, message in enumerate(view.messages):
        if isinstance(message, dict):
            yield from role_findings(index, message, ROLES)
            yield from _content(index, message, final=index == len(view.messages) - 1)
    for part in view.parts:
        if part.block is None:
            continue
        finding = type_finding(part, BLOCKS | {part.type} if part.kind == "result" else BLOCKS)
        if finding is not None:
            yield finding
        else:
            yield from _block(part)
            yield from _sender(part)


def _order_of_roles(messages: list[Any]) -> Iterator[Finding]:
    """The first message is the user's, and a system message stands directly behind one of the user's.

    The API answers 400, "first message must use the "user" role" (lobehub/lobehub#1601). Messages of one role
    in a row are joined, so they are no fault. A history that the provider compacted may begin with its
    summary, in an assistant's message: https://platform.claude.com/docs/en/build-with-claude/compaction.
    System messages are a later addition, and provider-dependent:
    https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
    """
    before = ""
    for index, message in enumerate(messages):
        role = name_in(message, "role")
        if index == 0 and role in ("assistant", "system") and not _is_compacted(message):
            yield at_message(
                "first_message_not_user", 0, f"has the role {role!r}; the first must be the user's"
            )
        elif role == "system" and before == "assistant":
            words = (
                "is a system message behind an assistant's; where it is accepted at all, it follows the user"
            )
            yield at_message("bad_role_order", index, f"{words} (provider-dependent)")
        before = role


def _is_compacted(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(name_in(block, "type") == "compaction" for block in content)


def _content(index: int, message: dict[str, Any], final: bool) -> Iterator[Finding]:
    """Find contents that are neither a text nor a list, or an empty list.

    The API answers 400, "all messages must have non-empty content except for the optional final assistant
    message" (microsoft/autogen#6083).
    """
    content = message.get("content")
    if not isinstance(content, (str, list)):
        yield at_message(
            "wrong_type", index, f"has {type_words(content)} as its content, not a text or a list"
        )
    elif content == [] and not (final and message.get("role") == "assistant"):
        yield at_message("empty_message", index, "has no content")


def _block(part: Part) -> Iterator[Finding]:
    block = part.value
    if part.type == "text" and not isinstance(block.get("text"), str):
        yield at_part("wrong_type", part, f"has {type_words(block.get('text'))} as its text")
    elif part.kind == "call":
        yield from plain_id_findings(part)
        yield from name_findings(part, block.get("name"), None if part.served else LONGEST_NAME)
        if not isinstance(block.get("input"), dict):
            words = f"has {type_words(block.get('input'))} as its input, not an object"
            yield at_part("arguments_not_object", part, words)
    elif part.type == "tool_result":
        yield from _result(part)
    elif part.kind == "thinking":
        yield from _thinking(part)


def _thinking(part: Part) -> Iterator[Finding]:
    """Find thinking without its content, or its signature, by which Anthropic knows it again.

    The API answers 400, "thinking.signature: Field required" (langchain-ai/langchain#29971). Other servers of
    this API do not sign (earendil-works/pi#4588).
    """
    field = "thinking" if part.type == "thinking" else "data"
    if not isinstance(part.value.get(field), str):
        yield at_part("wrong_type", part, f"has {type_words(part.value.get(field))} as its {field}")
    elif field == "thinking" and not name_in(part.value, "signature"):
        words = "is thinking without a signature; whether that is accepted is provider-dependent"
        yield at_part("unsigned_thinking", part, words)


def _result(part: Part) -> Iterator[Finding]:
    """Check a client's result: a text or a list of blocks, and a boolean mark.

    The API answers 400, "content cannot be empty if `is_error` is true" (bytedance/trae-agent#230). Without
    the mark an empty result is accepted, but no empty text in its list (HKUDS/nanobot#949).
    """
    content, mark = part.value.get("content"), part.value.get("is_error")
    if not isinstance(content, (str, list, type(None))):
        yield at_part("wrong_type", part, f"has {type_words(content)} as its content, not a text or a list")
    for number, block in enumerate(content if isinstance(content, list) else []):
        if fault := entry_fault(number, block):
            yield at_part("wrong_type", part, fault)
        elif block["type"] == "text" and block.get("text") == "":
            words = f"has an empty text as entry {number} of its content; a text must not be empty"
            yield at_part("empty_text", part, words)
    if not isinstance(mark, (bool, type(None))):
        yield at_part("wrong_type", part, f"has {type_words(mark)} as its error mark, not a boolean")
    if mark is True and not content:
        yield at_part("empty_error_result", part, "is marked as an error and says nothing")


def _sender(part: Part) -> Iterator[Finding]:
    """Calls, thinking and the results of server tools are the assistant's; a client's results, the user's.

    So are images: 400, "'image' blocks are not permitted within assistant turns"
    (epam/ai-dial-adapter-bedrock#306).
    """
    by_user = (part.kind == "result" and not part.served) or part.type == "image"
    by_assistant = part.kind in ("call", "thinking") or (part.kind == "result" and part.served)
    if (by_user and part.role == "assistant") or (by_assistant and part.role == "user"):
        owner = "user" if by_user else "assistant"
        words = f"is of type {part.type!r} in a message of role {part.role!r}; it belongs to the {owner}"
        yield at_part("block_in_wrong_role", part, words)

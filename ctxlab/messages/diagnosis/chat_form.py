"""The form of a message of OpenAI's Chat Completions.

Roles, contents and calls: https://platform.openai.com/docs/api-reference/chat/create
"""

from collections.abc import Iterator
from typing import Any

from ctxlab.messages.chat_parts import DEPRECATED, FUNCTION_CALL
from ctxlab.messages.diagnosis.finding import Finding, at_message, at_part
from ctxlab.messages.diagnosis.forms import (
    argument_findings,
    entry_fault,
    input_findings,
    long_id_findings,
    name_findings,
    role_findings,
    type_finding,
)
from ctxlab.messages.parts import Part
from ctxlab.messages.view import View
from ctxlab.messages.wording import shown, type_words

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
BLOCKS = {"text", "refusal", "image_url", "input_audio", "file"}
# The API answers 400, "Image URLs are only allowed for messages with role 'user'" (openai/openai-node#1030,
# OpenHands/OpenHands#7700).
IMAGES = "images belong to the user, and whether another role may have them is provider-dependent"
LONGEST_ID = 40
LONGEST_NAME = 64


def chat_form(view: View) -> Iterator[Finding]:
    """Yield what is wrong with roles, contents and calls."""
    for index, message in enumerate(view.messages):
        if isinstance(message, dict):
            yield from role_findings(index, message, ROLES)
            yield from _content(index, message)
            yield from _calls(index, message)
    for part in view.parts:
        if part.kind == "call":
            yield from _call(part)
        elif part.kind != "result" and part.block is not None:
            finding = type_finding(part, BLOCKS)
            if finding is not None:
                yield finding
            elif part.type == "text" and not isinstance(part.value.get("text"), str):
                yield at_part("wrong_type", part, f"has {type_words(part.value.get('text'))} as its text")
            elif part.type == "image_url" and part.role in ROLES and part.role != "user":
                yield at_part("block_in_wrong_role", part, f"is an image of role {part.role!r}; {IMAGES}")


def _content(index: int, message: dict[str, Any]) -> Iterator[Finding]:
    """Find contents of a wrong type. Only an assistant who calls, refuses or speaks aloud may have none.

    The API answers 400, "Invalid value for 'content': expected a string, got null"
    (run-llama/llama_index#17555). An empty text is accepted.
    """
    role, content = message.get("role"), message.get("content")
    if content is None and role == "function":
        return
    if content is None and role == "assistant":
        if not any(message.get(key) for key in ("tool_calls", FUNCTION_CALL, "refusal", "audio")):
            yield at_message("empty_message", index, "has neither content nor calls")
    elif not isinstance(content, (str, list)):
        yield at_message(
            "wrong_type", index, f"has {type_words(content)} as its content, not a text or a list"
        )
    elif content == []:
        yield at_message("empty_message", index, "has an empty list as its content")
    elif role == "tool" and isinstance(content, list):
        for number, block in enumerate(content):
            if fault := entry_fault(number, block):
                yield at_message("wrong_type", index, fault)
            elif block["type"] == "image_url":
                words = f"has an image as entry {number} of its content; {IMAGES}"
                yield at_message("block_in_wrong_role", index, words)


def _calls(index: int, message: dict[str, Any]) -> Iterator[Finding]:
    deprecated = message.get(FUNCTION_CALL)
    if not isinstance(deprecated, (dict, type(None))):
        words = f"has {type_words(deprecated)} as its {FUNCTION_CALL}, not an object"
        yield at_message("wrong_type", index, words)
    calls = message.get("tool_calls")
    if calls is None:
        return
    if not isinstance(calls, list):
        yield at_message("wrong_type", index, f"has {type_words(calls)} as its tool_calls, not a list")
    elif not calls:
        yield at_message("empty_tool_calls", index, "has an empty list of tool_calls, which is not accepted")
    elif message.get("role") in ROLES and message.get("role") != "assistant":
        words = f"has tool_calls and the role {shown(message.get('role'))}; calls belong to the assistant"
        yield at_message("block_in_wrong_role", index, words)


def _call(part: Part) -> Iterator[Finding]:
    call = part.value
    if part.family == DEPRECATED:
        yield from argument_findings(part, call.get("arguments"))
        return
    if not isinstance(call, dict):
        yield at_part("wrong_type", part, f"is {type_words(call)}, not an object")
        return
    # Some servers leave the type of a function call out.
    kind = part.type or "function"
    if kind not in ("function", "custom"):
        yield at_part("unknown_block_type", part, f"is a call of type {shown(kind)}, not of a function")
        return
    called = call.get(kind)
    if not isinstance(called, dict):
        yield at_part("wrong_type", part, f"has {type_words(called)} under {kind!r}, not an object")
        return
    yield from long_id_findings(part, LONGEST_ID)
    yield from name_findings(part, called.get("name"), LONGEST_NAME)
    if kind == "function":
        yield from argument_findings(part, called.get("arguments"))
    else:
        yield from input_findings(part, called.get("input"))

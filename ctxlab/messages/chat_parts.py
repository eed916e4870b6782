"""The parts of a message of OpenAI's Chat Completions.

Source: https://platform.openai.com/docs/api-reference/chat/create. The deprecated function_call has no id:
its name pairs it with the message of role function, and no rule asks for a result.
"""

from collections.abc import Iterator
from typing import Any

from ctxlab.messages.parts import Kind, Part, name_in, plain, usable_id

FUNCTION_CALL = "function_call"
DEPRECATED = "deprecated_function"


def chat_parts(index: int, message: Any) -> Iterator[Part]:
    """Yield the content parts and the calls of message `index`; a tool message is one result."""
    if not isinstance(message, dict):
        return
    role = name_in(message, "role")
    if role == "tool":
        result_id = usable_id(message.get("tool_call_id"))
        yield Part(index, None, "result", "tool", role, result_id, "tool", False, message)
        return
    if role == "function":
        name = usable_id(message.get("name"))
        yield Part(index, None, "result", role, role, name, DEPRECATED, True, message)
        return
    yield from _content_parts(index, role, message.get("content"))
    calls = message.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else []):
        call_id = usable_id(call.get("id")) if isinstance(call, dict) else None
        yield Part(index, number, "call", name_in(call, "type"), role, call_id, "tool", False, call)
    deprecated = message.get(FUNCTION_CALL)
    if isinstance(deprecated, dict):
        name = usable_id(deprecated.get("name"))
        yield Part(index, None, "call", FUNCTION_CALL, role, name, DEPRECATED, True, deprecated)


def _content_parts(index: int, role: str, content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        yield plain(index, None, "text", "text", role, content)
    for number, block in enumerate(content if isinstance(content, list) else []):
        block_type = name_in(block, "type")
        kind: Kind = "text" if block_type in ("text", "refusal") else "other"
        yield plain(index, number, kind, block_type, role, block)

"""What a message says, in any of the three shapes, as the texts that a count reads."""

import json
from collections.abc import Iterator
from typing import Any

from ctxlab.errors import Refusal

# For each type of block (Messages), part or call (Chat Completions) and item (Responses): the fields in which
# it says something.
FIELDS = {
    "text": ("text",),
    "thinking": ("thinking",),
    "tool_use": ("name", "input"),
    "server_tool_use": ("name", "input"),
    "mcp_tool_use": ("name", "input"),
    "tool_result": ("content",),
    "mcp_tool_result": ("content",),
    "search_result": ("source", "title", "content"),
    "refusal": ("refusal",),
    "message": ("content",),
    "input_text": ("text",),
    "output_text": ("text",),
    "reasoning": ("summary", "content"),
    "summary_text": ("text",),
    "reasoning_text": ("text",),
    "function_call": ("name", "arguments"),
    "function_call_output": ("output",),
    "custom_tool_call": ("name", "input"),
    "custom_tool_call_output": ("output",),
    "local_shell_call_output": ("output",),
    "mcp_call": ("name", "arguments", "output"),
}

# The field in which a block of another type, or of none, says something: most that say anything have it.
OTHER_FIELDS = ("text",)

# What a message with a role says, besides the calls of Chat Completions. The last is not OpenAI's: other
# servers of that protocol put the thinking there.
MESSAGE_FIELDS = ("content", "refusal", "reasoning_content")

# A message, the blocks of a result in it, and the texts of a search result in that.
MOST_LEVELS = 4


def spoken(message: Any) -> Iterator[str]:
    """Yield the texts of a message or item: what is said and thought, tool names, arguments and results.

    Reads Anthropic's Messages, OpenAI's Chat Completions and OpenAI's Responses. Anything else, whatever its
    type, says nothing. The input of a call is given as compact JSON; one that has no JSON form, such as one
    that contains itself, is refused (`not_a_history`).
    """
    if not isinstance(message, dict):
        return
    if "role" not in message and "type" in message:
        yield from _block(message, MOST_LEVELS)
        return
    for field in MESSAGE_FIELDS:
        yield from _held(message.get(field), MOST_LEVELS)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            yield from _called(call.get("function"))
            yield from _called(call.get("custom"))
    yield from _called(message.get("function_call"))


def _block(block: dict[str, Any], levels: int) -> Iterator[str]:
    kind = block.get("type")
    if kind == "document":
        source = block.get("source")
        # Of the documents only plain text is here as text.
        if isinstance(source, dict) and source.get("type") == "text" and isinstance(source.get("data"), str):
            yield source["data"]
        return
    for field in FIELDS.get(kind, OTHER_FIELDS) if isinstance(kind, str) else OTHER_FIELDS:
        yield from _held(block.get(field), levels)


def _held(value: Any, levels: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield _json(value)
    elif isinstance(value, list) and levels > 0:
        for item in value:
            if isinstance(item, dict):
                yield from _block(item, levels - 1)


def _called(function: Any) -> Iterator[str]:
    for field in ("name", "arguments", "input") if isinstance(function, dict) else ():
        value = function.get(field)
        if isinstance(value, str):
            yield value
        # Arguments are a text in this API, but other servers of the protocol write the object itself.
        elif isinstance(value, dict | list):
            yield _json(value)


def _json(value: dict[str, Any] | list[Any]) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal("not_a_history", f"the input of a call has no JSON form: {error}") from error

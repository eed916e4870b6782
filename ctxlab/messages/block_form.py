"""Calls, results and texts of any shape, as blocks of the Anthropic Messages API.

What cannot be said there word for word is said as nearly as it can be, and named.
"""

import json
from typing import Any

from ctxlab.messages.openai_chat import UNREADABLE, read_arguments
from ctxlab.messages.parts import Part, name_in, text_of

Block = dict[str, Any]

# What may become of a call or a result. The names are plural: they stand in front of a count.
UNREADABLE_ARGUMENTS = f"arguments that are not a JSON object, given as a text under {UNREADABLE!r}"
TEXT_INPUTS = "inputs of custom tools, given as a text under 'input'"
UNNAMED_CALLS = "calls of a kind without a name, named after the kind"
IMAGES_IN_RESULTS = "images and other blocks in results that are no text, left out"
JOINED_TEXTS = "results of several texts, joined by line ends"
JSON_RESULTS = "results that are no text, given as JSON"
ODD_MARKS = "error marks that are neither true nor false, left out"

# Fields of a Responses item that are no part of what is asked of the tool.
ENVELOPE = {"type", "id", "call_id", "status"}


def text_block(part: Part) -> Block:
    """Return a text as a block. The part has a text."""
    if part.type == "text" and isinstance(part.value, dict):
        return part.value
    return {"type": "text", "text": text_of(part)}


def call_block(part: Part) -> tuple[Block, list[str]]:
    """Return a call that has an id as a block of type tool_use, and what of it is said in other words."""
    value = part.value
    if part.type == "tool_use":
        return value, []
    if part.block is not None:
        # An entry of `tool_calls`: what is called stands under the type.
        value = value.get("custom" if part.type == "custom" else "function")
        value = value if isinstance(value, dict) else {}
    name: Any = value.get("name")
    if part.type in ("custom", "custom_tool_call"):
        given, said = {"input": value.get("input")}, [TEXT_INPUTS]
    elif part.block is not None or part.type == "function_call":
        given, said = _arguments(value.get("arguments"))
    else:
        name = part.type
        given, said = {key: held for key, held in value.items() if key not in ENVELOPE}, [UNNAMED_CALLS]
    return {"type": "tool_use", "id": part.id, "name": name, "input": given}, said


def result_block(part: Part) -> tuple[Block, list[str]]:
    """Return a result that has an id as a block of type tool_result, and what is said in other words."""
    if part.type == "tool_result":
        text, said = _flat(part.value.get("content"))
        block = part.value | {"content": text}
        if not isinstance(block.get("is_error", False), bool):
            del block["is_error"]
            said.append(ODD_MARKS)
        return block, said
    text, said = _flat(part.value.get("content" if part.type == "tool" else "output"))
    return {"type": "tool_result", "tool_use_id": part.id, "content": text}, said


def _arguments(value: Any) -> tuple[Any, list[str]]:
    # Some servers of the protocol give the object itself.
    if isinstance(value, dict):
        return value, []
    if isinstance(value, str):
        read = read_arguments(value)
        return read, [UNREADABLE_ARGUMENTS] if read.get(UNREADABLE) == value else []
    return {UNREADABLE: value}, [UNREADABLE_ARGUMENTS]


def _flat(content: Any) -> tuple[str, list[str]]:
    """Return what a result says as one text."""
    if content is None or isinstance(content, str):
        return content or "", []
    if not isinstance(content, list):
        return json.dumps(content, ensure_ascii=False), [JSON_RESULTS]
    texts = [item if isinstance(item, str) else name_in(item, "text") for item in content]
    worded = [text for text in texts if text]
    said = [JOINED_TEXTS] if len(worded) > 1 else []
    if any(not text and not _is_empty_text(item) for text, item in zip(texts, content, strict=True)):
        said.append(IMAGES_IN_RESULTS)
    return "\n".join(worded), said


def _is_empty_text(item: Any) -> bool:
    return item == "" or (isinstance(item, dict) and item.get("text") == "")

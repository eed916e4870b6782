"""One normalised part of a message, whatever shape the history has.

A part is a content block, one entry of `tool_calls`, or a whole item or message where that is the unit.
"""

from typing import Any, Literal, NamedTuple

Kind = Literal["call", "result", "text", "thinking", "reasoning", "other"]


class Part(NamedTuple):
    """What stands at one place of a history.

    `message` is the index of the message or item. `block` is the index of the content block or of the entry
    in `tool_calls`; None where the whole message or item is the part, or its content is one string. `type` is
    the type as it is written, or "". `id` is the id that pairs a call with its result (for reasoning, its
    own), None where there is no usable one. `family` says which kind of call a result can answer. A part
    that is `served` is written by the provider: the client owes it no result. `value` is the block, entry,
    item or string itself.
    """

    message: int
    block: int | None
    kind: Kind
    type: str
    role: str
    id: str | None
    family: str
    served: bool
    value: Any


def usable_id(value: Any) -> str | None:
    """Return `value` if it can serve as an id, a text that is not empty; else None."""
    return value if isinstance(value, str) and value else None


def name_in(value: Any, key: str) -> str:
    """Return the text under `key` of a dict, or "" where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def plain(
    message: int, block: int | None, kind: Kind, block_type: str, role: str, value: Any, part_id: Any = None
) -> Part:
    """Return a part that is neither a call nor a result."""
    return Part(message, block, kind, block_type, role, usable_id(part_id), "", False, value)


def text_of(part: Part) -> str | None:
    """Return what a part of kind text says, None where its text is missing or no text."""
    if part.kind != "text":
        return None
    text = part.value
    if isinstance(text, dict):
        text = text.get("refusal") if part.type == "refusal" else text.get("text")
    return text if isinstance(text, str) else None

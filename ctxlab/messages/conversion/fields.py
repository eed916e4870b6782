"""Reading the parts of a message that a conversion cannot do without. Anything else is refused."""

from collections.abc import Iterator
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.conversion.leaving import Block, Message, Place
from ctxlab.messages.copying import copied
from ctxlab.messages.wording import shown, type_words


def checked_messages(messages: Any) -> list[tuple[Place, Message]]:
    """Return each message, copied, with its place."""
    if not isinstance(messages, list):
        raise Refusal("not_a_history", f"a history is a list of messages, not {type_words(messages)}")
    for at, message in enumerate(messages):
        if not isinstance(message, dict):
            raise Refusal("not_a_history", f"message {at} is {type_words(message)}, not a dict")
    return [(Place(at), message) for at, message in enumerate(copied(messages))]


def unknown_role(place: Place, message: Message, known: str) -> Refusal:
    """Return the refusal of a message whose role the form does not know."""
    found = shown(message.get("role"))
    return Refusal("not_a_history", f"{place} has the role {found}; the roles of this form are {known}")


def content_blocks(content: Any, place: Place) -> list[tuple[Place, Block]]:
    """Return each content block with its place; a content that is a text is one text block."""
    if isinstance(content, str):
        return [(place.inside(0), {"type": "text", "text": content})]
    return list(_dicts(content, place, "block", "content"))


def calls(value: Any, place: Place) -> list[tuple[Place, Block]]:
    """Return each entry of `tool_calls` with its place."""
    return [] if value is None else list(_dicts(value, place, "call", "tool_calls"))


def _dicts(value: Any, place: Place, kind: str, name: str) -> Iterator[tuple[Place, Block]]:
    if not isinstance(value, list):
        raise Refusal("not_a_history", f"{place}: {name} is {type_words(value)}, not a list")
    for number, item in enumerate(value):
        at = place.inside(number, kind)
        if not isinstance(item, dict):
            raise Refusal("not_a_history", f"{at} is {type_words(item)}, not a dict")
        yield at, item


def text_field(value: dict[str, Any], name: str, place: Place) -> str:
    """Return the field `name`, which must hold a text."""
    held = value.get(name)
    if not isinstance(held, str):
        raise Refusal("not_a_history", f"{place}: {name!r} is {type_words(held)}, not a text")
    return held


def dict_field(value: dict[str, Any], name: str, place: Place) -> dict[str, Any]:
    """Return the field `name`, which must hold a dict."""
    held = value.get(name)
    if not isinstance(held, dict):
        raise Refusal("not_a_history", f"{place}: {name!r} is {type_words(held)}, not a dict")
    return held


def shortest(blocks: list[Block]) -> str | list[Block]:
    """Return the content of a message with these blocks: a single text as such, as both forms allow."""
    if len(blocks) == 1 and blocks[0]["type"] == "text":
        text: str = blocks[0]["text"]
        return text
    return blocks

"""From Anthropic's Messages to OpenAI's Chat Completions.

Sources of the two forms: https://platform.claude.com/docs/en/api/messages and
https://platform.openai.com/docs/api-reference/chat/create
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from ctxlab.messages.conversion.fields import (
    checked_messages,
    content_blocks,
    dict_field,
    shortest,
    text_field,
    unknown_role,
)
from ctxlab.messages.conversion.leaving import Block, Conversion, Leavings, Message, Place
from ctxlab.messages.conversion.media import file_part, image_part
from ctxlab.messages.copying import copied
from ctxlab.messages.openai_chat import ERROR_PREFIX, written_arguments

Placed = list[tuple[Place, Block]]


class Turn(NamedTuple):
    """What one side says at once: its role, its blocks, and the place of its first message."""

    place: Place
    role: str
    blocks: Placed

    def is_calling(self) -> bool:
        """Say whether it is the model's and calls a tool."""
        return self.role == "assistant" and any(block.get("type") == "tool_use" for _, block in self.blocks)


def anthropic_to_chat(messages: Any, system: Any = None) -> Conversion:
    """Return a history of the Messages API, and the request's `system`, as messages for Chat Completions.

    Each result becomes a message of its own, in order. Said in other words, and reported: the error mark of a
    result, as the prefix "Error: "; a text after a call, before it; documents in a result and search results,
    as their text. Left out and reported: thinking, the provider's own tools with their results, images in a
    result, files named by an id, cache marks, citations, and every field or type that is not known here.

    An assistant's messages in a row are joined from the first one with a call on: Anthropic reads them as
    one, and in Chat Completions nothing but its result may follow a call.

    Refuses `not_a_history`, naming the place, where a message, a text, a call or a result has not the shape
    that the form gives it.
    """
    left = Leavings("Chat Completions")
    converted: list[Message] = []
    if system is not None:
        converted.extend(_system(content_blocks(copied(system), Place(None)), left))
    for turn in _turns(messages, left):
        made = list(CONVERTERS[turn.role](turn.blocks, left))
        if not made:
            left.add_message(turn.place)
        converted.extend(made)
    return Conversion(converted, left.in_order())


def _turns(messages: Any, left: Leavings) -> list[Turn]:
    """Return a turn for each message, an assistant's joined to the one before it where that one calls."""
    turns: list[Turn] = []
    for place, message in checked_messages(messages):
        role = message.get("role")
        if not isinstance(role, str) or role not in CONVERTERS:
            raise unknown_role(place, message, "user, assistant and system")
        left.add_fields(place, message, ("role", "content"))
        blocks = content_blocks(message.get("content"), place)
        if role == "assistant" and turns and turns[-1].is_calling():
            turns[-1].blocks.extend(blocks)
        else:
            turns.append(Turn(place, role, blocks))
    return turns


def _system(blocks: Placed, left: Leavings) -> Iterator[Message]:
    parts = list(_texts(blocks, left))
    if parts:
        yield {"role": "system", "content": shortest(parts)}


def _assistant(blocks: Placed, left: Leavings) -> Iterator[Message]:
    parts: list[Block] = []
    calls: list[Block] = []
    for place, block in blocks:
        if block.get("type") == "text":
            parts.append(_text(place, block, left))
            if calls:
                left.add(place, f"a text after a call now stands before it, as {left.other} demand")
        elif block.get("type") == "tool_use":
            calls.append(_call(place, block, left))
        else:
            left.add_block(place, block)
    if parts or calls:
        message: Message = {"role": "assistant", "content": shortest(parts) if parts else None}
        # An empty list of calls is not accepted.
        yield message | {"tool_calls": calls} if calls else message


def _user(blocks: Placed, left: Leavings) -> Iterator[Message]:
    """Yield the results and what stands around them as messages in the order of the blocks."""
    for is_result, run in groupby(blocks, key=lambda placed: placed[1].get("type") == "tool_result"):
        if is_result:
            yield from (_tool(place, block, left) for place, block in run)
            continue
        parts = [part for place, block in run for part in _user_parts(place, block, left)]
        if parts:
            yield {"role": "user", "content": shortest(parts)}


def _user_parts(place: Place, block: Block, left: Leavings) -> list[Block]:
    if block.get("type") == "image":
        image = image_part(block, place, left)
        return [image] if image else []
    file = file_part(block, place, left) if block.get("type") == "document" else None
    return [file] if file else list(_texts([(place, block)], left))


def _tool(place: Place, block: Block, left: Leavings) -> Message:
    left.add_fields(place, block, ("type", "tool_use_id", "content", "is_error"))
    content = block.get("content")
    parts = [] if content is None else list(_texts(content_blocks(content, place), left))
    if block.get("is_error"):
        left.add(place, f"the error mark becomes the prefix {ERROR_PREFIX!r}; {left.other} have no such mark")
        parts[:1] = [{"type": "text", "text": ERROR_PREFIX + (parts[0]["text"] if parts else "")}]
    tool_call_id = text_field(block, "tool_use_id", place)
    return {"role": "tool", "tool_call_id": tool_call_id, "content": shortest(parts) if parts else ""}


def _texts(blocks: Placed, left: Leavings) -> Iterator[Block]:
    """Yield text parts, for the messages that can hold nothing else."""
    for place, block in blocks:
        if block.get("type") == "text":
            yield _text(place, block, left)
        else:
            yield from _said(place, block, left)


def _said(place: Place, block: Block, left: Leavings) -> list[Block]:
    """Return the words of a block that Chat Completions have no form for, as text parts; note the loss."""
    words = list(_words(block))
    if words:
        left.add(
            place, f"of a block of type {block['type']!r} only the text is kept; {left.other} have none there"
        )
    else:
        left.add_block(place, block)
    return [{"type": "text", "text": text} for text in words]


def _words(block: Block) -> Iterator[str]:
    held: Any = None
    source = block.get("source")
    if block.get("type") == "search_result":
        held = block.get("content")
    elif block.get("type") == "document" and isinstance(source, dict):
        held = source.get({"text": "data", "content": "content"}.get(str(source.get("type")), ""))
    if isinstance(held, str):
        yield held
    for inner in held if isinstance(held, list) else []:
        if isinstance(inner, dict) and inner.get("type") == "text" and isinstance(inner.get("text"), str):
            yield inner["text"]


def _text(place: Place, block: Block, left: Leavings) -> Block:
    left.add_fields(place, block, ("type", "text"))
    return {"type": "text", "text": text_field(block, "text", place)}


def _call(place: Place, block: Block, left: Leavings) -> Block:
    left.add_fields(place, block, ("type", "id", "name", "input"))
    arguments = written_arguments(dict_field(block, "input", place), str(place))
    function = {"name": text_field(block, "name", place), "arguments": arguments}
    return {"id": text_field(block, "id", place), "type": "function", "function": function}


CONVERTERS: dict[str, Callable[[Placed, Leavings], Iterator[Message]]] = {
    "assistant": _assistant,
    "system": _system,
    "user": _user,
}

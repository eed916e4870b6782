"""From OpenAI's Chat Completions to Anthropic's Messages.

Sources of the two forms: https://platform.openai.com/docs/api-reference/chat/create and
https://platform.claude.com/docs/en/api/messages
"""

from collections.abc import Iterator
from typing import Any

from ctxlab.messages.conversion.fields import (
    calls,
    checked_messages,
    content_blocks,
    dict_field,
    shortest,
    text_field,
    unknown_role,
)
from ctxlab.messages.conversion.leaving import Block, Conversion, Leavings, Message, Place
from ctxlab.messages.conversion.media import document_block, image_block
from ctxlab.messages.openai_chat import UNREADABLE, read_arguments

ROLES = "system, developer, user, assistant and tool"


def chat_to_anthropic(messages: Any) -> Conversion:
    """Return the messages of a Chat Completions request as a history of the Messages API.

    Leading system and developer messages become `system`. Later ones stay in their place with the role
    system, joined where several follow each other. Only newer models accept that, and only between a user's
    message and an assistant's or the end; another place is reported
    (https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages). Tool messages in
    a row become one user message, and what the user says right after them joins it, since results must lead
    the message after their calls.

    Said in other words, and reported: a developer's message, as a system one; a refusal, as a text; a call of
    a custom tool, as one with the input {"input": its text}; arguments that are not a JSON object, as the
    input {"unreadable_arguments": their text}. Left out and reported: audio, files named by an id, names of
    participants, the older function_call with its function message, and every field or type that is not known
    here.

    Refuses `not_a_history`, naming the place, where a message, a text, a call or a result has not the shape
    that the form gives it.
    """
    left = Leavings("Anthropic's Messages")
    system: list[Block] = []
    converted: list[Message] = []
    # The blocks of the newest message while it holds results alone.
    results: list[Block] | None = None
    # Where each later system message came from, by its index among the converted ones.
    later: dict[int, Place] = {}
    for place, message in checked_messages(messages):
        role = message.get("role")
        if role == "tool":
            if results is None:
                results = []
                converted.append({"role": "user", "content": results})
            results.append(_result(place, message, left))
            continue
        blocks = _blocks(place, message, left)
        if not blocks:
            left.add_message(place)
        elif role in ("system", "developer"):
            if not converted:
                system.extend(blocks)
            elif converted[-1]["role"] == "system":
                converted[-1]["content"].extend(blocks)
            else:
                later[len(converted)] = place
                converted.append({"role": "system", "content": blocks})
        elif role == "user" and results is not None:
            results.extend(blocks)
        else:
            converted.append({"role": role, "content": blocks})
        results = None
    _note_misplaced(later, converted, left)
    shortened = [message | {"content": shortest(message["content"])} for message in converted]
    return Conversion(shortened, left.in_order(), shortest(system) if system else None)


def _note_misplaced(later: dict[int, Place], converted: list[Message], left: Leavings) -> None:
    for index, place in later.items():
        before, after = converted[index - 1], converted[index + 1 : index + 2]
        if before["role"] != "user" or (after and after[0]["role"] != "assistant"):
            left.add(place, f"a system message has no such place in {left.other}, and is kept all the same")


def _blocks(place: Place, message: Message, left: Leavings) -> list[Block]:
    """Return what any message but a tool's says, as blocks."""
    role = message.get("role")
    if role == "function":
        return []
    if role == "assistant":
        return _assistant(place, message, left)
    if role not in ("system", "developer", "user"):
        raise unknown_role(place, message, ROLES)
    left.add_fields(place, message, ("role", "content"))
    if role == "developer":
        left.add(place, f"the role 'developer' becomes 'system'; {left.other} have no such role")
    parts = content_blocks(message.get("content"), place)
    if role == "user":
        return [block for at, part in parts for block in _user_block(at, part, left)]
    return list(_texts(parts, left))


def _assistant(place: Place, message: Message, left: Leavings) -> list[Block]:
    left.add_fields(place, message, ("role", "content", "refusal", "tool_calls"))
    content = message.get("content")
    # Both stand for an answer without a text.
    silent = content is None or content == ""
    blocks = [] if silent else list(_texts(content_blocks(content, place), left))
    if message.get("refusal"):
        blocks.append(_refusal(place, message, left))
    for at, call in calls(message.get("tool_calls"), place):
        blocks.extend(_call(at, call, left))
    return blocks


def _user_block(place: Place, part: Block, left: Leavings) -> list[Block]:
    block: Block | None = None
    if part.get("type") == "image_url":
        block = image_block(part, place, left)
    elif part.get("type") == "file":
        block = document_block(part, place, left)
    else:
        return list(_texts([(place, part)], left))
    return [block] if block else []


def _texts(parts: list[tuple[Place, Block]], left: Leavings) -> Iterator[Block]:
    for place, part in parts:
        if part.get("type") == "text":
            left.add_fields(place, part, ("type", "text"))
            yield {"type": "text", "text": text_field(part, "text", place)}
        elif part.get("type") == "refusal":
            left.add_fields(place, part, ("type", "refusal"))
            yield _refusal(place, part, left)
        else:
            left.add_block(place, part)


def _refusal(place: Place, value: dict[str, Any], left: Leavings) -> Block:
    left.add(place, f"a refusal becomes a text; {left.other} have no mark for one")
    return {"type": "text", "text": text_field(value, "refusal", place)}


def _result(place: Place, message: Message, left: Leavings) -> Block:
    left.add_fields(place, message, ("role", "content", "tool_call_id"))
    parts = list(_texts(content_blocks(message.get("content"), place), left))
    tool_use_id = text_field(message, "tool_call_id", place)
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": shortest(parts) if parts else ""}


def _call(place: Place, call: Block, left: Leavings) -> Iterator[Block]:
    kind = call.get("type", "function")
    if kind not in ("function", "custom"):
        left.add_block(place, call)
        return
    left.add_fields(place, call, ("id", "type", kind))
    called = dict_field(call, kind, place)
    if kind == "custom":
        left.add_fields(place, called, ("name", "input"))
        left.add(place, f"a call of a custom tool gets its text as 'input'; {left.other} have no such tools")
        arguments: dict[str, Any] = {"input": text_field(called, "input", place)}
    else:
        left.add_fields(place, called, ("name", "arguments"))
        text = text_field(called, "arguments", place)
        arguments = read_arguments(text)
        if arguments.get(UNREADABLE) == text:
            left.add(place, f"arguments that are not a JSON object stand as a text under {UNREADABLE!r}")
    call_id, name = text_field(call, "id", place), text_field(called, "name", place)
    yield {"type": "tool_use", "id": call_id, "name": name, "input": arguments}

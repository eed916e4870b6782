"""From the items of OpenAI's Responses to OpenAI's Chat Completions.

Sources of the two forms: https://platform.openai.com/docs/api-reference/responses/create and
https://platform.openai.com/docs/api-reference/chat/create
"""

from collections.abc import Iterator
from typing import Any

from ctxlab.messages.conversion.fields import (
    checked_messages,
    content_blocks,
    shortest,
    text_field,
    unknown_role,
)
from ctxlab.messages.conversion.leaving import Block, Conversion, Leavings, Message, Place

ROLES = ("system", "developer", "user", "assistant")
# Text, as the two sides write it. The plain name is in some logs.
TEXTS = ("input_text", "output_text", "text")
CALLS = ("function_call", "custom_tool_call")
OUTPUTS = ("function_call_output", "custom_tool_call_output")
# How the provider keeps its own books on an item. It says nothing to the model.
BOOKS = ("type", "id", "status")

# A message, and after one with calls their results.
Group = list[Message]


def responses_to_chat(items: Any, instructions: Any = None) -> Conversion:
    """Return the items of a Responses request, and its `instructions`, as messages for Chat Completions.

    What the model says and calls in a row becomes one message of the assistant, for the results must follow
    right behind it. Said in other words, and reported: a text after a call, before it; a result that stands
    further on, behind its call. Left out and reported: reasoning, OpenAI's own tools, shells, computers and
    compactions with their outputs, images and files that are named by an id, annotations of texts, and every
    field or type that is not known here. The ids and states of items are not in Chat, and are not reported.

    Refuses `not_a_history`, naming the place, where a message, a text, a call or a result has not the shape
    that the form gives it.
    """
    made = _Groups(Leavings("Chat Completions"))
    if instructions is not None:
        made.add_message(Place(None), {"role": "system", "content": instructions})
    for place, item in checked_messages(items):
        kind = item.get("type") or ("message" if "role" in item else None)
        if kind == "message":
            made.add_message(place, item)
        elif kind in CALLS:
            made.add_call(place, item)
        elif kind in OUTPUTS:
            made.add_output(place, item)
        else:
            made.left.add_block(place, item)
    return Conversion([message for group in made.groups for message in group], made.left.in_order())


class _Groups:
    """The messages so far, each with its results behind it."""

    def __init__(self, left: Leavings) -> None:
        self.left = left
        self.groups: list[Group] = []
        # The group that holds the call with this id.
        self._calling: dict[str, Group] = {}

    def add_message(self, place: Place, item: Message) -> None:
        role = item.get("role")
        if role not in ROLES:
            raise unknown_role(place, item, f"{', '.join(ROLES[:-1])} and {ROLES[-1]}")
        self.left.add_fields(place, item, (*BOOKS, "role", "content"))
        parts = list(_parts(role, content_blocks(item.get("content"), place), self.left))
        if not parts:
            self.left.add_message(place)
            return
        speaking = self._speaking()
        if role != "assistant" or speaking is None or not speaking.get("tool_calls"):
            self.groups.append([{"role": role, "content": shortest(parts)}])
            return
        self.left.add(place, f"a text after a call now stands before it, as {self.left.other} demand")
        speaking["content"] = shortest([*_as_parts(speaking["content"]), *parts])

    def add_call(self, place: Place, item: Message) -> None:
        call = _call(place, item, self.left)
        speaking = self._speaking()
        if speaking is None:
            speaking = {"role": "assistant", "content": None}
            self.groups.append([speaking])
        speaking.setdefault("tool_calls", []).append(call)
        self._calling[call["id"]] = self.groups[-1]

    def add_output(self, place: Place, item: Message) -> None:
        self.left.add_fields(place, item, (*BOOKS, "call_id", "output"))
        call_id = text_field(item, "call_id", place)
        parts = list(_parts("tool", content_blocks(item.get("output"), place), self.left))
        result = {"role": "tool", "tool_call_id": call_id, "content": shortest(parts) if parts else ""}
        group = self._calling.get(call_id)
        if group is None:
            # Its call is not there: a fault of the history, which it keeps.
            self.groups.append([result])
            return
        if group is not self.groups[-1]:
            self.left.add(place, f"the result now stands behind its call, as {self.left.other} demand")
        group.append(result)

    def _speaking(self) -> Message | None:
        """Return the assistant's message at the end, if no result has followed it yet."""
        last = self.groups[-1] if self.groups else []
        return last[0] if len(last) == 1 and last[0]["role"] == "assistant" else None


def _as_parts(content: Any) -> list[Block]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content or []


def _parts(role: str, blocks: list[tuple[Place, Block]], left: Leavings) -> Iterator[Block]:
    for place, block in blocks:
        kind = block.get("type")
        if kind in TEXTS:
            # Empty lists of annotations and probabilities stand in most answers.
            left.add_fields(place, block, ("type", "text"))
            yield {"type": "text", "text": text_field(block, "text", place)}
        elif kind == "refusal" and role == "assistant":
            left.add_fields(place, block, ("type", "refusal"))
            yield {"type": "refusal", "refusal": text_field(block, "refusal", place)}
        elif kind == "input_image" and role == "user" and isinstance(block.get("image_url"), str):
            left.add_fields(place, block, ("type", "image_url", "detail"))
            detail = {"detail": block["detail"]} if isinstance(block.get("detail"), str) else {}
            yield {"type": "image_url", "image_url": {"url": block["image_url"]} | detail}
        elif kind == "input_file" and role == "user" and isinstance(block.get("file_data"), str):
            left.add_fields(place, block, ("type", "filename", "file_data"))
            yield {
                "type": "file",
                "file": {key: block[key] for key in ("filename", "file_data") if key in block},
            }
        else:
            left.add_block(place, block)


def _call(place: Place, item: Message, left: Leavings) -> Block:
    kind, said = ("custom", "input") if item["type"] == "custom_tool_call" else ("function", "arguments")
    left.add_fields(place, item, (*BOOKS, "call_id", "name", said))
    called = {"name": text_field(item, "name", place), said: text_field(item, said, place)}
    return {"id": text_field(item, "call_id", place), "type": kind, kind: called}

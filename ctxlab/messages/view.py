"""A normalised look at a history in any of the three shapes, taken in one pass. Nothing here raises on a JSON
value: what cannot be read has no parts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ctxlab.messages.anthropic_parts import anthropic_parts
from ctxlab.messages.chat_parts import chat_parts
from ctxlab.messages.parts import Part
from ctxlab.messages.responses_parts import responses_parts
from ctxlab.messages.shapes import Api

READERS: dict[Api, Callable[[int, Any], Iterator[Part]]] = {
    "anthropic-messages": anthropic_parts,
    "openai-chat": chat_parts,
    "openai-responses": responses_parts,
}

INPUT_ROLES = {"developer", "system", "user"}
# Items of the Responses API that a client writes, besides messages and outputs.
CLIENT_ITEMS = {
    "additional_tools",
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "context_compaction",
    "mcp_approval_response",
}


@dataclass(frozen=True)
class View:
    """A history with its parts, in order, and the model's turn that each message belongs to.

    `turns[index]` is (start, stop). A message of the two older APIs is a turn of its own. In the Responses
    API one answer of the model is several items in a row; `start` is the first reasoning item or call among
    them up to `index`, or `index` itself where there is none.
    """

    messages: list[Any]
    api: Api
    parts: list[Part]
    turns: list[tuple[int, int]]


def view_of(messages: Any, api: Api) -> View:
    """Return the view of a history in the shape `api`. Anything but a list is a history without messages."""
    listed = messages if isinstance(messages, list) else []
    read = READERS[api]
    parts = [part for index, message in enumerate(listed) for part in read(index, message)]
    if api == "openai-responses":
        return View(listed, api, parts, _turns(listed, parts))
    return View(listed, api, parts, [(index, index + 1) for index in range(len(listed))])


def _turns(items: list[Any], parts: list[Part]) -> list[tuple[int, int]]:
    opening = {part.message for part in parts if part.kind in ("call", "reasoning")}
    results = {part.message for part in parts if part.kind == "result" and not part.served}
    models = [index not in results and by_model(item) for index, item in enumerate(items)]
    stops = [0] * len(items)
    stop = 0
    for index in reversed(range(len(items))):
        if not (models[index] and index + 1 < len(items) and models[index + 1]):
            stop = index + 1
        stops[index] = stop
    turns = []
    start: int | None = None
    for index in range(len(items)):
        if not models[index]:
            start = None
        elif start is None and index in opening:
            start = index
        turns.append((index if start is None else start, stops[index]))
    return turns


def by_model(item: Any) -> bool:
    """Say whether an item of the Responses API is written by the model, where it is no output of a call."""
    if not isinstance(item, dict):
        return False
    role, item_type = item.get("role"), item.get("type")
    if isinstance(role, str):
        return role not in INPUT_ROLES
    return not (isinstance(item_type, str) and item_type in CLIENT_ITEMS)

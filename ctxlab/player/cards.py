"""What the player shows of each message: one card per message, in any of the three shapes."""

from collections.abc import Iterator
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.counting import TokenCounter
from ctxlab.messages.links import Links, links_of
from ctxlab.messages.shapes import Api, shape_of, sign_of
from ctxlab.messages.texts import texts
from ctxlab.tracer.histories import message_bytes
from ctxlab.tracer.traces import Trace
from ctxlab.tracer.values import message_value

PREVIEW_CHARS = 200
FIGURES = ("chars", "bytes", "tokens")
# The fields in which a message, a block, a call or an item says something, in the order of a preview.
SPOKEN = (
    "text",
    "thinking",
    "reasoning_content",
    "summary",
    "content",
    "refusal",
    "tool_calls",
    "function_call",
    "function",
    "custom",
    "name",
    "arguments",
    "input",
    "action",
    "operation",
    "output",
    "stdout",
    "stderr",
)
# What a call is given is any JSON, so every text in it counts.
ANY_JSON = ("arguments", "input", "action", "operation")
# The message, a list of blocks, a block with a result, its blocks, and the texts of a search result in one.
MOST_LEVELS = 8
# Counting tokens takes about a second for this many bytes; larger histories are shown in bytes only.
MOST_COUNTED_BYTES = 2_000_000


def cards(trace: Trace) -> tuple[list[dict[str, Any]], str]:
    """Return a card for each message in the trace's pool, and the encoding of their tokens."""
    return cards_of([message_value(nested, trace.data["strings"]) for nested in trace.data["messages"]])


def cards_of(messages: list[Any], api: Api | None = None) -> tuple[list[dict[str, Any]], str]:
    """Return a card for each message, and the encoding in which its tokens are counted.

    `api` is the shape in which all are read. With None each is read in the shape that it gives away, or else
    in that of most: a run may have turned messages of one shape into another.

    A card holds role ("no role" where none is named), kind ("call", "result", "reasoning", "text" or
    "other"), ids, calls, results, served and in_turn (see Links), error, chars, bytes, preview and tokens
    (None when not counted; when none is, the encoding is ""). No JSON value makes this raise.
    """
    common = shape_of(messages, api)
    shapes = [api or sign_of(message) or common for message in messages]
    sizes = [message_bytes(message) for message in messages]
    counter = TokenCounter() if sum(sizes) <= MOST_COUNTED_BYTES else None
    rows = zip(messages, shapes, sizes, strict=True)
    made = [_card(message, shape, size, counter) for message, shape, size in rows]
    return made, counter.encoding if counter else ""


def with_figures_of(measured: list[dict[str, Any]], shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cards of masked messages, with the sizes that the messages really have."""
    return [
        {**card, **{figure: real[figure] for figure in FIGURES}}
        for card, real in zip(shown, measured, strict=True)
    ]


def _card(message: Any, api: Api, size: int, counter: TokenCounter | None) -> dict[str, Any]:
    links = links_of(message, api)
    said = [text for text in _said(message) if text]
    return {
        "role": links.role or "no role",
        "kind": _kind(links, said),
        "ids": list(links.ids),
        "calls": list(links.calls),
        "results": list(links.results),
        "served": list(links.served),
        "in_turn": links.in_turn,
        "error": any(_is_error(part.value) for part in links.parts),
        "chars": sum(map(len, said)),
        "bytes": size,
        "tokens": _tokens(message, counter),
        "preview": " ".join(said)[:PREVIEW_CHARS],
    }


def _said(value: Any, levels: int = MOST_LEVELS) -> Iterator[str]:
    """Yield what a message says: texts, thinking, and names, inputs and contents of calls and results."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and levels > 0:
        for item in value:
            yield from _said(item, levels - 1)
    elif isinstance(value, dict) and levels > 0:
        for field in SPOKEN:
            found = value.get(field)
            yield from texts(found) if field in ANY_JSON else _said(found, levels - 1)


def _kind(links: Links, said: list[str]) -> str:
    kinds = {part.kind for part in links.parts}
    for kind in ("call", "result", "reasoning"):
        if kind in kinds:
            return kind
    return "text" if said else "other"


def _is_error(value: Any) -> bool:
    """Say whether a result tells that the tool failed."""
    return isinstance(value, dict) and (value.get("is_error") is True or value.get("status") == "failed")


def _tokens(message: Any, counter: TokenCounter | None) -> int | None:
    try:
        return counter.count_message(message) if counter else None
    except Refusal:  # the input of a call has no JSON form
        return None

"""What the player shows of each message: one card per message of the pool."""

from typing import Any

from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.counting import TokenCounter
from ctxlab.messages.texts import texts
from ctxlab.tracer.histories import message_bytes
from ctxlab.tracer.traces import Trace
from ctxlab.tracer.values import message_value

PREVIEW_CHARS = 200
# Counting tokens takes about a second for this many bytes; larger histories are shown in bytes only.
MOST_COUNTED_BYTES = 2_000_000


def cards(trace: Trace) -> tuple[list[dict[str, Any]], str]:
    """Return a card for each message in the trace's pool, and the encoding in which its tokens are counted.

    A card holds role, kind ("text", "call", "result" or "other"), ids, calls, results, error, chars, bytes, tokens (None
    when not counted, and then the encoding is "") and preview.
    """
    values = [message_value(nested, trace.data["strings"]) for nested in trace.data["messages"]]
    sizes = [message_bytes(value) for value in values]
    counter = TokenCounter() if sum(sizes) <= MOST_COUNTED_BYTES else None
    made = [_card(value, size, counter) for value, size in zip(values, sizes, strict=True)]
    return made, counter.encoding if counter else ""


def _card(value: Any, size: int, counter: TokenCounter | None) -> dict[str, Any]:
    calls, results = call_ids(value), result_ids(value)
    content = value.get("content")
    said = list(texts(content)) if isinstance(content, str) else _said(content)
    return {
        "role": str(value.get("role")),
        "kind": _kind(content, calls, results),
        "ids": [*calls, *results],
        "calls": calls,
        "results": results,
        "error": isinstance(content, list) and any(isinstance(b, dict) and b.get("is_error") is True for b in content),
        "chars": sum(map(len, said)),
        "bytes": size,
        "tokens": counter.count_message(value) if counter else None,
        "preview": " ".join(said)[:PREVIEW_CHARS],
    }


def _said(content: Any) -> list[str]:
    """Return what the blocks of a message say: texts, results, and the input of calls."""
    if not isinstance(content, list):
        return list(texts(content))
    said: list[str] = []
    for block in content:
        if isinstance(block, dict):
            said.extend(texts([block.get("text"), block.get("name"), block.get("input"), block.get("content")]))
    return said


def _kind(content: Any, calls: list[str], results: list[str]) -> str:
    if calls or results:
        return "call" if calls else "result"
    return "text" if any(True for _ in texts(content)) else "other"

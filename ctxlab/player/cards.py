"""What the player shows of each message: one card per message of the pool."""

from typing import Any

from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.counting import TokenCounter
from ctxlab.messages.texts import texts
from ctxlab.tracer.histories import message_bytes
from ctxlab.tracer.traces import Trace
from ctxlab.tracer.values import message_value

PREVIEW_CHARS = 200
SPOKEN = ("text", "thinking", "name", "input", "content")
# Counting tokens takes about a second for this many bytes; larger histories are shown in bytes only.
MOST_COUNTED_BYTES = 2_000_000


def cards(trace: Trace) -> tuple[list[dict[str, Any]], str]:
    """Return a card for each message in the trace's pool, and the encoding in which its tokens are counted.

    A card holds role, kind ("text", "call", "result" or "other"), ids, calls, results, error, chars, bytes,
    preview and tokens (None when not counted; then the encoding is "").
    """
    values = [message_value(nested, trace.data["strings"]) for nested in trace.data["messages"]]
    sizes = [message_bytes(value) for value in values]
    counter = TokenCounter() if sum(sizes) <= MOST_COUNTED_BYTES else None
    made = [_card(value, size, counter) for value, size in zip(values, sizes, strict=True)]
    return made, counter.encoding if counter else ""


def _card(value: Any, size: int, counter: TokenCounter | None) -> dict[str, Any]:
    calls, results = call_ids(value), result_ids(value)
    content = value.get("content")
    said = _said(content)
    return {
        "role": str(value.get("role")),
        "kind": _kind(content, calls, results),
        "ids": [*calls, *results],
        "calls": calls,
        "results": results,
        "error": isinstance(content, list)
        and any(isinstance(b, dict) and b.get("is_error") is True for b in content),
        "chars": sum(map(len, said)),
        "bytes": size,
        "tokens": counter.count_message(value) if counter else None,
        "preview": " ".join(said)[:PREVIEW_CHARS],
    }


def _said(content: Any) -> list[str]:
    """Return what a message says: texts, thinking, and names, inputs and contents of calls and results."""
    said: list[str] = []
    for block in content if isinstance(content, list) else [content]:
        said.extend(texts([block.get(key) for key in SPOKEN] if isinstance(block, dict) else block))
    return said


def _kind(content: Any, calls: list[str], results: list[str]) -> str:
    if calls or results:
        return "call" if calls else "result"
    return "text" if any(True for _ in texts(content)) else "other"

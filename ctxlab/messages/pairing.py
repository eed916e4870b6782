"""Which call is answered by which result, and so where a history may be cut.

The block form of the Anthropic Messages API is read: a message is a dict whose `content` is a list of blocks.
A call is a block of type tool_use with an `id`, a result one of type tool_result with a `tool_use_id`.
Anything else, whatever its type, counts as a message without calls and results, so these functions never
raise on a JSON value.

A result answers the nearest call with its id that stands before it, in an earlier message or earlier in its
own. A result without such a call is an orphan: it belongs to no exchange and forbids no cut. Roles are not
looked at.
"""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any


def exchanges(messages: Any) -> list[tuple[int, int]]:
    """Return (start, stop) for each message with calls, in order: `messages[start:stop]` is its exchange.

    `start` is the message with the calls; `stop` is one past the last message that holds a result of one of
    them. So a finished exchange is usually (n, n + 2), one whose results came in two messages is longer, and
    an open one ends at its last result so far, or is (n, n + 1) when it has none. Whatever stands between a
    call and its last result is inside the range, another exchange too: then two ranges overlap.
    """
    stops: dict[int, int] = {}
    caller: dict[str, int] = {}
    for index, block in _blocks(messages):
        if block.get("type") == "tool_use":
            stops.setdefault(index, index + 1)
            if isinstance(block.get("id"), str):
                caller[block["id"]] = index
        elif block.get("type") == "tool_result" and isinstance(block.get("tool_use_id"), str):
            start = caller.get(block["tool_use_id"])
            if start is not None:
                stops[start] = index + 1
    return list(stops.items())


def legal_cuts(messages: Any) -> list[int]:
    """Return every index, 0 and len(messages) included, before which a cut separates no call from its result.

    An open call has no result yet, so a cut after it separates nothing; whether an open exchange may be cut
    off is for the caller to say. Anything but a list has no index to cut at: [].
    """
    if not isinstance(messages, list):
        return []
    # +1 where an exchange begins to forbid cuts, -1 where it stops: a running sum of 0 means that none does.
    changes = [0] * (len(messages) + 1)
    for start, stop in exchanges(messages):
        changes[start + 1] += 1
        changes[stop] -= 1
    return [index for index, forbidding in enumerate(accumulate(changes)) if forbidding == 0]


def _blocks(messages: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (message index, block) for each block that is a dict."""
    for index, message in enumerate(messages if isinstance(messages, list) else []):
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else []:
            if isinstance(block, dict):
                yield index, block

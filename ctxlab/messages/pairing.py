"""Which call is answered by which result, and so where a history may be cut.

All three shapes are read. Anything else, whatever its type, counts as a message without calls and results, so
these functions never raise on a JSON value.

A result answers the nearest call with its id that stands before it, in an earlier message or earlier in its
own. A result without such a call is an orphan: it belongs to no exchange and forbids no cut. Roles are not
looked at.
"""

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

from ctxlab.messages.parts import Part
from ctxlab.messages.shapes import Api, shape_of
from ctxlab.messages.view import View, view_of


@dataclass
class Call:
    """A call with what answers it. `earlier` is the first call with its id before it.

    `twins` are later calls with the same id in the same turn; no result can tell them from this one.
    """

    part: Part
    earlier: Part | None
    results: list[Part] = field(default_factory=list)
    twins: list[Part] = field(default_factory=list)


class Pairs(NamedTuple):
    """The calls in order, those without an id too, and the results that answer none of them."""

    calls: list[Call]
    orphans: list[Part]


def pair_up(view: View) -> Pairs:
    """Return the calls and orphans of a history, in one pass."""
    pairs = Pairs([], [])
    first: dict[str, Part] = {}
    nearest: dict[str, Call] = {}
    for part in view.parts:
        if part.kind == "call":
            call = nearest.get(part.id) if part.id is not None else None
            if call is not None and view.turns[call.part.message] == view.turns[part.message]:
                call.twins.append(part)
                continue
            call = Call(part, first.get(part.id) if part.id is not None else None)
            pairs.calls.append(call)
            if part.id is not None:
                first.setdefault(part.id, part)
                nearest[part.id] = call
        elif part.kind == "result":
            call = nearest.get(part.id) if part.id is not None else None
            if call is None:
                pairs.orphans.append(part)
            else:
                call.results.append(part)
    return pairs


def answers(result: Part, call: Part) -> bool:
    """Say whether `result` is of the kind that answers `call`.

    Codex answers a local shell call with the output of a function:
    https://github.com/openai/codex/blob/main/codex-rs/core/src/context_manager/normalize.rs
    """
    return result.family == call.family or (result.type, call.type) == (
        "function_call_output",
        "local_shell_call",
    )


def exchanges(messages: Any, api: Api | None = None) -> list[tuple[int, int]]:
    """Return (start, stop) for each turn of the model with calls, in order: `messages[start:stop]` is its
    exchange.

    `start` is the message with the calls; in the Responses API, the first reasoning item or call of the turn.
    `stop` is one past the last message that holds a result of one of them. So a finished exchange is usually
    (n, n + 2), one whose results came in two messages is longer, and an open one ends at its last result so
    far, or is (n, n + 1) when it has none. Whatever stands between a call and its last result is inside the
    range, another exchange too: then two ranges overlap. A call that the provider runs itself opens an
    exchange only where its result is in a later message.
    """
    view = view_of(messages, shape_of(messages, api))
    return _exchanges(view, pair_up(view))


def legal_cuts(messages: Any, api: Api | None = None) -> list[int]:
    """Return every index, 0 and len(messages) included, before which a cut separates no call from its result.

    An open call has no result yet, so a cut after it separates nothing; whether an open exchange may be cut
    off is for the caller to say. In the Responses API no cut separates a reasoning item from the rest of its
    turn either. Anything but a list has no index to cut at: [].
    """
    if not isinstance(messages, list):
        return []
    view = view_of(messages, shape_of(messages, api))
    return cuts_of(view, pair_up(view))


def cuts_of(view: View, pairs: Pairs) -> list[int]:
    """Return what `legal_cuts` says of a history that has been looked at already."""
    reasoning = [view.turns[part.message] for part in view.parts if part.kind == "reasoning"]
    # +1 where a range begins to forbid cuts, -1 where it stops: a running sum of 0 means that none does.
    changes = [0] * (len(view.messages) + 1)
    for start, stop in _exchanges(view, pairs) + reasoning:
        changes[start + 1] += 1
        changes[stop] -= 1
    return [index for index, forbidding in enumerate(accumulate(changes)) if forbidding == 0]


def _exchanges(view: View, pairs: Pairs) -> list[tuple[int, int]]:
    stops: dict[int, int] = {}
    for call in pairs.calls:
        start = view.turns[call.part.message][0]
        stop = max(part.message + 1 for part in (call.part, *call.results, *call.twins))
        if not call.part.served or stop > call.part.message + 1:
            stops[start] = max(stop, stops.get(start, 0))
    return sorted(stops.items())

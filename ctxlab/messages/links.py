"""One message by itself, in any of the three shapes: who wrote it, and the ids that tie it to others.

Nothing here raises on a JSON value: what has no ids has empty lists.
"""

from dataclasses import dataclass
from typing import Any

from ctxlab.messages.parts import Part, name_in
from ctxlab.messages.shapes import Api, sign_of
from ctxlab.messages.view import CLIENT_ITEMS, READERS, by_model


@dataclass(frozen=True)
class Links:
    """What ties one message or item to others, read in the shape `api`.

    `role` is the role as it is written; an item of the Responses API without one is from the "assistant", the
    "tool" (an output) or the "user". "" stands for a message that names no role.

    `calls` and `results` are the ids of the calls in it and of those that its results answer, in order.
    `served` are those among them that the provider answers itself, so that the client owes no result; a call
    of that kind that is answered in the same message is in neither. `ids` are all of these, and that of a
    reasoning item. `in_turn` says that the model wrote it as one of several items that may make up a turn.
    """

    api: Api
    role: str
    parts: tuple[Part, ...]
    calls: tuple[str, ...]
    results: tuple[str, ...]
    served: tuple[str, ...]
    ids: tuple[str, ...]
    in_turn: bool


def links_of(message: Any, api: Api | None = None) -> Links:
    """Return the links of a message in the shape `api`; None reads it in the shape that it gives away."""
    shape = api or sign_of(message) or "anthropic-messages"
    parts = tuple(READERS[shape](0, message))
    calls = [part for part in parts if part.kind == "call" and part.id is not None]
    results = [part for part in parts if part.kind == "result" and part.id is not None]
    ids = [part.id for part in [*calls, *results, *parts] if part.id is not None]
    own = {part.id for part in calls if part.served} & {part.id for part in results if part.served}
    calls = [part for part in calls if part.id not in own]
    results = [part for part in results if part.id not in own]
    return Links(
        api=shape,
        role=_role(message, parts),
        parts=parts,
        calls=_ids(calls),
        results=_ids(results),
        served=_ids([part for part in [*calls, *results] if part.served]),
        ids=tuple(ids if len(ids) < 2 else dict.fromkeys(ids)),
        in_turn=shape == "openai-responses" and _in_turn(message, parts),
    )


def _ids(parts: list[Part]) -> tuple[str, ...]:
    return tuple(part.id for part in parts if part.id is not None)


def _role(message: Any, parts: tuple[Part, ...]) -> str:
    role = name_in(message, "role")
    if role or not name_in(message, "type"):
        return role
    if any(part.kind == "result" for part in parts):
        return "tool"
    return "user" if name_in(message, "type") in CLIENT_ITEMS else "assistant"


def _in_turn(item: Any, parts: tuple[Part, ...]) -> bool:
    output = any(part.kind == "result" and not part.served for part in parts)
    return by_model(item) and not output

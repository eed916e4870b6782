"""A new history from an old one, with parts taken out and results put in their place."""

from dataclasses import dataclass, field
from typing import Any

from ctxlab.messages.view import View


@dataclass
class Mends:
    """What a repair means to change.

    `gone` holds (message, block) of what is taken out; a block of None is the whole message, item or string.
    `behind[message]` are the results, as blocks, tool messages or items, that must stand directly behind it.
    """

    gone: set[tuple[int, int | None]] = field(default_factory=set)
    behind: dict[int, list[Any]] = field(default_factory=dict)


def mended(view: View, mends: Mends) -> list[Any]:
    """Return the messages of `view` with the mends made. It shares what it keeps with them."""
    if view.api == "anthropic-messages":
        return _with_blocks(view, mends)
    candidate = []
    for index, item in enumerate(view.messages):
        if (index, None) not in mends.gone:
            candidate.append(item)
        candidate.extend(mends.behind.get(index, []))
    return candidate


def _with_blocks(view: View, mends: Mends) -> list[Any]:
    thinned = {message for message, _ in mends.gone}
    candidate: list[Any] = []
    waiting: list[Any] = []  # the results that must stand in front of the next message
    for index, message in enumerate(view.messages):
        kept = message
        if index in thinned and isinstance(message["content"], list):
            content = [
                block for number, block in enumerate(message["content"]) if (index, number) not in mends.gone
            ]
            kept = message | {"content": content}
        if waiting and message["role"] == "user" and isinstance(kept["content"], list):
            kept = kept | {"content": waiting + kept["content"]}
        elif waiting:
            candidate.append({"role": "user", "content": waiting})
        waiting = mends.behind.get(index, [])
        # A message that held nothing but what was taken out goes with it.
        if (index, None) not in mends.gone and (index not in thinned or kept["content"]):
            candidate.append(kept)
    return candidate + ([{"role": "user", "content": waiting}] if waiting else [])

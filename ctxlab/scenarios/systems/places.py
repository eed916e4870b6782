"""Where the messages that came out of a call stand in the history that went in."""

from typing import Any

History = list[dict[str, Any]]


def places_of(found: History, history: History) -> list[int]:
    """Return the position in `history` of each of the messages, which are some of it, in order.

    Of equal messages the later ones are taken: what is removed first is what is old.
    """
    places: list[int] = []
    end = len(history)
    for message in reversed(found):
        end = max(at for at in range(end) if history[at] == message)
        places.append(end)
    return places[::-1]

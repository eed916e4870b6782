"""How many calls of a changing history have no result, and how many results have no call.

Where a result must stand depends on the shape of the messages: of Anthropic Messages in the next message, of
OpenAI Chat among the tool messages that follow directly, of OpenAI Responses anywhere after its call.
"""

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ctxlab.messages.links import links_of


@dataclass(frozen=True)
class Ends:
    """The ids in one message that need another message.

    `calls` and `results` pair with messages that stand near. `follows` says that the message is a result of
    the nearest message before it that does not follow. `anywhere` is the id in an item of the Responses API,
    and whether it is a call; None for any other message.
    """

    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    follows: bool = False
    anywhere: tuple[str, bool] | None = None


def ends_of(message: Any) -> Ends:
    """Return the ids in a message that need another one, read in the shape that it gives away."""
    links = links_of(message)
    calls = tuple(one for one in links.calls if one not in links.served)
    results = tuple(one for one in links.results if one not in links.served)
    if links.api == "openai-responses":
        found = [*((one, True) for one in calls), *((one, False) for one in results)]
        return Ends(anywhere=found[0] if found else None)
    follows = links.api == "openai-chat" and any(part.kind == "result" for part in links.parts)
    return Ends(calls, results, follows)


class Halves:
    """Counts the open calls and the orphans of one history from change to change.

    `indices` is the history, which the owner changes between `leave` and `enter`; `ends` gives the ids of the
    message with such an index.
    """

    def __init__(self, indices: list[int], ends: Callable[[int], Ends]) -> None:
        self.open = 0
        self.orphans = 0
        self._indices = indices
        self._ends = ends
        # For each message a number that grows along the history, so that two places can be compared.
        self._keys: list[float] = []
        # For each id of the Responses API its calls (True) and outputs (False), in the order of the history.
        self._anywhere: dict[str, list[tuple[float, bool]]] = {}

    @property
    def complete(self) -> bool:
        """Whether each call has its result, and each result its call."""
        return self.open + self.orphans == 0

    def leave(self, at: int, length: int) -> None:
        """Stop counting `length` messages from `at` on, which are about to leave the history."""
        self._count_near(-1, at, length)
        for position in range(at, at + length):
            self._count_anywhere(-1, position)
        del self._keys[at : at + length]

    def enter(self, at: int, length: int) -> None:
        """Count `length` messages from `at` on, which have just come into the history."""
        self._count_near(+1, at, length)
        self._keys[at:at] = self._new_keys(at, length)
        if any(before >= after for before, after in pairwise(self._keys[max(0, at - 1) : at + length + 1])):
            self._number_again()
            return
        for position in range(at, at + length):
            self._count_anywhere(+1, position)

    def _count_near(self, sign: int, at: int, length: int) -> None:
        """Add or take away what the messages of a range, and those whose pairs it touches, count for."""
        start, stop = max(0, at - 1), at + length
        while start and self._at(start).follows:
            start -= 1
        while stop < len(self._indices) and self._at(stop).follows:
            stop += 1
        head: tuple[str, ...] = ()
        for position in range(start, min(stop + 1, len(self._indices))):
            own = self._at(position)
            if not own.follows:
                head = self._at(position - 1).calls if position else ()
            self.orphans += sign * sum(result not in head for result in own.results)
            if own.calls:
                after = self._results_after(position)
                self.open += sign * sum(call not in after for call in own.calls)
            if not own.follows:
                head = own.calls

    def _results_after(self, position: int) -> set[str]:
        found: set[str] = set()
        for after in range(position + 1, len(self._indices)):
            ends = self._at(after)
            if after == position + 1 or ends.follows:
                found.update(ends.results)
            if not ends.follows:
                break
        return found

    def _at(self, position: int) -> Ends:
        return self._ends(self._indices[position])

    # Items of the Responses API

    def _new_keys(self, at: int, length: int) -> list[float]:
        """Return keys for messages between the two around `at`, whose own are not there yet."""
        keys = self._keys
        low = keys[at - 1] if at else (keys[0] if keys else 0.0) - length - 1
        high = keys[at] if at < len(keys) else low + length + 1
        return [low + (high - low) * number / (length + 1) for number in range(1, length + 1)]

    def _number_again(self) -> None:
        """Give whole numbers as keys, where there is no room left between two of them."""
        self._keys = [float(position) for position in range(len(self._indices))]
        for halves in self._anywhere.values():
            self._tally(-1, halves)
        self._anywhere = {}
        for position in range(len(self._indices)):
            self._count_anywhere(+1, position)

    def _count_anywhere(self, sign: int, position: int) -> None:
        half = self._at(position).anywhere
        if half is None:
            return
        halves = self._anywhere.setdefault(half[0], [])
        self._tally(-1, halves)
        entry = (self._keys[position], half[1])
        if sign > 0:
            insort(halves, entry)
        else:
            halves.remove(entry)
        self._tally(+1, halves)

    def _tally(self, sign: int, halves: list[tuple[float, bool]]) -> None:
        """Add or take away what the calls and outputs of one id count for."""
        called = waiting = False
        for _, is_call in halves:
            if is_call:
                self.open += sign
                called = waiting = True
            elif not called:
                self.orphans += sign
            elif waiting:
                self.open -= sign
                waiting = False

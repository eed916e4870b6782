"""Two runs side by side: what differs in their calls, which of their decisions agree, and where they part."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ctxlab.player.payload import arguments
from ctxlab.tracer.divergence import Divergence, explained
from ctxlab.tracer.heap import Cell
from ctxlab.tracer.likeness import likeness
from ctxlab.tracer.paired_runs import PairedRuns
from ctxlab.tracer.replay import is_container
from ctxlab.tracer.tables import one_line
from ctxlab.tracer.traces import Trace

# A longer value of an argument would hide what the sentence says.
MOST_CHARS = 60

Pair = tuple[int | None, int | None]


@dataclass(frozen=True)
class Comparison:
    """Two runs and what there is to say about them. `names` are what the reader calls them."""

    left: Trace
    right: Trace
    names: tuple[str, str]

    @cached_property
    def paired(self) -> PairedRuns:
        """The two runs, with what is common to the questions below."""
        return PairedRuns(self.left, self.right)

    @property
    def pairs(self) -> list[Pair]:
        """The decisions that belong together, counted in each run; None where one run decided alone."""
        return self.paired.rows

    @cached_property
    def verdicts(self) -> list[str]:
        """What each pair comes to.

        "same"; "answer" or "values" where that differs; "left" or "right" where only that run decided.
        """
        ours, theirs = (run.asked for run in self.paired.runs)
        found = []
        for left, right in self.pairs:
            if left is None or right is None:
                found.append("right" if left is None else "left")
                continue
            alike = likeness(ours[left], theirs[right])
            if alike is None or not alike.agree:
                found.append("answer")
            else:
                found.append("values" if alike.differing else "same")
        return found

    @cached_property
    def stops(self) -> list[tuple[int, int]]:
        """The steps at which both runs stand at a pair, none before that of the pair above.

        A run whose partner decides alone stands at its own next decision, if it takes that alone too, else at
        the step after its last one.
        """
        left, right = (_stops(self.left, self.pairs, 0), _stops(self.right, self.pairs, 1))
        return list(zip(left, right, strict=True))

    @property
    def divergence(self) -> Divergence | None:
        """Where the runs part; None when they do not."""
        return self.paired.divergence

    @cached_property
    def lines(self) -> list[str]:
        """Where the runs part, in sentences."""
        return explained(self.paired, self.divergence, self.names)

    @cached_property
    def first_difference(self) -> int | None:
        """The place in `pairs` of the decisions at which the runs part."""
        found = self.divergence
        if found is None:
            return None
        decisions = found.left_decision, found.right_decision
        sides = {"only_left": [0], "only_right": [1]}.get(found.kind, [0, 1])
        return next(
            (
                row
                for row, pair in enumerate(self.pairs)
                if any(pair[side] is not None and pair[side] == decisions[side] for side in sides)
            ),
            None,
        )

    @property
    def opening(self) -> tuple[int, int]:
        """The steps that show where the runs part; their first steps when they do not."""
        return (self.divergence.left, self.divergence.right) if self.divergence else (0, 0)

    @cached_property
    def settings(self) -> dict[str, tuple[str, str]]:
        """The arguments that have not the same value in both calls, and both values in words."""
        ours, theirs = _Call(self.left), _Call(self.right)
        return {
            name: (ours.words(name), theirs.words(name))
            for name in ours.arguments
            if name in theirs.arguments and ours.content(name) != theirs.content(name)
        }

    @cached_property
    def unlike(self) -> list[str]:
        """What differs in what was run, one sentence each."""
        left, right = self.names
        found = []
        if self.left.function != self.right.function:
            found.append(f"{left} ran {self.left.function}, {right} ran {self.right.function}.")
        scenarios = [_scenario(trace) for trace in (self.left, self.right)]
        if scenarios[0] != scenarios[1]:
            found.append(f"{left} ran {scenarios[0]}, {right} {scenarios[1]}.")
        for name, (ours, theirs) in self.settings.items():
            if ours == theirs:
                found.append(f"{name} is not the same, though both are {ours}.")
            else:
                found.append(f"{name} is {ours} for {left} and {theirs} for {right}.")
        return [one_line(sentence) for sentence in found]


def _stops(trace: Trace, pairs: list[Pair], side: int) -> list[int]:
    """Return the steps at which one of the two runs stands at each pair."""
    places = [trace.data["places"][place] for place in trace.data["steps"]["place"]]
    decided = [step for step, place in enumerate(places) if place[0] == "decision"]
    last = max(0, len(places) - 1)
    stops: list[int] = []
    following = min(1, last)
    for pair, ahead in zip(pairs, _taken_alone(pairs, side), strict=True):
        number = pair[side]
        if number is not None:
            stops.append(decided[number])
            following = min(decided[number] + 1, last)
        else:
            stops.append(following if ahead is None else decided[ahead])
    return stops


def _taken_alone(pairs: list[Pair], side: int) -> list[int | None]:
    """Return, for each pair, the next decision that this side takes alone before the next one of both."""
    found: list[int | None] = []
    ahead: int | None = None
    for pair in reversed(pairs):
        if pair[side] is not None:
            ahead = pair[side] if pair[1 - side] is None else None
        found.append(ahead)
    return found[::-1]


def _scenario(trace: Trace) -> str:
    scenario = trace.data["scenario"]
    return f"on scenario {scenario['name']}" if scenario else "without a scenario"


class _Call:
    """The arguments of an entry call."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.arguments = dict(arguments(trace))
        self.contents = trace.moments().at(0)

    def words(self, name: str) -> str:
        return one_line(self.trace.describe(self.arguments[name], self.contents), MOST_CHARS)

    def content(self, name: str) -> list[Any]:
        """Return a value as it is compared: every container once, with the places of those that it holds.

        Works without recursion: a value may contain itself.
        """
        waiting = [self.arguments[name]]
        places: dict[int, int] = {}

        def plain(cell: Cell) -> Any:
            if is_container(cell):
                if cell not in places:
                    places[cell] = len(places)
                    waiting.append(cell)
                return "container", places[cell]
            if type(cell) is int:
                return "text", self.trace.data["strings"][cell // 2]
            return "other", repr(list(cell) if isinstance(cell, tuple) else cell)

        found = [plain(waiting.pop())]
        while waiting:
            kind, *cells = self.contents[waiting.pop() // 2]
            found.append((kind, *map(plain, cells)))
        return found

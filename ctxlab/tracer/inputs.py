"""What two runs did to what they were given: the history that both worked on, a state that one recorded in.

The lists and dicts that a run was given belong to its result as soon as it changes them.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ctxlab.tracer.assemble import sums
from ctxlab.tracer.compared import Run
from ctxlab.tracer.difference import Difference, first_difference
from ctxlab.tracer.heap import Cell, is_message
from ctxlab.tracer.histories import ACTIVE
from ctxlab.tracer.replay import DEEPEST_LIST, is_container
from ctxlab.tracer.restore import reachable
from ctxlab.tracer.values import message_value

Steps = tuple[int | None, int | None]


@dataclass(frozen=True)
class OtherInput:
    """An argument that two runs leave behind differently, or a history that one changed in more steps.

    `name` is "" for the history, whose parameters may have two names. `steps` are those whose statement first
    changed it otherwise than the other run; None where a run never did. Before that, both made the first
    `alike` changes. `apart` is where it differs at the end, or None; `began_apart`: it did at the start, too.
    `times` says in how many steps each run changed a history.
    """

    name: str
    steps: Steps
    alike: int
    apart: Difference | None
    began_apart: bool
    times: tuple[int, int]


def other_input(left: Run, right: Run) -> OtherInput | None:
    """Return the first argument that the runs leave behind differently, the history before any other."""
    ours, theirs = Inputs(left), Inputs(right)
    for name, pair in _pairs(ours, theirs):
        found = _compared(name, (ours, theirs), pair)
        if found:
            return found
    return None


def _pairs(left: "Inputs", right: "Inputs") -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield which arguments belong together: both histories, and what has the same name."""
    if left.history and right.history:
        yield "", (left.history, right.history)
    for name in left.cells:
        if name in right.cells and name not in (left.history, right.history):
            yield name, (name, name)


def _compared(name: str, sides: tuple["Inputs", "Inputs"], pair: tuple[str, str]) -> OtherInput | None:
    left, right = sides
    ours, theirs = left.first_change(pair[0]), right.first_change(pair[1])
    if ours is None and theirs is None:
        return None
    apart = first_difference(left.at_the_end(pair[0]), right.at_the_end(pair[1]))
    times = (0, 0) if name else (left.times, right.times)
    if apart is None and times[0] == times[1]:
        return None
    began_apart = first_difference(left.at_the_start(pair[0]), right.at_the_start(pair[1])) is not None
    if not name and not began_apart:
        alike = _alike(left.history_changes, right.history_changes)
        later = left.history_changes[alike:], right.history_changes[alike:]
        if alike and any(later):
            steps = [changes[0][0] if changes else None for changes in later]
            return OtherInput(name, (steps[0], steps[1]), alike, apart, began_apart, times)
    return OtherInput(name, (ours, theirs), 0, apart, began_apart, times)


def _alike(left: list[tuple[int, Any]], right: list[tuple[int, Any]]) -> int:
    """Return how many changes both runs made alike, from the first on."""
    both = zip(left, right, strict=False)
    found = (at for at, ((_, one), (_, other)) in enumerate(both) if first_difference(one, other))
    return next(found, min(len(left), len(right)))


class Inputs:
    """The lists and dicts that a run was given: what they hold at both ends, and when they changed."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.trace = run.trace

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """The containers among the arguments."""
        columns, strings = self.trace.data["variables"], self.trace.data["strings"]
        rows = zip(
            sums(columns["step"]), sums(columns["frame"]), columns["name"], columns["value"], strict=True
        )
        return {
            strings[name]: cell
            for step, frame, name, cell in rows
            if step == 0 and frame == 0 and is_container(cell)
        }

    @cached_property
    def history(self) -> str | None:
        """The name under which the run was given a history: the first argument that is made of messages."""
        if not self._history_rows:
            return None
        return next((name for name in self.cells if _is_history(self.at_the_start(name))), None)

    @cached_property
    def history_changes(self) -> list[tuple[int, Any]]:
        """Each change of the history: the step whose statement made it, and what it was, to be compared."""
        data = self.trace.data
        changes = []
        for step, _, at, removed, added, *_ in self._history_rows[1:]:
            messages = [message_value(data["messages"][index], data["strings"]) for index in added]
            changes.append((self._cause(step), (at, removed, messages)))
        return changes

    @property
    def times(self) -> int:
        """In how many steps the run changed the history."""
        return len({step for step, _ in self.history_changes})

    def first_change(self, name: str) -> int | None:
        """Return the step whose statement first changed an argument, or None."""
        contents = self.trace.moments().at(0)
        parts = set(reachable(self.cells[name], contents))
        heap = self.trace.data["heap"]
        rows = zip(sums(heap["step"]), sums(heap["object"]), strict=True)
        # What is put into one of these parts later comes after this change.
        shown = next((step for step, number in rows if step > 0 and number in parts), None)
        return None if shown is None else self._cause(shown)

    def at_the_start(self, name: str) -> Any:
        """Return an argument as the run was given it."""
        return self.trace.value(self.cells[name], 0)

    def at_the_end(self, name: str) -> Any:
        """Return an argument as the run left it."""
        return self.trace.value(self.cells[name], len(self.run.places))

    @cached_property
    def _history_rows(self) -> list[Any]:
        """The history that was given, and its changes, as the trace holds them."""
        return [row for row in self.trace.data["histories"] if row[1] == ACTIVE]

    def _cause(self, shown: int) -> int:
        """Return the step of the statement that made what shows from a step on."""
        steps = self.run.frames[self.trace.frame_at[shown]]
        before = range(bisect_left(steps, shown) - 1, -1, -1)
        lines = (steps[at] for at in before if self.run.places[steps[at]][0] == "line")
        # A function that was called in the middle of the statement has no line yet.
        return next(lines, max(0, shown - 1))


def _is_history(value: Any, depth: int = 0) -> bool:
    """Say whether a value is a list of messages, or of exchanges."""
    if not isinstance(value, (list, tuple)) or not value or depth == DEEPEST_LIST:
        return False
    return all(is_message(item) or _is_history(item, depth + 1) for item in value)

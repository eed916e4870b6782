"""A run as it is compared with another one: its decisions and calls, and what a decision made happen."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from ctxlab.tracer.arms import Branch, branches
from ctxlab.tracer.assemble import sums
from ctxlab.tracer.heap import Cell
from ctxlab.tracer.likeness import Asked, asked
from ctxlab.tracer.replay import is_container
from ctxlab.tracer.traces import Trace

# What a decision that has no counterpart in the other run made happen.
NOTHING, A_VALUE, AN_ACT = 0, 1, 2


class Call(NamedTuple):
    """A call of a function that the caller passed in, under the name of the parameter."""

    step: int
    name: str


class TracedCall(NamedTuple):
    """A call of a traced function by the entry function: the stop before it, its name, its plain arguments.

    `given` holds numbers, texts and the like in words. What a container holds shows in the decisions.
    """

    step: int
    name: str
    given: dict[str, str]


class Run:
    """A trace as it is compared with another one. `decided` holds the step of each decision."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        data = trace.data
        self.places: list[tuple[str, int, int, int]] = [
            data["places"][place] for place in data["steps"]["place"]
        ]
        self.decided = [step for step, (event, *_) in enumerate(self.places) if event == "decision"]
        self.last = max(len(self.places) - 1, 0)
        self._branches = [branches(source) for source in data["sources"]]

    @cached_property
    def asked(self) -> list[Asked]:
        """The decisions, in order."""
        return asked(self.trace)

    @cached_property
    def frames(self) -> dict[int, list[int]]:
        """The steps of each call, by its number in the frames of the trace. That of the entry call is 0."""
        found: dict[int, list[int]] = {0: []}
        frame_at = self.trace.frame_at
        for step in range(len(self.places)):
            found.setdefault(frame_at[step], []).append(step)
        return found

    @cached_property
    def called(self) -> set[str]:
        """The names of the traced functions that were called."""
        return {name for _, depth, name in self.trace.data["frames"] if depth}

    @cached_property
    def calls(self) -> list[Call]:
        """The calls of functions that the caller passed in, in order."""
        passed = {}
        for name, value in self.trace.variables(0).items():
            if isinstance(value, str) and value[:1] == "<":
                passed[value[1:-1].split(" ")[-1]] = name
        return [Call(row[0], passed[row[2]]) for row in self.trace.data["calls"] if row[2] in passed]

    @cached_property
    def traced_calls(self) -> list[TracedCall]:
        """The calls of traced functions that the entry function made itself, in order."""
        frames = self.trace.data["frames"]
        starts = {frame: steps[0] for frame, steps in self.frames.items() if frames[frame][1] == 1}
        given: dict[int, dict[str, str]] = {frame: {} for frame in starts}
        columns, strings = self.trace.data["variables"], self.trace.data["strings"]
        rows = zip(
            sums(columns["step"]), sums(columns["frame"]), columns["name"], columns["value"], strict=True
        )
        for step, frame, name, cell in rows:
            if starts.get(frame) == step and not is_container(cell) and not _is_label(cell):
                given[frame][strings[name]] = self.trace.describe(cell, {})
        return [TracedCall(self.own(step), frames[frame][2], given[frame]) for frame, step in starts.items()]

    @cached_property
    def result(self) -> Any:
        """What was returned, as the trace holds it: the live object may have changed since."""
        return self.trace.value(self.trace.data["outcome"]["value"], len(self.places))

    def own(self, step: int) -> int:
        """Return the last step of the entry function itself up to this one."""
        own = self.frames[0]
        return own[bisect_right(own, step) - 1]

    def after(self, decision: int | None) -> int:
        """Return the next step of the entry function after a decision; after None, the first after the call.

        It is the last one where the run was stopped before.
        """
        own = self.frames[0]
        following = bisect_right(own, 0 if decision is None else self.decided[decision])
        return own[min(following, len(own) - 1)]

    def site(self, decision: int) -> int:
        """Return the place of a decision's condition in the sites of the trace."""
        return self.places[self.decided[decision]][3]

    def branch(self, decision: int) -> Branch | None:
        """Return the statement that a decision is about, or None when it stands inside an expression."""
        _, function, line, site = self.places[self.decided[decision]]
        return self._branches[function].get((line, self.trace.data["sites"][site]["source"]))

    def is_loop(self, decision: int) -> bool:
        """Say whether the decision is about one more round of a loop."""
        branch = self.branch(decision)
        return branch is not None and branch.loop

    def later_steps(self, step: int) -> Iterator[int]:
        """Yield the later steps of the call to which a step belongs."""
        steps = self.frames[self.trace.frame_at[step]]
        return (steps[at] for at in range(bisect_right(steps, step), len(steps)))


class Effects:
    """What the decisions made happen that a run took alone; `aligned` are the others."""

    def __init__(self, run: Run, aligned: Iterable[int]) -> None:
        self.run = run
        self._aligned = sorted(aligned)
        self._common_sites = {run.site(decision) for decision in self._aligned}

    def of(self, decision: int) -> int:
        """Return what a decision made happen: NOTHING, A_VALUE or AN_ACT.

        To run an arm or to end the run is an act; an arm that only sets variables makes a value, and what
        becomes of that shows later. An arm with an aligned decision in it does nothing of its own: it holds
        what the other run does without asking. Nor does a round of a loop that the other run does not have:
        it may go through the same things in another way.
        """
        run = self.run
        branch = run.branch(decision)
        if branch is None:
            after = next(run.later_steps(run.decided[decision]), None)
            return AN_ACT if after is not None and run.places[after][0] == "raise" else NOTHING
        arm = branch.yes if run.trace.data["decisions"]["outcome"][decision] else branch.no
        own_loop = branch.loop and run.site(decision) not in self._common_sites
        if not arm.lines or own_loop or self._holds_common(arm.lines, decision):
            return NOTHING
        return A_VALUE if arm.plain else AN_ACT

    def _holds_common(self, lines: range, decision: int) -> bool:
        """Say whether an aligned decision was taken while the run stood in these lines after this one."""
        run = self.run
        following = bisect_right(self._aligned, decision)
        if following == len(self._aligned):
            return False
        start = run.decided[decision]
        steps = run.later_steps(start)
        end = next((step for step in steps if not self._stands_in(lines, step, start)), run.last + 1)
        return run.decided[self._aligned[following]] < end

    def _stands_in(self, lines: range, step: int, start: int) -> bool:
        """Say whether a step stands in an arm. Where a loop is all on one line, its next round does not."""
        event, _, line, _ = place = self.run.places[step]
        return line in lines and event not in ("return", "raise") and place != self.run.places[start]


def _is_label(cell: Cell) -> bool:
    """Say whether a cell stands for what is not data, such as a function."""
    return type(cell) is str

"""A run as it is compared with another one: its decisions and calls, and what a decision made happen."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from ctxlab.tracer.arms import Branch, branches
from ctxlab.tracer.likeness import Asked, asked
from ctxlab.tracer.traces import Trace

# What a decision that has no counterpart in the other run made happen.
NOTHING, A_VALUE, AN_ACT = 0, 1, 2


class Call(NamedTuple):
    """A call of a function that the caller passed in, under the name of the parameter."""

    step: int
    name: str


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
    def calls(self) -> list[Call]:
        """The calls of functions that the caller passed in, in order."""
        passed = {}
        for name, value in self.trace.variables(0).items():
            if isinstance(value, str) and value[:1] == "<":
                passed[value[1:-1].split(" ")[-1]] = name
        return [Call(row[0], passed[row[2]]) for row in self.trace.data["calls"] if row[2] in passed]

    @cached_property
    def result(self) -> Any:
        """What was returned, as the trace holds it: the live object may have changed since."""
        return self.trace.value(self.trace.data["outcome"]["value"], len(self.places))

    def after(self, decision: int | None) -> int:
        """Return the step that follows a decision; after None, the first one behind the call itself."""
        return min(1 if decision is None else self.decided[decision] + 1, self.last)

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

    def own_steps(self, step: int) -> Iterator[int]:
        """Yield the later steps of the call to which a step belongs."""
        frame_at = self.trace.frame_at
        frame = frame_at[step]
        return (later for later in range(step + 1, self.last + 1) if frame_at[later] == frame)


class Effects:
    """What the decisions made happen that a run took alone; `aligned` are the others."""

    def __init__(self, run: Run, aligned: set[int]) -> None:
        self.run = run
        self.aligned = aligned
        self._common_sites = {run.site(decision) for decision in aligned}

    def of(self, decision: int) -> int:
        """Return what a decision made happen: NOTHING, A_VALUE or AN_ACT.

        To run an arm or to end the run is an act; an arm that only sets variables makes a value, and what
        becomes of that shows later. An arm with an aligned decision in it does nothing of its own: it holds
        what the other run does without asking. Nor does a round of a loop that the other run does not have:
        it may go through the same things in another way.
        """
        run = self.run
        following = run.own_steps(run.decided[decision])
        branch = run.branch(decision)
        if branch is None:
            after = next(following, None)
            return AN_ACT if after is not None and run.places[after][0] == "raise" else NOTHING
        arm = branch.yes if run.trace.data["decisions"]["outcome"][decision] else branch.no
        end = next((step for step in following if not self._stands_in(arm.lines, step)), run.last + 1)
        own_loop = branch.loop and run.site(decision) not in self._common_sites
        if not arm.lines or own_loop or self._is_common_before(end, decision):
            return NOTHING
        return A_VALUE if arm.plain else AN_ACT

    def _stands_in(self, lines: range, step: int) -> bool:
        event, _, line, _ = self.run.places[step]
        return line in lines and event not in ("return", "raise")

    def _is_common_before(self, end: int, decision: int) -> bool:
        """Say whether an aligned decision was taken after this one, before step `end`."""
        decided = self.run.decided
        for later in range(decision + 1, len(decided)):
            if decided[later] >= end:
                return False
            if later in self.aligned:
                return True
        return False

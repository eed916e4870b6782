"""Where two runs part: the first decision that came out differently, or that one of them alone had to take.

The runs may be two of one function, with another parameter, or of two functions that are written differently.
"""

from dataclasses import dataclass

from ctxlab.messages.wording import visible
from ctxlab.tracer.compared import Run
from ctxlab.tracer.difference import first_difference
from ctxlab.tracer.inputs import OtherInput
from ctxlab.tracer.likeness import ALIKE, likeness
from ctxlab.tracer.paired_runs import Divergence, PairedRuns, Row
from ctxlab.tracer.tables import MOST_CHARS, title
from ctxlab.tracer.traces import Trace

Names = tuple[str, str]

NO_DECISION = "No decision tells the two runs apart"
NOT_COMPARED = "Whether such a value is a copy, or shared with something else, is not compared."


def aligned(left: Trace, right: Trace) -> list[Row]:
    """Return the decisions of both runs in order, those that belong together side by side.

    Each is a place in `Trace.decisions`; a decision of one run alone stands beside None.
    """
    return PairedRuns(left, right).rows


def divergence(left: Trace, right: Trace) -> Divergence | None:
    """Return where two runs part, or None when they take the same way and end alike."""
    return PairedRuns(left, right).divergence


def explain(
    left: Trace, right: Trace, found: Divergence | None, names: Names = ("left", "right")
) -> list[str]:
    """Return what `divergence` found in plain sentences: what each side was asked, or how it ended."""
    return explained(PairedRuns(left, right), found, names)


def explained(paired: PairedRuns, found: Divergence | None, names: Names) -> list[str]:
    """Return what was found about paired runs in plain sentences, as `explain` does."""
    if found is None:
        return [f"{NO_DECISION}, and both end with equal values.", NOT_COMPARED]
    left, right = paired.runs
    views = (
        _View(left, right, found.left, found.left_decision),
        _View(right, left, found.right, found.right_decision),
    )
    if found.kind == "result":
        said = _results(paired, names)
    elif found.kind == "input":
        which, *more = _other_input(paired, names)
        said = [f"{NO_DECISION}; {which}.", *more]
    elif found.kind == "argument":
        said = _arguments(paired, views, names)
    elif found.kind == "only_left":
        said = _only(*views, *names)
    elif found.kind == "only_right":
        said = _only(*views[::-1], *names[::-1])
    else:
        said = [f"{name}, {view.place}: {view.sentence}" for name, view in zip(names, views, strict=True)]
        if found.kind == "values":
            said.append(_values(paired, found, names))
    other = paired.other_input
    if found.kind in ("values", "result") and other and other.apart and not other.began_apart:
        which, *more = _other_input(paired, names)
        said += [f"Besides, {which}.", *more]
    return [visible(text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}…") for text in said]


@dataclass(frozen=True)
class _View:
    """A step of a run to look at, and the decision there, if any; `other` is the run beside it."""

    run: Run
    other: Run
    step: int
    decision: int | None

    @property
    def place(self) -> str:
        """The line at which the step stands; for a function that both runs call, the line that led there."""
        at = self.run.trace.steps[self.step]
        if at.depth and at.function in self.other.called:
            return f"in {at.function}, called in line {self.run.trace.steps[self.run.own(self.step)].line}"
        return f"line {at.line} of {at.function}" if at.depth else f"line {at.line}"

    @property
    def sentence(self) -> str:
        """What was asked, or which function that the caller passed in was called; or ""."""
        if self.decision is not None:
            return self.run.trace.decisions[self.decision].sentence
        called = next((call.name for call in self.run.calls if call.step == self.step), None)
        return f"{called} is called." if called else ""

    def asked_by_other(self) -> list[int]:
        """Return the decisions of the other run that ask the same."""
        if self.decision is None:
            return []
        mine = self.run.asked[self.decision]
        alike = (likeness(mine, theirs) for theirs in self.other.asked)
        return [number for number, found in enumerate(alike) if found and found.grade >= ALIKE]


def _only(view: _View, beside: _View, name: str, other_name: str) -> list[str]:
    """Return what one side alone did, and what the other did instead; it may ask the same at another time."""
    asked = view.asked_by_other()
    later = next((number for number in asked if beside.run.decided[number] >= beside.step), None)
    instead = beside.sentence
    if later is not None:
        then = _View(beside.run, view.run, beside.run.decided[later], later)
        said = f"asks this only later, {then.place}: {then.sentence}"
        if instead and then.step != beside.step:
            said += f" Before that, {beside.place}: {instead}"
    else:
        missing = "call it here" if view.decision is None else "ask this again" if asked else "ask this"
        going_on = f"Instead, {beside.place}: {instead}" if instead else f"It goes on with {beside.place}."
        said = f"does not {missing}. {going_on}"
    return [f"{name}, {view.place}: {view.sentence}", f"{other_name} {said}"]


def _arguments(paired: PairedRuns, views: tuple[_View, _View], names: Names) -> list[str]:
    assert paired.other_arguments is not None
    number, differing = paired.other_arguments
    said = []
    for name, view in zip(names, views, strict=True):
        call = view.run.traced_calls[number]
        given = " and ".join(f"{argument} {call.given[argument]}" for argument in differing)
        said.append(f"{name}, {view.place}: {call.name} is called with {given}.")
    return said


def _values(paired: PairedRuns, found: Divergence, names: Names) -> str:
    assert found.left_decision is not None
    assert found.right_decision is not None
    said = []
    for (text, words), (other_text, other_words) in paired.likeness(
        (found.left_decision, found.right_decision)
    ).differing:
        beside = f"{other_text} is " if other_text != text else ""
        said.append(f"{text} is {words} ({names[0]}), {beside}{other_words} ({names[1]})")
    return f"The answer is the same, but the values differ: {'; '.join(said)}."


def _results(paired: PairedRuns, names: Names) -> list[str]:
    left, right = paired.runs
    said = [f"{name}: {title(run.trace)}." for name, run in zip(names, paired.runs, strict=True)]
    apart = first_difference(left.result, right.result)
    if apart and left.trace.data["outcome"]["kind"] == right.trace.data["outcome"]["kind"]:
        path, one, other = apart
        where = f" at {path}" if path else ""
        said.append(f"The results first differ{where}: {one} ({names[0]}), {other} ({names[1]}).")
    return said


def _other_input(paired: PairedRuns, names: Names) -> list[str]:
    """Return which argument the runs leave behind differently, where they changed it, and how it differs."""
    found = paired.other_input
    assert found is not None
    subject, they, verb = (found.name, "It", "differs") if found.name else ("the histories", "They", "differ")
    if found.apart is None:
        said = [f"{subject} are equal at the end, but not on the way there"]
    else:
        said = [f"{subject} {verb} at the end"]
    said.append(_changes(paired, found, names))
    if found.began_apart:
        said.append(f"{they} {verb} at the start{', too' if found.apart else ''}.")
    elif found.apart:
        path, one, other = found.apart
        where = f" at {path}" if path else ""
        said.append(f"{they} first {verb}{where}: {one} ({names[0]}), {other} ({names[1]}).")
    elif all(found.times):
        left, right = found.times
        said.append(f"In all, {names[0]} changed its history {_times(left)}, {names[1]} {_times(right)}.")
    return said


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _changes(paired: PairedRuns, found: OtherInput, names: Names) -> str:
    """Return where each run changed what it leaves behind, or that it never did."""
    left, right = paired.runs
    what = found.name or "its history"
    changed, untouched = [], []
    for name, run, other, step in zip(names, (left, right), (right, left), found.steps, strict=True):
        if step is None:
            untouched.append(name)
        else:
            changed.append((name, f"at step {step} ({_View(run, other, step, None).place})"))
    begin = (
        f"After {found.alike} change{'' if found.alike == 1 else 's'} that both made, " if found.alike else ""
    )
    word, never = ("changed", "did not") if found.alike else ("first changed", "never did")
    (name, place), *others = changed
    beside = [f"{other} {where}" for other, where in others] or [f"{other} {never}" for other in untouched]
    return f"{begin}{name} {word} {what} {place}, {beside[0]}."


__all__ = ["Divergence", "aligned", "divergence", "explain", "explained"]

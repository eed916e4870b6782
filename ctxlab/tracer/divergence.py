"""Where two runs part: the first decision that came out differently, or that one of them alone had to take.

The runs may be two of one function, with another parameter, or of two functions that are written differently.
"""

from dataclasses import dataclass
from itertools import zip_longest

from ctxlab.tracer.alignment import Pair, paired, weighing
from ctxlab.tracer.compared import A_VALUE, AN_ACT, Effects, Run
from ctxlab.tracer.difference import first_difference
from ctxlab.tracer.likeness import Likeness, likeness
from ctxlab.tracer.tables import MOST_CHARS, title
from ctxlab.tracer.traces import Trace
from ctxlab.tracer.values import visible

# Places in `Trace.decisions` of the left and of the right trace.
Row = tuple[int | None, int | None]
Runs = tuple[Run, Run]
# A trace, the step to look at, and the decision there.
View = tuple[Trace, int, int | None]


@dataclass(frozen=True)
class Divergence:
    """Where two runs part: the steps to look at, and the decisions there, as places in `Trace.decisions`.

    `kind` is
    answer: a decision of both came out differently;
    only_left, only_right: a decision of one run alone made something happen, or that run alone called a
    function that the caller passed in (its own decision is None then); the other side shows what it asked or
    did instead;
    values: after the same answers the runs end differently, and this decision is the first about other
    values;
    result: only the ends differ.
    """

    kind: str
    left: int
    right: int
    left_decision: int | None
    right_decision: int | None


def aligned(left: Trace, right: Trace) -> list[Row]:
    """Return the decisions of both runs in order, those that belong together side by side.

    Each is a place in `Trace.decisions`; a decision of one run alone stands beside None.
    """
    return _rows((Run(left), Run(right)))


def _rows(runs: Runs) -> list[Row]:
    left, right = runs[0].asked, runs[1].asked
    rows: list[Row] = []
    begin = (0, 0)
    for pair in [*paired(left, right, weighing()), (len(left), len(right))]:
        rows += [(lone, None) for lone in range(begin[0], pair[0])]
        rows += [(None, lone) for lone in range(begin[1], pair[1])]
        rows.append(pair)
        begin = pair[0] + 1, pair[1] + 1
    return rows[:-1]


def divergence(left: Trace, right: Trace) -> Divergence | None:
    """Return where two runs part, or None when they take the same way and end alike."""
    runs = Run(left), Run(right)
    rows = _rows(runs)
    pairs = [(one, other) for one, other in rows if one is not None and other is not None]
    found = _by_decision(runs, rows, pairs, AN_ACT) or _by_call(runs, pairs)
    if found or not _end_apart(runs):
        return found
    found = _by_value(runs, pairs) or _by_decision(runs, rows, pairs, A_VALUE)
    return found or Divergence("result", runs[0].last, runs[1].last, None, None)


def _by_decision(runs: Runs, rows: list[Row], pairs: list[Pair], least: int) -> Divergence | None:
    """Return the first decision with two answers, or of one run alone and with at least this effect."""
    effects = [Effects(run, {pair[side] for pair in pairs}) for side, run in enumerate(runs)]
    for one, other in rows:
        if one is not None and other is not None:
            if not _likeness(runs, (one, other)).agree:
                return _at("answer", runs, (one, other))
        elif one is not None and effects[0].of(one) >= least:
            return _alone(runs, pairs, 0, runs[0].decided[one], one)
        elif other is not None and effects[1].of(other) >= least:
            return _alone(runs, pairs, 1, runs[1].decided[other], other)
    return None


def _by_call(runs: Runs, pairs: list[Pair]) -> Divergence | None:
    """Return the first call of a function that was passed in where the other run makes another or none."""
    for left, right in zip_longest(*(run.calls for run in runs)):
        if left and right and left.name != right.name:
            return Divergence("only_left", left.step, right.step, None, None)
        if left and not right:
            return _alone(runs, pairs, 0, left.step, None)
        if right and not left:
            return _alone(runs, pairs, 1, right.step, None)
    return None


def _by_value(runs: Runs, pairs: list[Pair]) -> Divergence | None:
    return next((_at("values", runs, pair) for pair in pairs if _likeness(runs, pair).differing), None)


def _end_apart(runs: Runs) -> bool:
    left, right = (run.trace.data["outcome"] for run in runs)
    same = all(left[field] == right[field] for field in ("kind", "code", "type"))
    return not same or first_difference(runs[0].result, runs[1].result) is not None


def _at(kind: str, runs: Runs, pair: Pair) -> Divergence:
    return Divergence(kind, runs[0].decided[pair[0]], runs[1].decided[pair[1]], *pair)


def _alone(runs: Runs, pairs: list[Pair], side: int, step: int, decision: int | None) -> Divergence:
    """Return that this side alone took a decision, or made a call, and what the other asked instead.

    Beside a call that is its next decision after what both had asked; beside a decision one that it, too,
    took alone in between, if possible one that made something happen. A round of a loop tells nothing.
    """
    other = runs[1 - side]
    before = sum(runs[side].decided[pair[side]] < step for pair in pairs)
    first = pairs[before - 1][1 - side] + 1 if before else 0
    met_again = decision is not None and before < len(pairs)
    stretch = range(first, pairs[before][1 - side] if met_again else len(other.decided))
    candidates = [asked for asked in stretch if not other.is_loop(asked)]
    if decision is None:
        instead = candidates[0] if candidates else None
    else:
        effects = Effects(other, {pair[1 - side] for pair in pairs})
        instead = max(candidates, key=effects.of, default=None)
    beside = other.after(first - 1 if first else None) if instead is None else other.decided[instead]
    if side == 0:
        return Divergence("only_left", step, beside, decision, instead)
    return Divergence("only_right", beside, step, instead, decision)


def _likeness(runs: Runs, pair: Pair) -> Likeness:
    found = likeness(runs[0].asked[pair[0]], runs[1].asked[pair[1]])
    assert found is not None  # nothing else is ever paired
    return found


def explain(
    left: Trace, right: Trace, found: Divergence | None, names: tuple[str, str] = ("left", "right")
) -> list[str]:
    """Return what `divergence` found in plain sentences: what each side was asked, or how it ended."""
    if found is None:
        return ["No decision tells the two runs apart, and both end the same way."]
    views = ((left, found.left, found.left_decision), (right, found.right, found.right_decision))
    if found.kind == "result":
        said = _results(left, right, names)
    elif found.kind == "only_left":
        said = _only(*views, *names)
    elif found.kind == "only_right":
        said = _only(*views[::-1], *names[::-1])
    else:
        said = [f"{name}, {_place(view)}: {_sentence(view)}" for name, view in zip(names, views, strict=True)]
        if found.kind == "values":
            said.append(_values(left, right, found, names))
    return [visible(text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}…") for text in said]


def _place(view: View) -> str:
    trace, step, _ = view
    at = trace.steps[step]
    return f"line {at.line}" if at.depth == 0 else f"line {at.line} of {at.function}"


def _sentence(view: View) -> str:
    """Return what was asked, or which function that the caller passed in was called; or ""."""
    trace, step, decision = view
    if decision is not None:
        return trace.decisions[decision].sentence
    called = next((call.name for call in Run(trace).calls if call.step == step), None)
    return f"{called} is called." if called else ""


def _only(view: View, other: View, name: str, other_name: str) -> list[str]:
    missing = "call it here" if view[2] is None else "ask this"
    instead = _sentence(other)
    going_on = f"Instead, {_place(other)}: {instead}" if instead else f"It goes on with {_place(other)}."
    return [f"{name}, {_place(view)}: {_sentence(view)}", f"{other_name} does not {missing}. {going_on}"]


def _values(left: Trace, right: Trace, found: Divergence, names: tuple[str, str]) -> str:
    assert found.left_decision is not None
    assert found.right_decision is not None
    alike = _likeness((Run(left), Run(right)), (found.left_decision, found.right_decision))
    said = []
    for (text, words), (other_text, other_words) in alike.differing:
        beside = f"{other_text} is " if other_text != text else ""
        said.append(f"{text} is {words} ({names[0]}), {beside}{other_words} ({names[1]})")
    return f"The answer is the same, but the values differ: {'; '.join(said)}."


def _results(left: Trace, right: Trace, names: tuple[str, str]) -> list[str]:
    said = [f"{name}: {title(trace)}." for name, trace in zip(names, (left, right), strict=True)]
    apart = first_difference(Run(left).result, Run(right).result)
    if apart and left.data["outcome"]["kind"] == right.data["outcome"]["kind"]:
        path, one, other = apart
        where = f" at {path}" if path else ""
        said.append(f"The results first differ{where}: {one} ({names[0]}), {other} ({names[1]}).")
    return said

"""Two runs side by side: which of their decisions belong together, and where the runs part."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from ctxlab.tracer.alignment import Pair, paired, weighing
from ctxlab.tracer.compared import A_VALUE, AN_ACT, Effects, Run
from ctxlab.tracer.difference import first_difference
from ctxlab.tracer.inputs import OtherInput, other_input
from ctxlab.tracer.likeness import MEASURED, SAME, Likeness, likeness
from ctxlab.tracer.traces import Trace

# Places in `Trace.decisions` of the left and of the right trace.
Row = tuple[int | None, int | None]


@dataclass(frozen=True)
class Divergence:
    """Where two runs part: the steps to look at, and the decisions there, as places in `Trace.decisions`.

    `kind` is
    answer: a decision of both came out differently;
    only_left, only_right: a decision of one run alone made something happen, or that run alone called a
    function that the caller passed in (its own decision is None then); the other side shows what it asked or
    did instead;
    argument: both called the same traced function, with other numbers or texts, and end differently;
    values: after the same answers the runs end differently, and this decision is the first about other
    values;
    result: only the ends differ;
    input: only what became of an argument differs, such as a history that was worked on in place. A side is
    opened where it changed that otherwise than the other, and at its end if it left it alone.
    """

    kind: str
    left: int
    right: int
    left_decision: int | None
    right_decision: int | None


class PairedRuns:
    """The runs `left` and `right`. What is found out about them is found out once."""

    def __init__(self, left: Trace, right: Trace) -> None:
        self.runs = Run(left), Run(right)

    @cached_property
    def pairs(self) -> list[Pair]:
        """The decisions that belong together, in order."""
        left, right = self.runs
        return paired(left.asked, right.asked, weighing())

    @cached_property
    def rows(self) -> list[Row]:
        """All decisions in order, those that belong together side by side, each other one beside None."""
        rows: list[Row] = []
        for left, right, pair in self._stretches():
            rows += [(lone, None) for lone in left]
            rows += [(None, lone) for lone in right]
            rows += [pair] if pair else []
        return rows

    @cached_property
    def divergence(self) -> Divergence | None:
        """Where the runs part, or None when they take the same way and end alike."""
        found = self._by_decision(AN_ACT) or self._by_call()
        if not self._end_apart:
            return found
        return (
            self._by_argument(found)
            or found
            or self._by_value()
            or self._by_decision(A_VALUE)
            or self._by_end()
        )

    @cached_property
    def other_input(self) -> OtherInput | None:
        """The first argument that the runs leave behind differently."""
        return other_input(*self.runs)

    @cached_property
    def other_arguments(self) -> tuple[int, list[str]] | None:
        """The first call of the entry functions with other arguments than in the other run.

        It is its number in `Run.traced_calls` and the names of these arguments. None when there is no such
        call before the one that only one run makes, and when the runs themselves were given other arguments:
        then the calls differ for that reason.
        """
        left, right = (run.trace.variables(0) for run in self.runs)
        if any(first_difference(left[name], right[name]) for name in left.keys() & right.keys()):
            return None
        calls = zip(*(run.traced_calls for run in self.runs), strict=False)
        for number, (one, other) in enumerate(calls):
            if one.name != other.name:
                return None
            differing = [name for name, words in one.given.items() if other.given.get(name, words) != words]
            if differing:
                return number, differing
        return None

    def likeness(self, pair: Pair) -> Likeness:
        """Return in what the decisions of a pair are alike."""
        left, right = self.runs
        found = likeness(left.asked[pair[0]], right.asked[pair[1]])
        assert found is not None  # nothing else is ever paired
        return found

    @cached_property
    def _effects(self) -> tuple[Effects, Effects]:
        left, right = self.runs
        return Effects(left, [one for one, _ in self.pairs]), Effects(
            right, [other for _, other in self.pairs]
        )

    @cached_property
    def _results_apart(self) -> bool:
        left, right = (run.trace.data["outcome"] for run in self.runs)
        same = all(left[field] == right[field] for field in ("kind", "code", "type"))
        return not same or first_difference(self.runs[0].result, self.runs[1].result) is not None

    @property
    def _end_apart(self) -> bool:
        return self._results_apart or self.other_input is not None

    def _stretches(self) -> Iterator[tuple[range, range, Pair | None]]:
        """Yield what each run decided alone before each pair, and the pair; at last what comes after all."""
        begin = 0, 0
        for pair in self.pairs:
            yield range(begin[0], pair[0]), range(begin[1], pair[1]), pair
            begin = pair[0] + 1, pair[1] + 1
        left, right = self.runs
        yield range(begin[0], len(left.decided)), range(begin[1], len(right.decided)), None

    def _by_decision(self, least: int) -> Divergence | None:
        """Return the first decision with two answers, or of one run alone and with at least this effect."""
        for left, right, pair in self._stretches():
            # Of what either run did alone, the first is what it reached after the fewest questions.
            for one, other in zip_longest(left, right):
                if one is not None and self._effects[0].of(one) >= least:
                    return self._alone(0, self.runs[0].decided[one], one)
                if other is not None and self._effects[1].of(other) >= least:
                    return self._alone(1, self.runs[1].decided[other], other)
            if pair and self._answers_part(pair, least):
                return self._at("answer", pair)
        return None

    def _answers_part(self, pair: Pair, least: int) -> bool:
        """Say whether a question got two answers; two that only share a limit have to act, like lone ones."""
        alike = self.likeness(pair)
        if alike.grade == MEASURED and not alike.agree:
            return any(effects.of(at) >= least for effects, at in zip(self._effects, pair, strict=True))
        return not alike.agree

    def _by_call(self) -> Divergence | None:
        """Return the first call of what was passed in where the other run makes another call or none."""
        for left, right in zip_longest(*(run.calls for run in self.runs)):
            if left and right and left.name != right.name:
                return Divergence("only_left", left.step, right.step, None, None)
            if left and not right:
                return self._alone(0, left.step, None)
            if right and not left:
                return self._alone(1, right.step, None)
        return None

    def _by_argument(self, found: Divergence | None) -> Divergence | None:
        """Return the first call with other arguments, if it comes before what was found."""
        if self.other_arguments is None:
            return None
        number, _ = self.other_arguments
        left, right = (run.traced_calls[number].step for run in self.runs)
        earlier = found is None or (right < found.right if found.kind == "only_right" else left < found.left)
        return Divergence("argument", left, right, None, None) if earlier else None

    def _by_end(self) -> Divergence:
        """Return that only the ends differ, and where the runs came to what differs there."""
        left, right = (run.last for run in self.runs)
        if self._results_apart or self.other_input is None:
            return Divergence("result", left, right, None, None)
        ours, theirs = self.other_input.steps
        return Divergence(
            "input", left if ours is None else ours, right if theirs is None else theirs, None, None
        )

    def _by_value(self) -> Divergence | None:
        return next((self._at("values", pair) for pair in self.pairs if self.likeness(pair).differing), None)

    def _at(self, kind: str, pair: Pair) -> Divergence:
        left, right = self.runs
        return Divergence(kind, left.decided[pair[0]], right.decided[pair[1]], *pair)

    def _alone(self, side: int, step: int, decision: int | None) -> Divergence:
        """Return that this side alone took a decision, or made a call, and what the other asked instead.

        Beside a call that is its next decision after what both had asked; beside a decision one that it, too,
        took alone in between, if possible one that made something happen. Neither a round of a loop tells
        anything nor what a function asks that both call. If it only asked the same next and got another
        answer, that is where they part, whatever fits the other values better.
        """
        run, other = self.runs[side], self.runs[1 - side]
        before = sum(run.decided[pair[side]] < step for pair in self.pairs)
        first = self.pairs[before - 1][1 - side] + 1 if before else 0
        met_again = decision is not None and before < len(self.pairs)
        following = self.pairs[before][1 - side] if met_again else len(other.decided)
        if decision is not None and met_again and following == first:
            pair = (decision, following) if side == 0 else (following, decision)
            alike = likeness(self.runs[0].asked[pair[0]], self.runs[1].asked[pair[1]])
            if alike and alike.grade == SAME and not alike.agree:
                return self._at("answer", pair)
        stretch = range(first, following)
        candidates = [
            asked
            for asked in stretch
            if not other.is_loop(asked) and other.asked[asked].function not in run.called
        ]
        if decision is None:
            instead = candidates[0] if candidates else None
        else:
            instead = max(candidates, key=self._effects[1 - side].of, default=None)
        beside = other.after(first - 1 if first else None) if instead is None else other.decided[instead]
        if side == 0:
            return Divergence("only_left", step, beside, decision, instead)
        return Divergence("only_right", beside, step, instead, decision)

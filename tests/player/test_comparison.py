"""What there is to say about two runs: their pairs, what each comes to, where both stand, what differs."""

from itertools import pairwise
from typing import Any

import pytest

from ctxlab.exercises.exercise import exercise
from ctxlab.player.comparison import Comparison
from ctxlab.reference import prepare_context, split_history
from ctxlab.scenarios import scenario_names
from ctxlab.tracer import paired_runs
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace


def compared(left: Trace, right: Trace) -> Comparison:
    return Comparison(left, right, ("reference", "mine"))


def within(sizes: list[int], limit: int) -> int:
    total = 0
    for size in sizes:
        # Does it still fit?
        if total + size <= limit:
            total += size
    return total


def below(sizes: list[int], limit: int) -> int:
    total = 0
    for size in sizes:
        # Does it still fit?
        if total + size < limit:
            total += size
    return total


def careful(sizes: list[int], limit: int) -> int:
    # Is there anything?
    if not sizes:
        # Then the answer is known.
        return 0
    total = 0
    for size in sizes:
        # Does it still fit?
        if total + size <= limit:
            total += size
    return total


def test_a_pair_is_the_same_or_says_what_differs() -> None:
    slip = compared(trace(within, [3, 5, 2], 8), trace(below, [3, 5, 2], 8))
    assert slip.pairs == [(0, 0), (1, 1), (2, 2)]
    assert slip.verdicts == ["same", "answer", "answer"]
    assert slip.first_difference == 1
    limits = compared(trace(within, [3], 8), trace(within, [3], 9))
    assert limits.verdicts == ["values"]
    assert limits.divergence is None
    check = compared(trace(within, [3], 8), trace(careful, [3], 8))
    assert check.verdicts == ["right", "same"]
    assert compared(trace(careful, [3], 8), trace(within, [3], 8)).verdicts == ["left", "same"]


def test_both_stand_at_their_decisions_and_beside_a_lone_one_at_what_comes_next() -> None:
    left, right = trace(within, [3, 5], 8), trace(careful, [3, 5], 8)
    found = compared(left, right)
    assert found.pairs == [(None, 0), (0, 1), (1, 2)]
    ours, theirs = ([decision.step for decision in run.decisions] for run in (left, right))
    assert found.stops == [(1, theirs[0]), (ours[0], theirs[1]), (ours[1], theirs[2])]


@pytest.mark.parametrize("scenario", scenario_names())
def test_no_stop_goes_back(scenario: str) -> None:
    left = trace(prepare_context, scenario=scenario)
    for right in (trace(prepare_context, scenario="summary"), trace(split_history, scenario="multi")):
        found = compared(left, right)
        assert len(found.stops) == len(found.pairs) == len(found.verdicts)
        for before, after in pairwise(found.stops):
            assert before[0] <= after[0]
            assert before[1] <= after[1]
            assert before != after
        for (one, other), (ours, theirs) in zip(found.pairs, found.stops, strict=True):
            assert one is None or left.decisions[one].step == ours
            assert other is None or right.decisions[other].step == theirs


def test_opens_where_the_runs_part() -> None:
    slip = compared(trace(within, [3, 5, 2], 8), trace(below, [3, 5, 2], 8))
    assert slip.opening == slip.stops[1]
    assert compared(trace(within, [3], 8), trace(within, [3], 8)).opening == (0, 0)


def test_the_first_difference_may_be_a_decision_of_one_run_alone() -> None:
    found = compared(trace(within, [], 8), trace(careful, [], 8))
    assert (found.pairs, found.first_difference) == ([(None, 0)], 0)
    found = compared(trace(careful, [], 8), trace(within, [], 8))
    assert (found.pairs, found.first_difference) == ([(0, None)], 0)


def test_the_runs_are_paired_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    pair = paired_runs.paired
    monkeypatch.setattr(paired_runs, "paired", lambda *given: counted.append(given) or pair(*given))
    found = compared(trace(within, [3, 5, 2], 8), trace(below, [3, 5, 2], 8))
    assert (found.pairs, found.opening, found.first_difference) == ([(0, 0), (1, 1), (2, 2)], (8, 8), 1)
    assert found.lines
    assert found.verdicts
    assert len(counted) == 1


def dropped(sizes: list[int], limit: int) -> list[int]:
    kept = list(sizes)
    while sum(kept) > limit:
        kept.pop(0)
    return kept


def test_the_first_difference_is_shown_where_either_of_its_decisions_stands_first() -> None:
    for limits, row in (((5, 4), (None, 1)), ((4, 5), (1, None))):
        left, right = (trace(dropped, [5, 3, 2], limit) for limit in limits)
        found = compared(left, right)
        assert found.opening == (left.decisions[1].step, right.decisions[1].step)
        assert found.first_difference is not None
        assert found.pairs[found.first_difference] == row


def returned(value: Any) -> Any:
    return value


def test_runs_that_differ_in_the_end_alone_open_there() -> None:
    found = compared(trace(returned, 1), trace(returned, 2))
    assert found.first_difference is None
    assert found.opening == (2, 2)


def test_runs_that_differ_in_their_histories_alone_open_where_they_changed_them() -> None:
    commit = exercise("commit")
    left, right = (
        trace(commit.callable(version), scenario="pending") for version in ("solution", "clears_first")
    )
    found = compared(left, right)
    assert found.first_difference is None
    assert found.opening == (len(left.steps) - 1, right.data["checks"]["in_place"])
    assert found.lines == [
        "No decision tells the two runs apart; the histories differ at the end.",
        "mine first changed its history at step 2 (line 10), reference never did.",
        "They first differ: a list of 4 (reference), a list of 0 (mine).",
    ]


def test_says_which_settings_differ_and_no_other() -> None:
    left, right = (trace(prepare_context, scenario="summary", budget=budget) for budget in (1600, 4000))
    found = compared(left, right)
    assert found.settings == {"budget": ("1600", "4000")}
    assert found.unlike == ["budget is 1600 for reference and 4000 for mine."]


def test_says_that_functions_and_scenarios_differ() -> None:
    found = compared(trace(split_history, scenario="multi"), trace(prepare_context, scenario="summary"))
    assert found.unlike[:2] == [
        "reference ran split_history, mine ran prepare_context.",
        "reference ran on scenario multi, mine on scenario summary.",
    ]
    found = compared(trace(split_history, scenario="multi"), trace(split_history, [{"role": "user"}]))
    assert found.unlike[0] == "reference ran on scenario multi, mine without a scenario."


def looped() -> list[Any]:
    endless: list[Any] = [1]
    endless.append(endless)
    return endless


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([1, [2]], [1, [2]], True),
        ([1, [2]], [1, [3]], False),
        ({"a": "x"}, {"a": "y"}, False),
        (1, True, False),
        (1, "1", False),
        (1, 1.0, False),
        (None, "None", False),
        (looped(), looped(), True),
        (looped(), [1, [1]], False),
        (float("nan"), float("nan"), True),
    ],
)
def test_values_are_compared_by_content_and_type(one: Any, other: Any, same: bool) -> None:
    found = compared(trace(returned, one), trace(returned, other))
    assert ("value" not in found.settings) is same


def test_values_that_read_the_same_are_told_apart() -> None:
    found = compared(trace(returned, [{}, {}, {}, {1: 2}]), trace(returned, [{}, {}, {}, {1: 3}]))
    assert found.unlike == ["value is not the same, though both are a list of 4."]


def test_every_odd_run_can_be_compared(odd_trace: Trace) -> None:
    for left, right in ((odd_trace, odd_trace), (odd_trace, trace(prepare_context, scenario="summary"))):
        found = compared(left, right)
        assert found.lines
        assert len(found.stops) == len(found.pairs)
        assert all("\n" not in line and line.isprintable() for line in [*found.lines, *found.unlike])

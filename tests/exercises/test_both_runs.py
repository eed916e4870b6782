"""The two runs of a verdict: where they part is named, also where only the history differs afterwards."""

import pytest

from ctxlab.exercises.checking import check_exercise
from ctxlab.exercises.exercise import exercise

PART = "Where the two runs part:"


@pytest.mark.parametrize(
    ("name", "version"),
    [("commit", "rebinds"), ("commit", "appends"), ("one_round", "message_each"), ("one_round", "no_mark")],
)
def test_a_history_that_differs_afterwards_names_where_it_was_changed(name: str, version: str) -> None:
    each = exercise(name)
    verdict = check_exercise(each, each.callable(version))
    at = verdict.lines.index(PART)
    assert verdict.lines[at + 1] == "  No decision tells the two runs apart; the histories differ at the end."
    assert "reference first changed its history at step" in verdict.lines[at + 2]
    compare = verdict.compare()
    assert compare.divergence is not None
    assert compare.divergence["kind"] == "input"
    assert compare.steps == [compare.divergence["left"], compare.divergence["right"]]


@pytest.mark.parametrize(
    ("name", "version"), [("commit", "shares"), ("commit", "shallow_copy"), ("one_round", "gives_history")]
)
def test_what_is_only_shared_cannot_be_seen_side_by_side(name: str, version: str) -> None:
    each = exercise(name)
    verdict = check_exercise(each, each.callable(version))
    assert PART not in verdict.lines
    assert verdict.runs is None

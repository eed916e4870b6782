"""Order: a fixed start that is never right, faces without the order, and an arrangement that is kept."""

from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.exercises import order
from ctxlab.exercises.activities.lesson import lesson_names
from ctxlab.exercises.activities.order import FUNCTIONS, Order, shuffled
from ctxlab.exercises.activities.steps import Step, steps_of
from ctxlab.exercises.progress_file import record_answer

RIGHT = [0, 1, 2, 3]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_starts_the_same_each_time_and_never_right(name: str) -> None:
    widget = Order("01", FUNCTIONS[name])
    assert widget.places == widget.start == Order("01", FUNCTIONS[name]).places
    assert sorted(widget.places) == list(range(len(widget.steps)))
    assert widget.places[0] != 0


def test_an_alphabet_that_is_right_is_turned_round() -> None:
    assert shuffled([Step(text, ()) for text in "abc"]) == [2, 1, 0]
    assert shuffled([Step(text, ()) for text in "bca"]) == [2, 0, 1]


@pytest.mark.parametrize("number", lesson_names())
def test_faces_show_the_steps_as_they_start(number: str, faces: Callable[..., Any]) -> None:
    widget = order(number)
    text, html = faces(widget)
    shown = [line.removeprefix("  - ") for line in text.splitlines() if line.startswith("  - ")]
    assert shown == [widget.steps[index]["text"] for index in widget.start]
    assert "which this step uses" not in text + html
    assert html.count("<li>") == len(shown)
    assert repr(widget) == f"<Order, lesson {number}>"


def test_an_arrangement_is_kept_when_it_is_checked(
    answer: Callable[..., Any], faces: Callable[..., Any]
) -> None:
    widget = Order("01", FUNCTIONS["split_history"])
    before = faces(widget)
    assert answer(widget, places=[0, 1, 3, 2]) is None
    kept = {"places": [0, 1, 3, 2], "checked": True, "tries": 1, "given_up": False}
    assert answer(widget, checked=True, tries=1) == kept
    again = Order("01", FUNCTIONS["split_history"])
    assert {name: getattr(again, name) for name in again.kept} == kept
    assert faces(again) == before
    assert answer(again, places=RIGHT, given_up=True, checked=False)["given_up"] is True


@pytest.mark.parametrize(
    "change",
    [
        {"places": [0, 1, 2]},
        {"places": [0, 1, 2, 2]},
        {"places": [0, 1, 2, 4]},
        {"places": [0, 1, 2, "3"]},
        {"places": [0, True, 2, 3]},
        {"places": None},
        {"tries": "1"},
        {"checked": 1},
        {"given_up": None},
        {"more": 1},
    ],
)
def test_an_arrangement_that_does_not_fit_is_left_alone(change: dict[str, Any]) -> None:
    kept = {"places": RIGHT, "checked": True, "tries": 1, "given_up": False}
    record_answer("01", "order", kept)
    assert Order("01", FUNCTIONS["split_history"]).places == RIGHT
    record_answer("01", "order", kept | change)
    widget = Order("01", FUNCTIONS["split_history"])
    assert (widget.places, widget.checked, widget.tries) == (widget.start, False, 0)


def test_every_function_of_a_lesson_has_steps() -> None:
    assert all(len(steps_of(function)) > 3 for function in FUNCTIONS.values())

"""Explain: the model answer is in no face, and a sentence is kept once it has opened it."""

from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.exercises import explain
from ctxlab.exercises.activities.lesson import lesson, lesson_names
from ctxlab.exercises.progress_file import record_answer


@pytest.mark.parametrize("number", lesson_names())
def test_faces_show_the_question_and_never_the_answer(number: str, faces: Callable[..., Any]) -> None:
    text, html = faces(explain(number))
    assert lesson(number).explain.question in text
    assert lesson(number).explain.model_answer not in text
    assert lesson(number).explain.model_answer[:30] not in html
    assert repr(explain(number)) == f"<Explain, lesson {number}>"


def test_a_sentence_is_kept_when_it_opens_the_model_answer(
    answer: Callable[..., Any], faces: Callable[..., Any]
) -> None:
    widget = explain("01")
    before = faces(widget)
    assert answer(widget, sentence="A beginning") is None
    assert answer(widget, sentence="<b>Mine</b>", opened=True) == {"sentence": "<b>Mine</b>", "opened": True}
    again = explain("01")
    assert (again.sentence, again.opened) == ("<b>Mine</b>", True)
    assert faces(again) == before
    assert answer(again, sentence="Better") == {"sentence": "Better", "opened": True}


@pytest.mark.parametrize(
    "kept",
    [
        {"sentence": " ", "opened": True},
        {"sentence": 5, "opened": True},
        {"sentence": "x", "opened": False},
        {"sentence": "x", "opened": 1},
        {"sentence": "x"},
        {"sentence": "x", "opened": True, "more": 0},
    ],
)
def test_an_answer_that_does_not_fit_is_left_alone(kept: dict[str, Any]) -> None:
    record_answer("01", "explain", kept)
    assert (explain("01").sentence, explain("01").opened) == ("", False)

"""Recall: its faces hold questions and options only, and what was chosen is kept."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.exercises import recall
from ctxlab.exercises.activities.lesson import Option, Question, lesson, lesson_names
from ctxlab.exercises.activities.recall import Recall
from ctxlab.exercises.progress_file import record_answer

HOSTILE = "<img src=x onerror=alert(1)></script>"


@pytest.mark.parametrize("number", lesson_names())
def test_faces_show_what_is_asked_and_never_the_answer(number: str, faces: Callable[..., Any]) -> None:
    text, html = faces(recall(number))
    for question in lesson(number).recall:
        assert question.question in text
        for option in question.options:
            assert f"  - {option.text}" in text
            assert option.says not in text + html
    assert repr(recall(number)) == f"<Recall, lesson {number}>"


def test_faces_stay_the_same_whatever_was_answered(
    faces: Callable[..., Any], answer: Callable[..., Any]
) -> None:
    widget = recall("01")
    before = faces(widget)
    answer(widget, chosen=[[1, 0], [0]])
    assert faces(widget) == faces(recall("01")) == before
    assert not re.search(r"0x[0-9a-f]{6}|IPY_MODEL", "".join(before))


def test_hostile_text_is_escaped_in_the_html_face(faces: Callable[..., Any]) -> None:
    options = [Option(text=HOSTILE, right=right, says=HOSTILE) for right in (True, False)]
    text, html = faces(Recall("01", [Question(question=HOSTILE, options=options)]))
    assert HOSTILE in text
    assert "<img" not in html
    assert html.count("&lt;img src=x onerror=alert(1)&gt;") == 3


def test_what_was_chosen_is_kept_and_comes_back(answer: Callable[..., Any]) -> None:
    first = recall("01")
    assert answer(first, chosen=[[1], []]) == {"chosen": [[1], []]}
    assert recall("01").chosen == [[1], []]
    assert recall("02").chosen == [[], []]
    assert first.notice == ""


@pytest.mark.parametrize(
    "kept", [None, [], [[9], []], [[0]], [["0"], []], [0, 1], [[True], []], [[-1], []], {"0": []}]
)
def test_an_answer_that_does_not_fit_the_questions_is_left_alone(kept: Any) -> None:
    record_answer("01", "recall", {"chosen": kept})
    assert recall("01").chosen == [[], []]


def test_an_answer_that_cannot_be_kept_is_told(home: Path, answer: Callable[..., Any]) -> None:
    home.write_text("")
    widget = recall("01")
    answer(widget, chosen=[[0], []])
    assert widget.chosen == [[0], []]
    assert widget.notice.startswith("Your progress is not kept: ")


def test_a_damaged_file_is_told_when_the_lesson_opens(home: Path) -> None:
    home.mkdir()
    (home / "progress.json").write_text("{")
    assert "It was set aside as progress.damaged-1.json" in recall("01").notice
    assert recall("01").notice == ""


def test_refuses_a_lesson_that_there_is_not() -> None:
    with pytest.raises(CtxlabError, match="there is no lesson '1'; there are '00', '01'"):
        recall("1")

"""Hints in three levels, and the folded solution."""

from html import unescape
from pathlib import Path

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.exercises import hint, solution
from ctxlab.exercises.exercise import exercise, exercise_names
from ctxlab.exercises.progress_file import read

NAME = "safe_cut"


def levels(text: str) -> list[int]:
    """The levels of the hints that a text shows, each with the words of the exercise."""
    hints = exercise(NAME).hints
    return [number for number in (1, 2, 3) if f"Hint {number} of 3: {hints[number - 1]}" in text]


def test_each_call_shows_one_hint_more_and_those_before_it() -> None:
    seen = [repr(hint(NAME)) for _ in range(4)]
    assert [levels(text) for text in seen] == [[1], [1, 2], [1, 2, 3], [1, 2, 3]]
    assert read()[0].exercise(NAME).hints == 3


def test_says_how_many_are_left() -> None:
    assert '2 more hints: hint("safe_cut", level=2) shows the next.' in repr(hint(NAME))
    assert '1 more hint: hint("safe_cut", level=3) shows the next.' in repr(hint(NAME))
    assert 'No hint is left. solution("safe_cut") shows a solution.' in repr(hint(NAME))


def test_a_level_may_be_asked_for_and_counts() -> None:
    assert levels(repr(hint(NAME, level=2))) == [1, 2]
    assert levels(repr(hint(NAME, level=1))) == [1]
    assert levels(repr(hint(NAME))) == [1, 2, 3]


@pytest.mark.parametrize("level", [0, 4, -1, "2", 2.0, True])
def test_refuses_a_level_that_there_is_not(level: object) -> None:
    with pytest.raises(CtxlabError, match=r"level is .*; safe_cut has the hints 1 to 3"):
        hint(NAME, level=level)  # type: ignore[arg-type]
    assert read()[0].exercise(NAME).hints == 0


@pytest.mark.parametrize("show", [hint, solution])
def test_refuses_a_name_that_there_is_not(show: object) -> None:
    with pytest.raises(CtxlabError, match="there is no exercise 'safe_cat'; did you mean 'safe_cut'"):
        show("safe_cat")  # type: ignore[operator]


def test_without_a_place_for_progress_hints_are_shown_and_the_rest_is_said(home: Path) -> None:
    home.write_text("")
    text = repr(hint(NAME))
    assert levels(text) == [1]
    assert "Your progress is not kept: " in text
    assert levels(repr(hint(NAME, level=2))) == [1, 2]


def test_a_damaged_progress_file_is_told_once(home: Path) -> None:
    home.mkdir()
    (home / "progress.json").write_text("{")
    assert "It was set aside as progress.damaged-1.json" in repr(hint(NAME))
    assert "set aside" not in repr(hint(NAME))


@pytest.mark.parametrize("name", exercise_names())
def test_both_faces_say_the_same(name: str) -> None:
    shown = hint(name, level=3)
    paragraphs = shown._repr_html_().removeprefix("<div><p>").removesuffix("</p></div>").split("</p><p>")
    assert [unescape(each) for each in paragraphs] == repr(shown).splitlines()


def test_the_solution_is_folded_in_html_and_plain_as_text() -> None:
    shown = solution(NAME)
    text = exercise(NAME).solution.rstrip()
    assert repr(shown) == f"A solution of safe_cut:\n\n{text}"
    html = shown._repr_html_()
    assert html.startswith("<details><summary>A solution of safe_cut</summary><pre><code>")
    assert " open" not in html.split(">")[0]
    assert text in unescape(html)

"""The table of what is done and what comes next, and beginning a lesson again."""

from pathlib import Path

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.exercises import progress, reset
from ctxlab.exercises.activities.lesson import ACTIVITIES
from ctxlab.exercises.exercise import exercise_names
from ctxlab.exercises.progress_file import read, record_answer, record_check, record_hint


def row(lesson: str) -> list[str]:
    line = next(line for line in repr(progress()).splitlines() if line.startswith(lesson))
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_a_fresh_folder_shows_the_same_each_time_and_the_first_exercise(home: Path) -> None:
    first = progress()
    assert first == progress()
    assert repr(first).splitlines()[0].split("  ")[0] == "lesson"
    assert f"Next: the exercise {exercise_names()[0]} in 00_start.ipynb." in repr(first)
    assert not home.exists()


def test_a_row_counts_what_was_done_in_a_lesson() -> None:
    first, second, *_ = exercise_names("01")
    record_check(first, True)
    record_check(second, False)
    record_hint(first, 2)
    record_hint(second, 1)
    record_answer("01", "explain", {"sentence": "x"})
    record_answer("01", "another", {})
    assert row("01_split") == ["01_split", f"1 of {len(exercise_names('01'))}", "3", "1 of 4"]
    assert row("02_trim")[2:] == ["0", "0 of 4"]


def test_the_next_exercise_is_the_first_open_one_of_the_first_unfinished_lesson() -> None:
    for name in [*exercise_names("00"), *exercise_names("02")]:
        record_check(name, True)
    first, second, *_ = exercise_names("01")
    record_check(first, False)
    record_check(second, True)
    assert f"Next: the exercise {first} in 01_split.ipynb." in repr(progress())
    for name in exercise_names():
        record_check(name, True)
    assert repr(progress()).endswith("Every exercise is done.")


def test_the_html_face_has_the_cells_of_the_text() -> None:
    record_check(exercise_names("01")[0], True)
    html = progress()._repr_html_()
    assert html.count("<tr>") == len(repr(progress()).splitlines()) - 2
    for cell in [*row("01_split"), "Next: the exercise"]:
        assert cell in html


def test_damage_is_said_below_the_table(home: Path) -> None:
    home.mkdir()
    (home / "progress.json").write_text("{")
    assert repr(progress()).endswith("correct it and rename it to progress.json.")


def test_a_folder_that_cannot_be_used_is_said_below_the_table(home: Path) -> None:
    home.write_text("")
    assert f"\nYour progress cannot be read: {home}/progress.json cannot be used (Not a directory). " in repr(
        progress()
    )
    home.unlink()
    (home / "progress.lock").mkdir(parents=True)
    assert f"\nYour progress is not kept: {home}/progress.lock cannot be used (Is a directory). " in repr(
        progress()
    )


def test_reset_forgets_one_lesson() -> None:
    for lesson in ("01", "02"):
        record_check(exercise_names(lesson)[0], True)
        for activity in ACTIVITIES:
            record_answer(lesson, activity, {})
    assert repr(reset("01")) == "Lesson 01 is as new. Run its cells again to begin."
    assert read()[0].lessons.keys() == {"02"}
    assert row("01_split")[3] == "0 of 4"
    assert row("02_trim")[3] == "4 of 4"


@pytest.mark.parametrize("lesson", ["1", 1, "99", "../02", None])
def test_reset_refuses_a_lesson_that_there_is_not(lesson: object) -> None:
    with pytest.raises(CtxlabError, match=r"there is no lesson .*; there are '00', '01'"):
        reset(lesson)  # type: ignore[arg-type]


def test_reset_says_when_it_could_not(home: Path) -> None:
    home.write_text("")
    assert repr(reset("01")).startswith("Your progress is not kept: ")

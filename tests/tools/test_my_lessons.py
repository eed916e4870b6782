"""The learner's copies: made once, never overwritten, renewed on demand with the earlier copy kept."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def project(root: Path, tmp_path: Path) -> Path:
    """A small project of its own with the tool and two lessons in it."""
    (tmp_path / "tools").mkdir()
    shutil.copy(root / "tools" / "my_lessons.py", tmp_path / "tools")
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "00_start.ipynb").write_text("start, as shipped")
    (tmp_path / "lessons" / "01_split.ipynb").write_text("split, as shipped")
    return tmp_path


def my_lessons(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, project / "tools" / "my_lessons.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def contents(project: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (project / "my-lessons").iterdir()}


def test_copy_brings_every_lesson(project: Path) -> None:
    assert my_lessons(project, "copy").returncode == 0
    assert contents(project) == {"00_start.ipynb": "start, as shipped", "01_split.ipynb": "split, as shipped"}


def test_copy_never_overwrites(project: Path) -> None:
    my_lessons(project, "copy")
    (project / "my-lessons" / "01_split.ipynb").write_text("my answers")
    (project / "lessons" / "01_split.ipynb").write_text("split, second edition")
    (project / "lessons" / "02_trim.ipynb").write_text("trim, as shipped")
    assert my_lessons(project, "copy").stdout.startswith("1 lessons copied")
    assert contents(project) == {
        "00_start.ipynb": "start, as shipped",
        "01_split.ipynb": "my answers",
        "02_trim.ipynb": "trim, as shipped",
    }


def test_reset_renews_one_and_keeps_each_earlier_copy(project: Path) -> None:
    my_lessons(project, "copy")
    for answers in ("first answers", "second answers"):
        (project / "my-lessons" / "01_split.ipynb").write_text(answers)
        assert my_lessons(project, "reset", "01").returncode == 0
    assert contents(project) == {
        "00_start.ipynb": "start, as shipped",
        "01_split.ipynb": "split, as shipped",
        "01_split.old-1.ipynb": "first answers",
        "01_split.old-2.ipynb": "second answers",
    }


@pytest.mark.parametrize("number", ["", "07", "*", "../01"])
def test_reset_of_no_lesson_says_which_there_are(project: Path, number: str) -> None:
    run = my_lessons(project, "reset", number)
    assert run.returncode == 1
    assert "00, 01" in run.stderr
    assert not (project / "my-lessons").exists()

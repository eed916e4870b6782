"""The progress file: two kernels at once, a kill, damage of every kind, a folder that cannot be used."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import CtxlabError
from ctxlab.exercises import progress as progress_view
from ctxlab.exercises.progress_file import (
    Progress,
    forget,
    problem,
    read,
    record_answer,
    record_check,
    record_hint,
)
from ctxlab.messages.disk import home_folder

NAME, OTHER = "safe_cut", "my_split"
EMPTY: dict[str, Any] = {"format": "ctxlab.progress/1", "lessons": {}}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def content(home: Path) -> Any:
    return json.loads((home / "progress.json").read_text(encoding="utf-8"))


def write(home: Path, data: bytes) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "progress.json").write_bytes(data)


def python(code: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True)


def test_without_a_file_there_is_no_progress_and_none_is_made(home: Path) -> None:
    assert read() == (Progress(), "")
    assert not home.exists()


def test_a_check_is_counted_and_a_pass_stays(home: Path) -> None:
    for passed in (False, True, False):
        assert record_check(NAME, passed) == ""
    assert content(home) == {
        "format": "ctxlab.progress/1",
        "lessons": {"01": {"exercises": {NAME: {"attempts": 3, "passed": True, "hints": 0}}, "answers": {}}},
    }


def test_a_hint_is_kept_by_its_level(home: Path) -> None:
    for level in (1, 3, 2):
        assert record_hint(NAME, level) == ""
    assert read()[0].exercise(NAME).hints == 3


def test_an_answer_takes_the_place_of_the_one_before() -> None:
    record_answer("01", "explain", {"sentence": "first"})
    record_answer("01", "recall", {"chosen": [[0], []]})
    assert record_answer("01", "explain", {"sentence": "</script>\ud800\u202e\0"}) == ""
    assert read()[0].lesson("01").answers == {
        "explain": {"sentence": "</script>\ud800\u202e\0"},
        "recall": {"chosen": [[0], []]},
    }


def test_a_lesson_is_forgotten_alone() -> None:
    record_check(NAME, True)
    record_answer("01", "explain", {"sentence": "gone"})
    record_answer("02", "explain", {"sentence": "stays"})
    assert forget("01") == ""
    assert read()[0].lessons.keys() == {"02"}
    assert forget("01") == ""


def test_an_exercise_that_there_is_not_is_a_mistake_of_the_caller(home: Path) -> None:
    with pytest.raises(CtxlabError, match="there is no exercise 'safe_cat'; did you mean 'safe_cut'"):
        record_check("safe_cat", True)
    assert not (home / "progress.json").exists()


def test_the_file_is_in_the_users_own_folder_without_the_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CTXLAB_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    record_check(NAME, True)
    assert [path.name for path in tmp_path.rglob("progress.json")] == ["progress.json"]


def test_a_tilde_is_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CTXLAB_HOME", "~/mine")
    assert record_check(NAME, True) == ""
    assert (tmp_path / "mine" / "progress.json").exists()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTXLAB_HOME", "~nobody_of_this_name/x")
    assert record_check(NAME, True) == ""


def test_a_relative_folder_is_named_in_full(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTXLAB_HOME", "mine")
    assert home_folder() == tmp_path / "mine"


def test_a_working_directory_that_is_gone_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setenv("CTXLAB_HOME", "mine")
    gone.rmdir()
    assert record_check(NAME, True).startswith("Your progress is not kept: mine cannot be used (No such file")


# Damage

WRONG_TYPES = [
    {**EMPTY, "lessons": []},
    {**EMPTY, "lessons": {"01": None}},
    {**EMPTY, "lessons": {"01": {"exercises": {NAME: {"attempts": "3"}}}}},
    {**EMPTY, "lessons": {"01": {"exercises": {NAME: {"attempts": -1}}}}},
    {**EMPTY, "lessons": {"01": {"exercises": {NAME: {"attempts": True}}}}},
    {**EMPTY, "lessons": {"01": {"exercises": {NAME: {"passed": 1}}}}},
    {**EMPTY, "lessons": {"01": {"exercises": {NAME: {"hints": 4}}}}},
    {**EMPTY, "lessons": {"01": {"answers": {"recall": [0]}}}},
    {**EMPTY, "lessons": {}, "more": 1},
    [],
    None,
    "ctxlab.progress/1",
]


@pytest.mark.parametrize("data", WRONG_TYPES)
def test_a_wrong_type_inside_is_damage(home: Path, data: Any) -> None:
    text = json.dumps(data).encode()
    write(home, text)
    progress, notice = read()
    assert progress == Progress()
    assert notice.startswith(f"{home / 'progress.json'} ")
    assert "It was set aside as progress.damaged-1.json, and a new one was begun. To go on with " in notice
    assert (home / "progress.damaged-1.json").read_bytes() == text


@pytest.mark.parametrize("data", [None, [], 7])
def test_what_is_no_object_is_said_in_words(home: Path, data: Any) -> None:
    write(home, json.dumps(data).encode())
    assert read()[1].startswith(f"{home / 'progress.json'} holds no JSON object. It was set aside as ")


@pytest.mark.parametrize("new", ["ctxlab.progress/2", None, 1, ["ctxlab.progress/1"]])
def test_another_format_is_set_aside(home: Path, new: Any) -> None:
    write(home, json.dumps({**EMPTY, "format": new}).encode())
    assert "is not of the format ctxlab.progress/1: another version of ctxlab may have" in read()[1]
    assert (home / "progress.damaged-1.json").exists()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is not readable JSON"),
        (b"\xff\xfe{", "is not readable JSON"),
        (b'{"format": "ctxlab.progress/1", "lessons": {', "is not readable JSON"),
        (b"[" * 200_000, "is not readable JSON"),
        (b'{"format": ' + b"9" * 5000 + b"}", "is not readable JSON"),
        (b" " * 10_000_001, "has over 10000000 bytes"),
    ],
    ids=["empty", "no UTF-8", "cut off", "deep", "long number", "large"],
)
def test_what_cannot_be_read_is_set_aside(home: Path, data: bytes, what: str) -> None:
    write(home, data)
    assert what in record_check(NAME, True)
    assert (home / "progress.damaged-1.json").read_bytes() == data
    assert read()[0].exercise(NAME).passed, "what was recorded then is kept"


@pytest.mark.parametrize("depth", [100, 900, 2000, 50_000])
def test_an_answer_of_any_depth_breaks_nothing(home: Path, depth: int) -> None:
    """How deep a value may be to be read, and to be written again, differs from one Python to the next."""
    deep = b'{"format": "ctxlab.progress/1", "lessons": {"01": {"answers": {"explain": {"x": %s}}}}}'
    write(home, deep % (b"[" * depth + b"]" * depth))
    kept = record_check(NAME, True) == ""
    assert read()[0].exercise(NAME).passed
    assert kept != (home / "progress.damaged-1.json").exists()


def test_damaged_files_are_numbered(home: Path) -> None:
    for number in (1, 2, 3):
        write(home, b"damage %d" % number)
        assert f"set aside as progress.damaged-{number}.json" in record_check(NAME, False)
    assert (home / "progress.damaged-2.json").read_bytes() == b"damage 2"


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_something_else_in_the_place_of_the_file_is_set_aside(home: Path, make: Any) -> None:
    home.mkdir()
    make(home / "progress.json")
    assert "progress.json is no file. It was set aside" in record_check(NAME, True)
    assert read()[0].exercise(NAME).passed


@given(data=st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_no_content_breaks_a_check_or_is_lost(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CTXLAB_HOME", folder)
        write(Path(folder), data)
        notice = record_check(NAME, True)
        assert "\n" not in notice
        assert read()[0].exercise(NAME).attempts == 1
        assert (Path(folder) / "progress.damaged-1.json").read_bytes() == data


@given(answer=st.dictionaries(st.text(), json_values))
def test_every_answer_comes_back_as_it_was(answer: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CTXLAB_HOME", folder)
        assert record_answer("01", "explain", answer) == ""
        assert read()[0].lesson("01").answers["explain"] == answer


# Folders that cannot be used


def unusable(kind: str, home: Path) -> None:
    if kind == "a file":
        home.write_text("")
    elif kind == "a folder that cannot be made":
        os.environ["CTXLAB_HOME"] = "/proc/ctxlab"  # the fixture puts it back
    elif kind == "a new file that is none":
        (home / "progress.new").mkdir(parents=True)
    else:
        (home / "progress.lock").mkdir(parents=True)


@pytest.mark.parametrize(
    "kind", ["a file", "a folder that cannot be made", "a new file that is none", "a lock that is none"]
)
def test_a_folder_that_cannot_be_used_is_one_line(home: Path, kind: str) -> None:
    unusable(kind, home)
    for notice in (
        record_check(NAME, True),
        record_hint(NAME, 1),
        record_answer("01", "recall", {"chosen": []}),
    ):
        assert notice.startswith("Your progress is not kept: ")
        assert notice.endswith("Correct that, or set CTXLAB_HOME to another folder that you may write to.")
        assert notice.count("\n") == 0
    assert read()[0] == Progress()
    assert "exercises done" in repr(progress_view())


@pytest.mark.parametrize("kind", ["a file", "a lock that is none"])
def test_that_it_cannot_be_used_is_known_before_anything_is_lost(home: Path, kind: str) -> None:
    unusable(kind, home)
    place = home / "progress.lock" if kind == "a lock that is none" else home
    assert problem().startswith(f"Your progress is not kept: {place} cannot be used (")
    assert "Correct that, or set CTXLAB_HOME to another folder" in repr(progress_view())


def test_a_folder_that_could_be_made_is_no_problem_and_is_not_made(home: Path) -> None:
    assert problem() == ""
    assert not home.exists()
    home.write_text("")
    os.environ["CTXLAB_HOME"] = str(home / "below" / "it")  # the fixture puts it back
    assert f"(it cannot be made in {home})" in problem()


def test_a_full_disk_leaves_the_file_as_it_was(home: Path) -> None:
    record_check(NAME, True)
    before = (home / "progress.json").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        assert "File too large" in record_check(NAME, True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (home / "progress.json").read_bytes() == before


# Several processes

MANY_CHECKS = """
import sys
from ctxlab.exercises.progress_file import record_answer, record_check
for i in range(60):
    assert record_check(sys.argv[1], False) == ""
    assert record_answer("02", sys.argv[1], {"i": i}) == ""
"""
FOR_EVER = """
from ctxlab.exercises.progress_file import record_answer
i = 0
while True:
    assert record_answer("01", "explain", {"sentence": "x" * 100_000, "i": i}) == ""
    if i == 0:
        print("begun", flush=True)
    i += 1
"""
HOLD_THE_LOCK = """
import fcntl, sys, time
with open(sys.argv[1], "a") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("held", flush=True)
    time.sleep(60)
"""


def test_two_processes_at_once_lose_nothing() -> None:
    with (
        python(MANY_CHECKS, NAME) as one,
        python(MANY_CHECKS, NAME) as two,
        python(MANY_CHECKS, OTHER) as three,
    ):
        assert [process.wait(60) for process in (one, two, three)] == [0, 0, 0]
    progress, notice = read()
    assert notice == ""
    assert progress.exercise(NAME).attempts == 120
    assert progress.exercise(OTHER).attempts == 60
    assert progress.lesson("02").answers == {NAME: {"i": 59}, OTHER: {"i": 59}}


def test_a_kill_at_any_moment_leaves_a_whole_file(home: Path) -> None:
    for delay in (0.0, 0.003, 0.007, 0.011, 0.02):
        with python(FOR_EVER) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            time.sleep(delay)
            process.kill()
        progress, notice = read()
        assert notice == ""
        assert len(progress.lesson("01").answers["explain"]["sentence"]) == 100_000
        assert record_check(NAME, True) == "", "the lock of a process that was killed is free"
    assert not list(home.glob("progress.damaged-*"))


def test_a_lock_that_is_never_freed_ends_the_wait(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab.exercises.progress_file.WAIT_FOR_LOCK", 0.1)
    home.mkdir()
    with python(HOLD_THE_LOCK, str(home / "progress.lock")) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        notice = record_check(NAME, True)
        process.kill()
    assert "another kernel holds progress.lock" in notice
    assert record_check(NAME, True) == ""

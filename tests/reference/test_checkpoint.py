"""Checkpoints: what is kept, what is refused, damage, side effects, two processes, a full disk."""

import asyncio
import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.wording import visible
from ctxlab.reference.checkpoint import (
    Checkpoint,
    effect_key,
    idempotent_side_effect,
    load,
    locked_task,
    resume,
    save,
    settle_side_effect,
)
from ctxlab.reference.checkpoint_file import sound_fields

CASES = Path(__file__).parents[1] / "data" / "cases"

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
    max_leaves=20,
)


def a_task(**fields: Any) -> Checkpoint:
    whole = {
        "task_id": "t",
        "goal": "Tidy the archive 漢",
        "constraints": ["Ask before deleting"],
        "pinned_conclusions": ["Two copies exist"],
        "pending": ["move::a to b", "report"],
    }
    return Checkpoint(**{**whole, **fields})


def a_record(key: str, **fields: Any) -> dict[str, Any]:
    return {"key": key, "action": "move", "status": "done", "result": None, "time": "12:00", **fields}


def refusal(function: Callable[..., Any], *arguments: Any, **named: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        function(*arguments, **named)
    return caught.value


def names(directory: Path) -> list[str]:
    """The files in a directory, without the lock files."""
    return sorted(path.name for path in directory.iterdir() if path.suffix != ".lock")


def never() -> None:
    raise AssertionError("the side effect was run")


class Act(str, Enum):  # noqa: UP042 - a StrEnum would write itself as it is
    """Texts that write themselves as other texts."""

    MOVE = "move"
    OUT = "../out"


# Save and load


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    task = a_task()
    save(task, directory=tmp_path, now=lambda: "2026-01-01T00:00:00+00:00")
    assert task == a_task(updated_at="2026-01-01T00:00:00+00:00")
    assert load("t", directory=tmp_path) == task
    assert names(tmp_path) == ["t.json"]

    task.pending.pop(0)
    task.pinned_conclusions.insert(0, "The older copy is whole")
    save(task, directory=str(tmp_path))
    assert load("t", directory=tmp_path) == task
    assert task.updated_at > "2026-01-01T00:00:00+00:00"
    assert names(tmp_path) == ["t.json"]


def test_without_a_file_there_is_no_checkpoint_and_nothing_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    assert load("t", directory=folder) is None
    with pytest.raises(FileNotFoundError, match="there is no checkpoint of the task 't'; check the id"):
        resume("t", [], directory=folder)
    assert not folder.exists()


def test_the_default_directory_is_below_the_home_of_ctxlab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CTXLAB_HOME", str(tmp_path / "home"))
    save(a_task())
    monkeypatch.delenv("CTXLAB_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert load("t") is None
    idempotent_side_effect(a_task(), 1, "move", lambda: 7)
    found = sorted(path.parent for path in tmp_path.rglob("t.json"))
    assert found == [tmp_path / "data" / "ctxlab" / "checkpoints", tmp_path / "home" / "checkpoints"]


@pytest.mark.parametrize(
    "task_id",
    [
        *["", " ", "a/b", "a\\b", "..", ".", "a..b", ".hidden", "a.", "a ", "a:b", "a\0b", "a\nb", "\ud800"],
        *["NUL", "com1.x", "x" * 201, "漢" * 67, None, 7, b"a", Path("a"), Act.MOVE, Act.OUT],
    ],
    ids=lambda task_id: repr(task_id)[:12],
)
def test_an_id_that_names_no_file_is_refused(tmp_path: Path, task_id: Any) -> None:
    folder = tmp_path / "state"
    task = a_task(task_id=task_id)
    for function, arguments in (
        (save, (task,)),
        (load, (task_id,)),
        (resume, (task_id, [])),
        (locked_task, (task_id,)),
        (idempotent_side_effect, (task, 1, "move", never)),
    ):
        assert refusal(function, *arguments, directory=folder).code == "bad_task_id"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("task_id", ["order 7.2", "任务-1", "x" * 200, "t.json", "nullable", "a'b*[c]"])
def test_any_other_id_is_a_file_of_its_own(tmp_path: Path, task_id: str) -> None:
    save(a_task(task_id="t"), directory=tmp_path)
    save(a_task(task_id=task_id), directory=tmp_path)
    assert load(task_id, directory=tmp_path).task_id == task_id
    assert names(tmp_path) == sorted(["t.json", f"{task_id}.json"])


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"goal": None}, "has None as its goal, not a text"),
        ({"constraints": "Ask"}, "has 'Ask' as its constraints, not a list of texts"),
        ({"pinned_conclusions": [7]}, "has [7] as its pinned_conclusions"),
        ({"pending": ["report", "::detail"]}, "has '::detail' as pending step 1, which names no tool"),
        ({"side_effects": []}, "has a list as its side_effects"),
        ({"side_effects": {"k": {"key": "k"}}}, "as the record of the side effect 'k'"),
        ({"side_effects": {"k": a_record("k", action=5)}}, "has no texts as the action and the time of"),
        ({"side_effects": {"k": a_record("k", time=None)}}, "has no texts as the action and the time of"),
        ({"side_effects": {"k": a_record("k", result={1})}}, "has no UTF-8 JSON form"),
        ({"side_effects": None}, "has None as its side_effects"),
        ({"version": 2}, "has the version 2, not 1"),
        ({"version": True}, "has the version True, not 1"),
        ({"goal": "\ud800"}, "has no UTF-8 JSON form"),
        ({"goal": "x" * 10_000_000}, "at most 10000000 are allowed"),
    ],
    ids=str.split(
        "goal constraints pinned pending effects record action time set none version bool surrogate size"
    ),
)
def test_a_field_that_cannot_be_stored_is_named(tmp_path: Path, fields: dict[str, Any], words: str) -> None:
    folder = tmp_path / "state"
    task = a_task(**fields)
    for function, arguments in (
        (save, (task,)),
        (idempotent_side_effect, (task, 1, "move", never)),
        (settle_side_effect, (task, 1, "move", True)),
    ):
        refused = refusal(function, *arguments, directory=folder)
        assert (refused.code, words in str(refused)) == ("bad_argument", True), refused
    assert not folder.exists()


@pytest.mark.parametrize("directory", [5, b"state", "nul\0", "half \ud800", ["state"]], ids=repr)
def test_what_is_no_path_is_no_directory(directory: Any) -> None:
    for function, arguments in (
        (save, (a_task(),)),
        (load, ("t",)),
        (resume, ("t", [])),
        (locked_task, ("t",)),
        (idempotent_side_effect, (a_task(), 1, "move", never)),
    ):
        refused = refusal(function, *arguments, directory=directory)
        assert (refused.code, str(refused)[:13]) == ("bad_argument", "directory is ")


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    # None would mean that the task is new.
    with pytest.raises(NotADirectoryError):
        load("t", directory=tmp_path / "file")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"goal": "Tidy"}, "goal and constraints never change"),
        ({"constraints": []}, "goal and constraints never change"),
        ({"pinned_conclusions": ["Another"]}, "the pinned conclusion 'Two copies exist' is gone"),
        ({"side_effects": {}}, "the side effect 't/1/move' was recorded since; resume the task again"),
    ],
    ids=str.split("goal constraints pinned effects"),
)
def test_a_save_loses_nothing_that_was_saved(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    task = a_task()
    idempotent_side_effect(task, 1, "move", lambda: "moved", directory=tmp_path)
    before = (tmp_path / "t.json").read_bytes()
    refused = refusal(save, replace(task, **change), directory=tmp_path)
    assert (refused.code, words in str(refused)) == ("bad_argument", True), refused
    assert (tmp_path / "t.json").read_bytes() == before


@pytest.mark.parametrize("stored", ["unknown", "done", "not_done"])
@pytest.mark.parametrize("given", ["unknown", "done", "not_done"])
def test_a_save_changes_no_outcome(tmp_path: Path, stored: str, given: str) -> None:
    save(a_task(side_effects={"k": a_record("k", status=stored)}), directory=tmp_path)
    stale = a_task(side_effects={"k": a_record("k", status=given)}, pending=[])
    if given == stored:
        save(stale, directory=tmp_path)
        assert load("t", directory=tmp_path).pending == []
    else:
        assert "'k' was recorded since; resume" in str(refusal(save, stale, directory=tmp_path))
        assert load("t", directory=tmp_path).side_effects["k"]["status"] == stored


def test_many_conclusions_are_compared_at_once(tmp_path: Path) -> None:
    task = a_task(pinned_conclusions=[f"conclusion {number}" for number in range(30_000)])
    save(task, directory=tmp_path)
    began = time.process_time()
    save(task, directory=tmp_path)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (save, ({"task_id": "t"},), "a dict was given to save"),
        (idempotent_side_effect, (None, 1, "move", never), "None was given, not a Checkpoint"),
        (idempotent_side_effect, (a_task(), True, "move", never), "step_no is True"),
        (idempotent_side_effect, (a_task(), -1, "move", never), "step_no is -1"),
        (idempotent_side_effect, (a_task(), 10**5000, "move", never), "step_no is a value of type int, not"),
        (idempotent_side_effect, (a_task(), 1, " ", never), "action is ' '"),
        (idempotent_side_effect, (a_task(), 1, Act.MOVE, never), "not a plain text that says what is done"),
        (idempotent_side_effect, (a_task(), 1, "move", "never"), "run is a str, not a function"),
        (settle_side_effect, ({}, 1, "move", True), "a dict was given, not a Checkpoint"),
        (settle_side_effect, (a_task(), 1, "move", "no"), "happened is 'no', not True or False"),
        (settle_side_effect, (a_task(), 1, "move", 1), "happened is 1, not True or False"),
        (resume, ("t", "move"), "current_tools is a str, not a list"),
        (resume, ("t", None), "current_tools is None, not a list"),
    ],
)
def test_other_arguments_are_refused(
    tmp_path: Path, function: Callable[..., Any], arguments: tuple[Any, ...], words: str
) -> None:
    refused = refusal(function, *arguments, directory=tmp_path / "state")
    assert (refused.code, words in str(refused)) == ("bad_argument", True), refused
    assert not (tmp_path / "state").exists()


# Damage


def test_a_file_cut_at_any_byte_is_damaged_and_set_aside(tmp_path: Path) -> None:
    idempotent_side_effect(a_task(), 1, "move", lambda: "moved", directory=tmp_path)
    path = tmp_path / "t.json"
    whole = path.read_bytes()
    # Without only its last byte, a line break, the content is whole.
    for length in range(len(whole) - 1):
        path.write_bytes(whole[:length])
        refused = refusal(load, "t", directory=tmp_path)
        aside = tmp_path / "t.json.damaged-1"
        assert (refused.code, aside.name in str(refused)) == ("damaged", True)
        assert names(tmp_path) == [aside.name]
        assert aside.read_bytes() == whole[:length]
        assert refusal(load, "t", directory=tmp_path).code == "damaged"
        aside.unlink()
    path.write_bytes(whole[:-1])
    assert load("t", directory=tmp_path).goal == a_task().goal


def with_field(name: str, value: Any) -> bytes:
    return json.dumps({**vars(a_task()), name: value}).encode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not readable JSON"),
        (b"\xff\xfe", "is not readable JSON"),
        (with_field("goal", "x").decode().encode("utf-16"), "is not readable JSON"),
        (b"[" * 100_000, "is not readable JSON"),
        (with_field("goal", "\ud800"), "is not readable JSON"),
        (b"[]", "does not hold the fields"),
        (b'{"task_id": "t"}', "does not hold the fields"),
        (with_field("more", 1), "does not hold the fields"),
        (with_field("version", True), "has the version True, not 1"),
        (with_field("pending", [""]), "as pending step 0, which names no tool"),
        (with_field("side_effects", {"k": {}}), "has {} as the record of the side effect 'k'"),
        (b" " * 10_000_001, "has over 10000000 bytes"),
    ],
    ids=str.split("empty bytes utf16 deep surrogate list part more version pending record large"),
)
@pytest.mark.parametrize("function", ["load", "save", "resume", "effect"])
def test_a_damaged_file_is_set_aside_and_nothing_is_overwritten(
    tmp_path: Path, content: bytes, words: str, function: str
) -> None:
    (tmp_path / "t.json").write_bytes(content)
    (tmp_path / "t.json.damaged-1").write_text("an earlier one")
    refused = refusal(ways_to_begin(tmp_path)[function])
    assert (refused.code, words in str(refused)) == ("damaged", True), refused
    assert "It was set aside as t.json.damaged-2. Correct t.json.damaged-2 and rename" in str(refused)
    assert names(tmp_path) == ["t.json.damaged-1", "t.json.damaged-2"]
    assert (tmp_path / "t.json.damaged-1").read_text() == "an earlier one"
    assert (tmp_path / "t.json.damaged-2").read_bytes() == content


def ways_to_begin(directory: Path) -> dict[str, Callable[[], Any]]:
    return {
        "load": lambda: load("t", directory=directory),
        "save": lambda: save(a_task(), directory=directory),
        "resume": lambda: resume("t", [], directory=directory),
        "effect": lambda: idempotent_side_effect(a_task(), 1, "move", never, directory=directory),
    }


def test_a_task_whose_file_was_set_aside_is_not_begun_anew(tmp_path: Path) -> None:
    task = a_task()
    idempotent_side_effect(task, 1, "move", lambda: "moved", directory=tmp_path)
    path = tmp_path / "t.json"
    whole = path.read_bytes()
    for _ in range(11):
        path.write_bytes(whole[:-20])
        assert refusal(load, "t", directory=tmp_path).code == "damaged"
    for begin in ways_to_begin(tmp_path).values():
        refused = refusal(begin)
        assert refused.code == "damaged"
        # Of eleven, the last one counts, and not the last by the alphabet.
        assert str(refused) == (
            "t.json was damaged, and set aside as t.json.damaged-11. Correct t.json.damaged-11 and rename it "
            "to t.json. Only after a look at what the task has already done, begin it anew: move each "
            "t.json.damaged-* to another directory"
        )
    assert refusal(idempotent_side_effect, task, 1, "move", never, directory=tmp_path).code == "damaged"
    assert len(names(tmp_path)) == 11

    # The remedies that the text names.
    (tmp_path / "t.json.damaged-11").write_bytes(whole)
    (tmp_path / "t.json.damaged-11").rename(path)
    assert load("t", directory=tmp_path) == task
    (tmp_path / "elsewhere").mkdir()
    for other in [path, *tmp_path.glob("t.json.damaged-*")]:
        other.rename(tmp_path / "elsewhere" / other.name)
    assert load("t", directory=tmp_path) is None
    save(a_task(), directory=tmp_path)


def test_a_file_that_is_set_aside_while_it_is_looked_at_is_damaged_too(tmp_path: Path) -> None:
    (tmp_path / "t.json.damaged-1").write_text("torn")
    # Another process has renamed it since `load` found it. FileNotFoundError would mean a new task.
    assert refusal(sound_fields, "t", tmp_path).code == "damaged"


def test_a_task_with_a_like_name_is_no_damaged_file(tmp_path: Path) -> None:
    save(a_task(task_id="t.json.damaged-1"), directory=tmp_path)
    assert load("t", directory=tmp_path) is None
    (tmp_path / "t.json").write_text("torn")
    assert "set aside as t.json.damaged-1. " in str(refusal(load, "t", directory=tmp_path))
    assert load("t.json.damaged-1", directory=tmp_path).task_id == "t.json.damaged-1"


@pytest.mark.parametrize("function", ["load", "save", "resume", "effect"])
def test_a_file_of_another_version_stays(tmp_path: Path, function: str) -> None:
    content = b'{"version": 2, "another": "field"}'
    (tmp_path / "t.json").write_bytes(content)
    refused = refusal(ways_to_begin(tmp_path)[function])
    assert refused.code == "other_version"
    assert str(refused).startswith("t.json has the version 2, not 1; use the ctxlab that wrote it")
    assert names(tmp_path) == ["t.json"]
    assert (tmp_path / "t.json").read_bytes() == content


def link_to_nothing(path: Path) -> None:
    path.symlink_to("nothing")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, link_to_nothing, link_to_itself])
def test_something_else_in_the_place_of_the_file_is_damage(tmp_path: Path, make: Any) -> None:
    for number in (1, 2):
        make(tmp_path / "t.json")
        refused = refusal(load, "t", directory=tmp_path)
        assert (refused.code, str(refused)[:17]) == ("damaged", "t.json is no file")
        assert names(tmp_path) == [f"t.json.damaged-{each + 1}" for each in range(number)]


def test_a_link_or_a_pipe_in_the_place_of_the_draft_is_removed(tmp_path: Path) -> None:
    other, draft = tmp_path / "other", tmp_path / "t.json.draft"
    other.write_text("precious")
    draft.symlink_to(other)
    save(a_task(), directory=tmp_path)
    os.mkfifo(draft)
    save(a_task(), directory=tmp_path)
    assert other.read_text() == "precious"
    assert not (tmp_path / "t.json").is_symlink()
    assert names(tmp_path) == ["other", "t.json"]


def test_a_file_of_another_task_is_neither_read_nor_damaged(tmp_path: Path) -> None:
    save(a_task(), directory=tmp_path)
    (tmp_path / "t.json").rename(tmp_path / "T.json")
    refused = refusal(load, "T", directory=tmp_path)
    assert (refused.code, "holds the task 't'" in str(refused)) == ("bad_task_id", True)
    assert names(tmp_path) == ["T.json"]


def test_a_damaged_file_stays_while_another_works_on_the_task(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text("torn")
    with working(tmp_path):
        assert refusal(load, "t", directory=tmp_path).code == "locked"
        assert names(tmp_path) == ["t.json"]


def test_case_38_a_torn_line_joined_to_the_next_is_damage(tmp_path: Path) -> None:
    case = json.loads((CASES / "38-torn-checkpoint-line.json").read_text("utf-8"))
    torn = case["setup"]["raw_lines"][2]
    (tmp_path / "t.json").write_text(torn)
    # A draft that a crash left is removed, never added to.
    (tmp_path / "t.json.draft").write_text(torn)
    assert refusal(load, "t", directory=tmp_path).code == "damaged"
    assert (tmp_path / "t.json.damaged-1").read_text() == torn
    (tmp_path / "t.json.damaged-1").unlink()
    save(a_task(), directory=tmp_path)
    assert load("t", directory=tmp_path).goal == a_task().goal
    assert names(tmp_path) == ["t.json"]


# Side effects


def test_an_effect_runs_once_between_two_saves(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    task = a_task()
    at_run = []

    def move() -> dict[str, Any]:
        at_run.append(json.loads(path.read_bytes())["side_effects"])
        return {"moved": ["a"]}

    first = idempotent_side_effect(task, 1, "move", move, directory=tmp_path, now=lambda: "12:00")
    assert first == {"status": "executed", "result": {"moved": ["a"]}}
    intent = {"key": "t/1/move", "action": "move", "status": "unknown", "result": None, "time": "12:00"}
    assert at_run == [{"t/1/move": intent}]
    assert task.side_effects == {"t/1/move": {**intent, "status": "done", "result": {"moved": ["a"]}}}
    assert load("t", directory=tmp_path) == task

    first["result"]["moved"].append("b")
    for again in (task, load("t", directory=tmp_path), a_task()):
        second = idempotent_side_effect(again, 1, "move", never, directory=tmp_path)
        assert second == {"status": "already_done", "result": {"moved": ["a"]}}
        second["result"]["moved"].append("c")
        assert again.side_effects == task.side_effects == load("t", directory=tmp_path).side_effects


def test_effects_differ_by_task_step_and_action(tmp_path: Path) -> None:
    other = a_task(task_id="u")
    done = [
        idempotent_side_effect(task, step, action, lambda: None, directory=tmp_path)["status"]
        for task, step, action in [
            (a_task(), 1, "move"),
            (a_task(), 2, "move"),
            (a_task(), 1, "1/move"),
            (other, 1, "move"),
            (other, 11, "move"),
        ]
    ]
    assert done == ["executed"] * 5
    assert effect_key("t", 1, "move") in load("t", directory=tmp_path).side_effects


@pytest.mark.parametrize(
    "error", [ConnectionError("no answer \ud800"), KeyboardInterrupt(), SystemExit(3)], ids=repr
)
def test_an_effect_that_raises_is_unknown_and_not_run_again(tmp_path: Path, error: BaseException) -> None:
    task = a_task()

    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        idempotent_side_effect(task, 1, "move", fail, directory=tmp_path)
    assert caught.value is error
    resumed, problems = resume("t", ["move", "report"], directory=tmp_path)
    assert problems == ["side effect 't/1/move': it may have happened; ask, then settle it"]
    for again in (task, resumed):
        outcome = idempotent_side_effect(again, 1, "move", never, directory=tmp_path)
        assert outcome == {"status": "unknown", "result": repr(error)}


class Receipt:
    def __repr__(self) -> str:
        return "<receipt 77>"


class Odd:
    def __repr__(self) -> str:
        return "<half \ud800>\n"


def itself() -> list[Any]:
    inside: list[Any] = []
    inside.append(inside)
    return inside


def nested(levels: int) -> Any:
    return [nested(levels - 1)] if levels else "x"


@pytest.mark.parametrize(
    "result",
    [
        Receipt(),
        b"77",
        {1, 2},
        float("nan"),
        "\ud800",
        (1, 2),
        {1: "a"},
        {None: 1},
        itself(),
        nested(98),
        "x" * 100_000,
        b"order 12345 " * 50,
        Odd(),
    ],
    ids=lambda result: repr(result)[:12],
)
def test_a_result_that_json_cannot_give_back_is_unknown(tmp_path: Path, result: Any) -> None:
    task = a_task()
    outcome = idempotent_side_effect(task, 1, "move", lambda: result, directory=tmp_path)
    text = outcome["result"]
    assert outcome["status"] == "unknown"
    whole = visible(repr(result))
    assert text == (whole if len(whole) <= 2000 else f"{whole[:2000]}... ({len(whole)} characters)")
    assert load("t", directory=tmp_path) == task
    assert idempotent_side_effect(task, 1, "move", never, directory=tmp_path) == outcome


@settings(max_examples=60, deadline=None)
@given(result=json_values)
@example(result=nested(97))
def test_any_json_result_comes_back_equal_or_is_unknown(result: Any) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = idempotent_side_effect(a_task(), 1, "move", lambda: result, directory=folder)
        again = idempotent_side_effect(a_task(), 1, "move", never, directory=folder)
        if first["status"] == "executed":
            assert again == {"status": "already_done", "result": result}
        else:
            assert again == first
            assert json.loads(json.dumps(result)) != result or "\\ud" in json.dumps(result)


@pytest.mark.parametrize("happened", [True, False])
def test_a_person_settles_what_is_unknown(tmp_path: Path, happened: bool) -> None:
    task = a_task()
    idempotent_side_effect(task, 1, "move", Receipt, directory=tmp_path)
    stale = load("t", directory=tmp_path)
    settle_side_effect(task, 1, "move", happened, "receipt 77", directory=tmp_path)
    refused = refusal(settle_side_effect, stale, 1, "move", not happened, directory=tmp_path)
    assert (refused.code, str(refused)) == ("bad_argument", "step 1 has no unknown effect 'move'")
    resumed, problems = resume("t", ["move", "report"], directory=tmp_path)
    assert problems == []
    outcome = idempotent_side_effect(resumed, 1, "move", lambda: "again", directory=tmp_path)
    if happened:
        assert outcome == {"status": "already_done", "result": "receipt 77"}
    else:
        assert outcome == {"status": "executed", "result": "again"}
    assert "has no unknown effect" in str(
        refusal(settle_side_effect, resumed, 1, "move", True, directory=tmp_path)
    )


def test_a_settled_result_must_be_json(tmp_path: Path) -> None:
    task = a_task()
    idempotent_side_effect(task, 1, "move", Receipt, directory=tmp_path)
    refused = refusal(settle_side_effect, task, 1, "move", True, Receipt(), directory=tmp_path)
    assert str(refused) == "result is <receipt 77>, which JSON cannot give back equal"
    assert load("t", directory=tmp_path) == task


def test_an_intent_that_cannot_be_saved_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.json.draft").mkdir()
    task = a_task()
    with pytest.raises(OSError, match="directory"):
        idempotent_side_effect(task, 1, "move", never, directory=tmp_path)
    assert task == a_task()
    assert names(tmp_path) == ["t.json.draft"]


@pytest.mark.parametrize("error", [None, KeyboardInterrupt("stop")], ids=["returned", "raised"])
def test_an_outcome_that_cannot_be_saved_stays_unknown(tmp_path: Path, error: BaseException | None) -> None:
    task = a_task()

    def move() -> str:
        (tmp_path / "t.json.draft").mkdir()
        if error:
            raise error
        return "moved"

    with pytest.raises(type(error) if error else OSError, match=r"stop|directory"):
        idempotent_side_effect(task, 1, "move", move, directory=tmp_path)
    assert idempotent_side_effect(task, 1, "move", never, directory=tmp_path)["status"] == "unknown"


def test_a_clock_that_fails_hides_no_exception(tmp_path: Path) -> None:
    times = iter(["12:00", "12:01"])

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        idempotent_side_effect(a_task(), 1, "move", interrupted, directory=tmp_path, now=lambda: next(times))
    assert load("t", directory=tmp_path).side_effects["t/1/move"]["status"] == "unknown"


def test_an_effect_leaves_the_rest_of_the_file_as_it_is(tmp_path: Path) -> None:
    save(a_task(pending=["move", "report"]), directory=tmp_path)
    stale, fresh = (load("t", directory=tmp_path) for _ in range(2))
    fresh.pending.remove("move")
    fresh.pinned_conclusions.append("All is moved")
    save(fresh, directory=tmp_path)
    idempotent_side_effect(stale, 2, "report", Receipt, directory=tmp_path)
    settle_side_effect(stale, 2, "report", True, directory=tmp_path)
    stored = load("t", directory=tmp_path)
    # A step that is done does not come back.
    assert stored.pending == ["report"]
    assert stored.pinned_conclusions == ["Two copies exist", "All is moved"]
    assert stored.side_effects == stale.side_effects
    other = a_task(goal="Tidy")
    assert "goal and constraints" in str(
        refusal(idempotent_side_effect, other, 3, "x", never, directory=tmp_path)
    )


def test_what_run_does_to_the_checkpoint_costs_no_record(tmp_path: Path) -> None:
    task = a_task()

    def outer() -> str:
        again = load("t", directory=tmp_path)
        inner = idempotent_side_effect(again, 2, "inner", lambda: "in", directory=tmp_path)
        assert inner["status"] == "executed"
        task.task_id, task.goal, task.side_effects = "u", "another", {}
        task.constraints.clear()
        task.pending.append("")
        return "out"

    outcome = idempotent_side_effect(task, 1, "outer", outer, directory=tmp_path)
    assert outcome == {"status": "executed", "result": "out"}
    stored = load("t", directory=tmp_path)
    assert {key: record["result"] for key, record in stored.side_effects.items()} == {
        "t/1/outer": "out",
        "t/2/inner": "in",
    }
    assert stored == a_task(side_effects=task.side_effects, updated_at=stored.updated_at)
    assert names(tmp_path) == ["t.json"]


def test_room_for_the_outcome_is_there_before_anything_is_run(tmp_path: Path) -> None:
    task = a_task(constraints=["x" * 9_700_000])
    largest = "x" * 99_900

    def outer() -> str:
        # The outcomes of both are still to come: there is no room for a third one.
        assert idempotent_side_effect(task, 2, "move", inner, directory=tmp_path)["status"] == "executed"
        return largest

    def inner() -> str:
        refused = refusal(idempotent_side_effect, task, 3, "move", never, directory=tmp_path)
        assert refused.code == "bad_argument"
        assert "303000 are kept for results; at most 10000000 are allowed together. Settle" in str(refused)
        refused = refusal(save, replace(task, pending=["move::" + "x" * 100_000]), directory=tmp_path)
        assert "202000 are kept for results" in str(refused)
        return largest

    assert idempotent_side_effect(task, 1, "move", outer, directory=tmp_path)["result"] == largest
    stored = load("t", directory=tmp_path).side_effects
    assert [record["status"] for record in stored.values()] == ["done", "done"]


# Resume


def test_resume_names_each_step_whose_tool_is_gone_and_skips_none(tmp_path: Path) -> None:
    steps = ["move::a::b", "fax", " mail :: to all", "fax::again"]
    save(a_task(pending=steps), directory=tmp_path)
    resumed, problems = resume("t", iter(["move", "mail"]), directory=tmp_path)
    assert resumed.pending == steps
    assert problems == [
        "pending step 1, 'fax': there is no tool 'fax'",
        "pending step 3, 'fax::again': there is no tool 'fax'",
    ]
    assert resume("t", {"move": 1, "mail": 2, "fax": 3}, directory=tmp_path) == (resumed, [])


def test_a_tool_may_have_the_separator_in_its_name(tmp_path: Path) -> None:
    save(a_task(pending=["mcp::search", " mcp::search::cats", "mcp::searching"]), directory=tmp_path)
    _, problems = resume("t", ["mcp::search"], directory=tmp_path)
    assert problems == ["pending step 2, 'mcp::searching': there is no tool 'mcp'"]


def test_case_37_the_effects_of_a_run_that_died_are_not_replayed(tmp_path: Path) -> None:
    case = json.loads((CASES / "37-side-effect-replayed.json").read_text("utf-8"))
    paid, entered = case["setup"]["effect_journal"]
    calls = [block["name"] for block in case["messages"][1]["content"]]
    task = a_task(pending=calls)
    idempotent_side_effect(task, 0, paid["id"], lambda: paid["result"], directory=tmp_path)
    assert ended(DIES_IN_EFFECT, tmp_path, entered["id"]) == -signal.SIGKILL

    resumed, problems = resume("t", calls, directory=tmp_path)
    assert problems == [f"side effect 't/1/{entered['id']}': it may have happened; ask, then settle it"]
    outcomes = [
        idempotent_side_effect(resumed, step, journal["id"], never, directory=tmp_path)
        for step, journal in enumerate([paid, entered])
    ]
    assert outcomes == [
        {"status": "already_done", "result": paid["result"]},
        {"status": "unknown", "result": None},
    ]


# Several processes

START = """
import os, resource, signal, sys, time
from pathlib import Path
from ctxlab.errors import Refusal
from ctxlab.reference.checkpoint import Checkpoint, idempotent_side_effect, load, locked_task, save
directory = Path(sys.argv[1])
task = Checkpoint("t", "goal")
"""
DIES_IN_EFFECT = """
task = load("t", directory=directory)
die = lambda: os.kill(os.getpid(), signal.SIGKILL)
idempotent_side_effect(task, 1, sys.argv[2], die, directory=directory)
"""
IN_EFFECT = """
def move():
    print("ready", flush=True)
    time.sleep(60)
idempotent_side_effect(task, 1, "move", move, directory=directory)
"""
BETWEEN_EFFECTS = """
with locked_task("t", directory=directory):
    print("ready", flush=True)
    time.sleep(60)
"""
FORKS = """
with locked_task("t", directory=directory):
    save(task, directory=directory)
    if os.fork() == 0:
        try:
            save(task, directory=directory)
            print("saved", flush=True)
        except Refusal as refused:
            print(refused.code, flush=True)
        time.sleep(60)
        os._exit(0)
    time.sleep(60)
"""
RACES = """
for step in range(40):
    def run():
        with (directory / "ran").open("a") as file:
            file.write(f"{step}\\n")
    while True:
        try:
            idempotent_side_effect(task, step, "run", run, directory=directory)
            break
        except Refusal as refused:
            assert refused.code == "locked", refused
            time.sleep(0.0005)
"""
DIES_AT_A_CALL = """
call, number, moment = sys.argv[2:]
real, calls = getattr(os, call), []
def die(*arguments, **named):
    calls.append(call)
    if len(calls) < int(number):
        return real(*arguments, **named)
    if moment == "after":
        real(*arguments, **named)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, call, die)
save(Checkpoint("t", "goal", pinned_conclusions=["old", "new"]), directory=directory)
"""
LIMITED = """
save(task, directory=directory)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
task.pinned_conclusions.append("x" * 5000)
try:
    save(task, directory=directory)
except OSError as error:
    sys.exit(error.errno)
"""


def ended(program: str, directory: Path, *arguments: str) -> int:
    command = [sys.executable, "-c", START + program, str(directory), *arguments]
    return subprocess.run(command, timeout=60, check=False).returncode


@contextmanager
def working(directory: Path, program: str = BETWEEN_EFFECTS) -> Iterator[None]:
    """Another process works on the task, until it is killed."""
    command = [sys.executable, "-c", START + program, str(directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            process.kill()


@pytest.mark.parametrize("program", [IN_EFFECT, BETWEEN_EFFECTS], ids=["in an effect", "between effects"])
def test_a_second_process_is_refused_until_the_first_is_gone(tmp_path: Path, program: str) -> None:
    task = a_task(goal="goal", constraints=[])
    save(replace(task, pinned_conclusions=[]), directory=tmp_path)
    with working(tmp_path, program):
        for act in (
            lambda: save(task, directory=tmp_path),
            lambda: resume("t", [], directory=tmp_path),
            lambda: idempotent_side_effect(task, 2, "report", never, directory=tmp_path),
            lambda: settle_side_effect(task, 1, "move", False, directory=tmp_path),
            lambda: locked_task("t", directory=tmp_path).__enter__(),
        ):
            refused = refusal(act)
            assert refused.code == "locked"
            assert str(refused).startswith("another process works on the task 't', or another thread of this")
        # To look is free, and so is any other task.
        assert load("t", directory=tmp_path).goal == "goal"
        save(a_task(task_id="u"), directory=tmp_path)
    # It was killed: the system has freed the lock.
    resumed, problems = resume("t", ["move", "report"], directory=tmp_path)
    assert len(problems) == (program is IN_EFFECT)
    save(replace(resumed, pinned_conclusions=["Alone again"]), directory=tmp_path)


def test_who_holds_a_task_goes_on_and_another_thread_does_not(tmp_path: Path) -> None:
    outcomes: list[Any] = []

    def other() -> None:
        try:
            outcomes.append(resume("t", ["move", "report"], directory=tmp_path)[1])
        except Refusal as refused:
            outcomes.append(refused.code)

    def in_thread() -> None:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    with locked_task("t", directory=tmp_path):
        save(a_task(), directory=tmp_path)
        task, _ = resume("t", [], directory=os.path.relpath(tmp_path))
        idempotent_side_effect(task, 1, "move", in_thread, directory=tmp_path)
        in_thread()
    in_thread()
    assert outcomes == ["locked", "locked", []]


def test_tasks_and_threads_of_asyncio_hold_no_lock_of_their_maker(tmp_path: Path) -> None:
    save(a_task(), directory=tmp_path)
    runs: list[int] = []

    def act() -> str:
        task = load("t", directory=tmp_path)
        try:
            run = partial(runs.append, 1)
            return idempotent_side_effect(task, 1, "move", run, directory=tmp_path)["status"]
        except Refusal as refused:
            return refused.code

    async def later() -> list[str]:
        await asyncio.sleep(0)
        with locked_task("t", directory=tmp_path):
            return [await asyncio.to_thread(act), "locked" if not can_take(tmp_path) else "free"]

    async def main() -> list[list[str]]:
        with locked_task("t", directory=tmp_path):
            outcomes = await asyncio.gather(*(asyncio.to_thread(act) for _ in range(3)))
            begun = asyncio.create_task(later())
        # It was made under the lock, and has to take it all the same.
        return [outcomes, await begun]

    # In a thread of its own: where pages were opened before, this one has a loop that is still running.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, main()).result() == [["locked"] * 3, ["locked"] * 2]
    assert runs == []
    assert act() == "executed"


def can_take(directory: Path) -> bool:
    with (directory / "t.json.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_a_worker_that_is_forked_does_not_hold_the_task(tmp_path: Path) -> None:
    task = a_task()
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        for step in (1, 2):
            # The first one forks the worker, which goes on.
            outcome = idempotent_side_effect(
                task, step, "pow", lambda: pool.submit(pow, 2, 3).result(), directory=tmp_path
            )
            assert outcome == {"status": "executed", "result": 8}
            save(task, directory=tmp_path)
            assert pool.submit(can_take, tmp_path).result()


def test_a_forked_worker_keeps_no_lock_of_a_parent_that_was_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", START + FORKS, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        try:
            # The worker is kept from it while its parent holds it.
            assert process.stdout.readline() == "locked\n"
            assert not can_take(tmp_path)
            process.kill()
            process.wait()
            assert can_take(tmp_path)
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_two_processes_that_race_run_each_effect_once(tmp_path: Path) -> None:
    save(Checkpoint("t", "goal"), directory=tmp_path)
    command = [sys.executable, "-c", START + RACES, str(tmp_path)]
    with subprocess.Popen(command) as one, subprocess.Popen(command) as two:
        assert [one.wait(60), two.wait(60)] == [0, 0]
    assert (tmp_path / "ran").read_text().split() == [str(step) for step in range(40)]
    assert len(load("t", directory=tmp_path).side_effects) == 40


@pytest.mark.parametrize(
    ("call", "number", "moment", "saved"),
    [
        ("fsync", 1, "before", "old"),
        ("fsync", 1, "after", "old"),
        ("replace", 1, "before", "old"),
        ("replace", 1, "after", "new"),
        ("fsync", 2, "before", "new"),
        ("fsync", 2, "after", "new"),
    ],
)
def test_a_save_syncs_the_draft_then_renames_it_then_syncs_the_folder(
    tmp_path: Path, call: str, number: int, moment: str, saved: str
) -> None:
    save(Checkpoint("t", "goal", pinned_conclusions=["old"]), directory=tmp_path)
    assert ended(DIES_AT_A_CALL, tmp_path, call, str(number), moment) == -signal.SIGKILL
    task = load("t", directory=tmp_path)
    assert task.pinned_conclusions == (["old"] if saved == "old" else ["old", "new"])
    assert names(tmp_path) == (["t.json", "t.json.draft"] if saved == "old" else ["t.json"])


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    assert ended(LIMITED, tmp_path) == errno.EFBIG
    task = load("t", directory=tmp_path)
    assert task.pinned_conclusions == []
    assert names(tmp_path) == ["t.json", "t.json.draft"]
    save(task, directory=tmp_path)
    assert names(tmp_path) == ["t.json"]

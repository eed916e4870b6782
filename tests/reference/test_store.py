"""The database of conversations by itself: what it keeps, what it refuses, and two connections to it."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from chat_histories import histories
from hypothesis import given, settings
from sqlalchemy import Engine, inspect
from sqlalchemy.exc import SQLAlchemyError

from ctxlab.errors import HistoryError, Refusal
from ctxlab.reference.store import (
    append_messages,
    begin_task,
    book_usage,
    fold_of,
    open_store,
    save_fold,
    stored_messages,
    usage_of,
)

HELLO = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"}]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Engine]:
    engine = open_store(tmp_path / "a?b#c.db")
    begin_task(engine, "task")
    yield engine
    engine.dispose()


def test_three_tables_and_a_row_of_usage_for_each_call(db: Engine) -> None:
    columns = {
        name: [c["name"] for c in inspect(db).get_columns(name)] for name in inspect(db).get_table_names()
    }
    assert columns == {
        "tasks": ["id", "context_base_idx", "context_summary"],
        "messages": ["task_id", "idx", "body"],
        "usage": ["id", "task_id", "user_id", "message_id", "kind", "input_tokens", "output_tokens"],
    }
    book_usage(db, "task", "ida", "run", 100, 20, message_id=1)
    book_usage(db, "task", "ida", "context_fold", 90, 30)
    assert usage_of(db, "task") == [
        {"user_id": "ida", "message_id": 1, "kind": "run", "input_tokens": 100, "output_tokens": 20},
        {
            "user_id": "ida",
            "message_id": None,
            "kind": "context_fold",
            "input_tokens": 90,
            "output_tokens": 30,
        },
    ]


@settings(max_examples=25, deadline=None)
@given(histories())
def test_what_is_stored_comes_back_equal(history: list[dict[str, object]]) -> None:
    memory = open_store()
    begin_task(memory, "task")
    half = len(history) // 2
    assert append_messages(memory, "task", 0, history[:half]) == history[:half]
    append_messages(memory, "task", half, history[half:])
    assert stored_messages(memory, "task") == history
    assert stored_messages(memory, "task", half) == history[half:]
    memory.dispose()


def test_a_store_outlives_its_connection_and_its_file_is_at_the_path(db: Engine, tmp_path: Path) -> None:
    append_messages(db, "task", 0, HELLO)
    db.dispose()
    again = open_store(tmp_path / "a?b#c.db")
    assert stored_messages(again, "task") == HELLO
    assert [path.name for path in tmp_path.iterdir()] == ["a?b#c.db"]


def test_all_messages_of_an_append_are_stored_or_none(db: Engine) -> None:
    append_messages(db, "task", 1, HELLO[1:])
    with pytest.raises(Refusal, match="message 0 of the task 'task' is stored already") as refused:
        append_messages(db, "task", 0, HELLO)
    assert refused.value.code == "locked"
    assert stored_messages(db, "task") == HELLO[1:]
    with pytest.raises(Refusal, match="or there is no such task"):
        append_messages(db, "other", 0, HELLO)
    assert append_messages(db, "task", 2, []) == []
    assert stored_messages(db, "task") == HELLO[1:]


def test_the_base_index_only_moves_forward(db: Engine) -> None:
    append_messages(db, "task", 0, HELLO * 3)
    save_fold(db, "task", 4, "four")
    for base, code in ((4, "locked"), (2, "locked"), (7, "bad_argument")):
        with pytest.raises(Refusal) as refused:
            save_fold(db, "task", base, "other")
        assert refused.value.code == code
    assert fold_of(db, "task") == (4, "four")
    save_fold(db, "task", 6, "six")
    assert fold_of(db, "task") == (6, "six")


def test_of_two_connections_that_append_at_one_place_one_is_refused(db: Engine, tmp_path: Path) -> None:
    ends: list[str] = []
    start = threading.Barrier(2)

    def append(name: str) -> None:
        mine = open_store(tmp_path / "a?b#c.db")
        start.wait(10)
        try:
            append_messages(mine, "task", 0, [{"role": "user", "content": name}] * 3)
            ends.append(name)
        except Refusal as refusal:
            ends.append(refusal.code)

    threads = [threading.Thread(target=append, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    [winner] = set(ends) - {"locked"}
    assert "locked" in ends
    assert {m["content"] for m in stored_messages(db, "task")} == {winner}


def test_many_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    start, failed = threading.Barrier(6), []

    def enter(number: int) -> None:
        start.wait(10)
        try:
            begin_task(open_store(tmp_path / "new.db"), f"task {number}")
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=enter, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failed == []
    with sqlite3.connect(tmp_path / "new.db") as connection:
        assert connection.execute("SELECT count(*) FROM tasks").fetchone() == (6,)
    connection.close()


def test_a_store_in_memory_is_one_for_all_threads_and_each_is_its_own() -> None:
    one, other = open_store(), open_store()
    thread = threading.Thread(target=begin_task, args=(one, "task"))
    thread.start()
    thread.join(10)
    assert fold_of(one, "task") == (0, "")
    with pytest.raises(Refusal, match="there is no task 'task'"):
        fold_of(other, "task")


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("No database, but some text that somebody still needs. " * 40)
    for path, said in (
        (notes, "file is not a database"),
        (tmp_path, "unable to open"),
        (tmp_path / "no" / "x.db", "unable"),
    ):
        with pytest.raises(HistoryError, match=said) as failed:
            open_store(path)
        assert str(failed.value).startswith(f"{path} cannot be used as a database")
        assert "\n" not in str(failed.value)
    assert notes.read_text().startswith("No database")


@pytest.mark.parametrize(
    "statement",
    ["CREATE TABLE messages (id TEXT)", "CREATE VIEW tasks AS SELECT 1", "PRAGMA application_id = 7"],
)
def test_a_database_of_another_program_is_left_alone(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    before = path.read_bytes()

    with pytest.raises(HistoryError, match=r"other\.db is a database of another program or version; give"):
        open_store(path)
    assert path.read_bytes() == before


def test_the_text_of_an_error_holds_no_message(tmp_path: Path) -> None:
    db = open_store(tmp_path / "full.db")
    begin_task(db, "task")
    with closing(sqlite3.connect(tmp_path / "full.db")) as connection:
        connection.execute("DROP TABLE messages")

    with pytest.raises(SQLAlchemyError, match="no such table") as failed:
        append_messages(db, "task", 0, [{"role": "user", "content": "private words"}])
    assert "private words" not in str(failed.value)


def test_what_cannot_be_a_path_or_a_time_is_named(tmp_path: Path) -> None:
    for path in (f"{tmp_path}/\0.db", f"{tmp_path}/\ud800.db"):
        with pytest.raises(HistoryError, match="cannot be used as a database: ") as failed:
            open_store(path)
        assert str(failed.value).isprintable()
    for path in (5, b"x.db", ["x.db"]):
        with pytest.raises(Refusal, match=r"path is an? .*, not a path") as refused:
            open_store(path)
        assert refused.value.code == "bad_argument"
    for timeout in (-1, float("nan"), float("inf"), "5", None, True):
        with pytest.raises(Refusal, match=r"timeout is .*, not a number of seconds") as refused:
            open_store(tmp_path / "x.db", timeout=timeout)
        assert refused.value.code == "bad_argument"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("task_id", ["", " ", "\ud83d", None, 5, ["x"]])
def test_what_cannot_be_an_id_is_refused_everywhere(db: Engine, task_id: Any) -> None:
    for use in (
        lambda: begin_task(db, task_id),
        lambda: append_messages(db, task_id, 0, HELLO),
        lambda: fold_of(db, task_id),
        lambda: save_fold(db, task_id, 1, "one"),
    ):
        with pytest.raises(Refusal, match=r"the task id is .*, not a text that can be stored") as refused:
            use()
        assert refused.value.code == "bad_task_id"


def test_a_store_that_can_only_be_read_can_be_read(db: Engine, tmp_path: Path) -> None:
    append_messages(db, "task", 0, HELLO)
    (tmp_path / "a?b#c.db").chmod(0o444)
    again = open_store(tmp_path / "a?b#c.db")
    assert stored_messages(again, "task") == HELLO


def test_a_path_means_one_file_whatever_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    db = open_store(":memory:")
    begin_task(db, "task")
    monkeypatch.chdir(tmp_path.parent)
    assert fold_of(db, "task") == (0, "")
    assert (tmp_path / ":memory:").is_file()

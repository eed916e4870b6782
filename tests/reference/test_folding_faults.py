"""Folding on a SQLite file while the database fails or the process dies: nothing is lost, the run goes on."""

import re
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from folds import GOOD, Event, History, Model, caps_for, fold, kinds_of_usage, runs, session_of, summary
from sqlalchemy import URL, Engine, create_engine, event

from ctxlab.errors import Refusal
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.reference.folding import Caps, Session, maybe_fold
from ctxlab.reference.session import add_messages, begin_session, load_session
from ctxlab.reference.store import fold_of, open_store, stored_messages

CHILD = Path(__file__).with_name("folding_child.py")
SYSTEM = runs(0)

Fault = Callable[[Path], AbstractContextManager[Engine]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.db"


def quick(path: Path) -> Engine:
    return open_store(path, timeout=0.2)


@contextmanager
def write_lock(path: Path) -> Iterator[Engine]:
    """Another connection is writing."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield quick(path)


@contextmanager
def read_lock(path: Path) -> Iterator[Engine]:
    """Another connection is reading, so that a change can be written and not be committed."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM tasks").fetchall()
        yield quick(path)


@contextmanager
def read_only(path: Path) -> Iterator[Engine]:
    """The file can be read only, for root too."""
    query = {"mode": "ro", "uri": "true"}
    yield create_engine(URL.create("sqlite", database=f"file:{path}", query=query))


@contextmanager
def full(path: Path) -> Iterator[Engine]:
    """The file may not grow by a page; on a page that it has there is little room."""
    db = quick(path)

    @event.listens_for(db, "connect")
    def limit(connection: sqlite3.Connection, _: Any) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    yield db


@pytest.mark.parametrize(
    ("fault", "said", "unbooked"),
    [
        (write_lock, "database is locked", True),
        (read_lock, "database is locked", True),
        (read_only, "attempt to write a readonly database", True),
        (full, "database or disk is full", False),
    ],
)
def test_a_database_that_cannot_be_written_leaves_the_run_as_it_was(
    path: Path, fault: Fault, said: str, unbooked: bool
) -> None:
    db = quick(path)
    session = session_of(runs(30), db)
    caps, long = caps_for(session, 90), summary(*map(str, range(900)))

    with fault(path) as failing:
        # `fold` checks that memory and database are what they were, and agree.
        stats, events = fold(session, Model(long), caps, failing)
        failing.dispose()
    assert stats is None
    warned = [data for name, data in events if name == "warn"]
    assert [data["reason"] for data in warned] == ["usage_not_booked"] * unbooked + ["fold_not_saved"]
    assert all(said in data["text"] and "\n" not in data["text"] for data in warned)

    # The run goes on: once the fault is over, all is as before it.
    add_messages(session, runs(31)[-4:], db=db)
    assert fold(session, Model(), caps, db)[0] is not None
    assert kinds_of_usage(db) == ["context_fold"] * (1 if unbooked else 2)
    assert diagnose(session.messages, "openai-chat") == []


def child(how: str, path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHILD), how, str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(("how", "saved"), [("commit", False), ("saved", True)])
def test_after_a_kill_the_next_process_finds_the_old_state_or_the_new_one(
    path: Path, how: str, saved: bool
) -> None:
    session = session_of(runs(5), open_store(path))
    whole = session.messages[1:]
    assert child(how, path).returncode == -signal.SIGKILL

    db = open_store(path)
    assert stored_messages(db, "task") == whole
    assert fold_of(db, "task") == ((12, GOOD) if saved else (0, ""))
    # The call was booked before, so it is known in both cases.
    assert kinds_of_usage(db) == ["context_fold"]
    after = load_session("task", SYSTEM, db=db)
    assert after.messages[after.head_len :] == whole[after.base_idx :]
    assert diagnose(after.messages, "openai-chat") == []

    # The run goes on, with a fold too.
    add_messages(after, runs(20)[-16:], db=db)
    stats, _ = fold(after, Model(), caps_for(after, 90), db)
    assert stats is not None
    assert stats["new_base"] == after.base_idx > 12


def test_a_disk_that_is_full_in_earnest(path: Path) -> None:
    session = session_of(runs(30), open_store(path))
    ended = child("full", path)
    assert ended.returncode == 0, ended.stderr
    assert re.search("'reason': 'fold_not_saved'.*(disk|full)", ended.stdout)
    assert ended.stdout.endswith(f"messages {len(session.messages)}\n")
    # What a half-written transaction has left is undone by whoever opens the file next.
    db = open_store(path)
    assert load_session("task", SYSTEM, db=db) == session
    assert fold(session, Model(), caps_for(session, 90), db)[0] is not None


class Telling(Model):
    """A model whose summary names every message that it is about, those of an earlier summary too."""

    def __call__(self, messages: History) -> Any:
        told = re.findall(r"id-\w+", " ".join(str(message["content"]) for message in messages))
        self.answer = summary(" ".join(sorted(set(told))))
        return super().__call__(messages)


def test_two_connections_that_add_and_fold_at_once_lose_nothing(path: Path) -> None:
    begin_session("task", SYSTEM, db=open_store(path))
    added: dict[str, list[str]] = {"a": [], "b": []}
    counts: dict[str, int] = {"done": 0, "locked": 0}
    both_loaded = threading.Barrier(2)
    failed: list[BaseException] = []

    def work(name: str) -> None:
        db = open_store(path, timeout=20)
        session = load_session("task", SYSTEM, db=db)
        both_loaded.wait(30)
        model, caps = Telling(), Caps(4000, 1)

        def emit(what: str, data: dict[str, Any]) -> None:
            counts["done"] += what == "done"

        number = 0
        while number < 40:
            told = [f"id-{name}{number}q", f"id-{name}{number}a"]
            maybe_fold(session, model, caps, db=db, user_id=name, emit=emit)
            try:
                run = [("user", told[0]), ("assistant", told[1])]
                add_messages(session, [{"role": r, "content": text} for r, text in run], db=db)
            except Refusal as refusal:
                # The other one was first: read what it has added, and say it again after that.
                counts[refusal.code] += 1
                session = load_session("task", SYSTEM, db=db)
                continue
            added[name] += told
            number += 1

    def watched(name: str) -> None:
        try:
            work(name)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=watched, args=(name,)) for name in added]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failed == []
    db = open_store(path)
    stored = [message["content"] for message in stored_messages(db, "task")]
    for name, told in added.items():
        assert [text for text in stored if text.startswith(f"id-{name}")] == told
        assert len(told) == 80
    # The summary is about exactly the messages before the base index.
    base, text = fold_of(db, "task")
    assert set(re.findall(r"id-\w+", text)) == set(stored[:base])
    assert counts["done"] > 0
    assert counts["locked"] > 0


def test_a_session_that_another_run_has_folded_further_is_told_so(path: Path) -> None:
    db, other = open_store(path), open_store(path)
    session = session_of(runs(5), db)
    caps, behind = caps_for(session, 90), load_session("task", SYSTEM, db=other)
    assert fold(session, Model(), caps, db)[0] is not None

    events: list[Event] = []
    maybe_fold(behind, Model(), caps, db=other, user_id="ida", emit=lambda *event: events.append(event))
    assert events[-1][1]["reason"] == "fold_not_saved"
    assert "another run has folded the task 'task' up to message 12" in events[-1][1]["text"]
    assert fold_of(db, "task") == (12, GOOD)
    # It is whole, though longer; what it adds is where both find it.
    add_messages(behind, runs(6)[-4:], db=other)
    assert load_session("task", SYSTEM, db=db).messages[-4:] == behind.messages[-4:]


def test_case_39_a_lock_at_the_commit_leaves_the_stored_history_as_it_was(path: Path) -> None:
    db = quick(path)
    session = session_of(runs(5), db)
    stored, caps = stored_messages(db, "task"), caps_for(session, 90)
    with read_lock(path) as locked:
        _, events = fold(session, Model(), caps, locked)
    assert [data.get("reason") for _, data in events][-1] == "fold_not_saved"
    assert stored_messages(db, "task") == stored
    assert isinstance(load_session("task", SYSTEM, db=db), Session)

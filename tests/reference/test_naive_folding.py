"""Each fault of the naive folding breaks a law that ours keeps, on the same input."""

from collections.abc import Iterator
from contextlib import suppress
from types import ModuleType

import pytest
from chat_histories import new_findings
from folds import GOOD, Event, Model, caps_for, kinds_of_usage, runs, session_of
from naive import folding as naive
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from ctxlab.reference import folding as ours
from ctxlab.reference.fold_summary import HEADINGS
from ctxlab.reference.session import Session, add_messages, load_session
from ctxlab.reference.store import open_store

BOTH = pytest.mark.parametrize("module", [naive, ours], ids=["naive", "ours"])


@pytest.fixture
def db() -> Iterator[Engine]:
    engine = open_store()
    yield engine
    engine.dispose()


def attempt(module: ModuleType, session: Session, model: Model, db: Engine, percent: int = 90) -> list[Event]:
    """One fold, whose events come back. Where the run ends with an error of the database, so be it."""
    events: list[Event] = []
    with suppress(SQLAlchemyError):
        module.maybe_fold(
            session,
            model,
            caps_for(session, percent),
            db=db,
            user_id="ida",
            emit=lambda name, data: events.append((name, data)),
        )
    return events


def refuse_changes(db: Engine, of: str) -> None:
    with db.begin() as connection:
        connection.exec_driver_sql(
            f"CREATE TRIGGER refuse BEFORE {of} BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END"
        )


@BOTH
def test_the_memory_is_changed_before_the_database(module: ModuleType, db: Engine) -> None:
    session = session_of(runs(5), db)
    refuse_changes(db, "UPDATE ON tasks")
    attempt(module, session, Model(), db)
    stored = load_session("task", runs(0), db=db)
    if module is naive:
        # What the run goes on with is gone for whoever comes after it, and messages seem to be missing.
        assert (session.base_idx, stored.base_idx) == (14, 0)
    else:
        assert session == stored


@BOTH
def test_each_summary_is_wrapped_around_the_one_before(module: ModuleType, db: Engine) -> None:
    session = session_of(runs(5), db)
    sizes = []
    for number in range(3):
        attempt(module, session, Model(), db)
        sizes.append(len(session.summary))
        add_messages(session, runs(6 + number)[-12:], db=db)
    copies = session.messages[1]["content"].count(HEADINGS[0])
    if module is naive:
        assert copies == 3
        assert sizes[0] < sizes[1] < sizes[2]
    else:
        assert copies == 1
        assert sizes[0] == sizes[1] == sizes[2]


@BOTH
def test_the_fold_ends_inside_an_exchange(module: ModuleType, db: Engine) -> None:
    session = session_of(runs(5), db)
    before = [*session.messages]
    attempt(module, session, Model(), db)
    found = new_findings(before, session.messages)
    if module is naive:
        assert list(found) == [("orphan_tool_message", "call_3")]
    else:
        assert len(session.messages) < len(before)
        assert not found


@BOTH
def test_nothing_is_said_where_nothing_can_be_folded(module: ModuleType, db: Engine) -> None:
    session = session_of([*runs(1), {"role": "assistant", "content": "On it."}], db)
    events = attempt(module, session, Model(), db, 150)
    if module is naive:
        assert events == []
    else:
        assert [(name, data["reason"]) for name, data in events] == [("warn", "nothing_to_fold")]


@BOTH
@pytest.mark.parametrize(("answer", "saves"), [(GOOD, False), ("", True)], ids=["not saved", "empty"])
def test_a_call_that_was_paid_for_is_not_booked(
    module: ModuleType, db: Engine, answer: str, saves: bool
) -> None:
    session = session_of(runs(5), db)
    if not saves:
        refuse_changes(db, "UPDATE ON tasks")
    model = Model(answer)
    attempt(module, session, model, db)
    assert len(model.requests) == 1
    assert kinds_of_usage(db) == ([] if module is naive else ["context_fold"])


@BOTH
def test_a_booking_that_fails_ends_the_run(module: ModuleType, db: Engine) -> None:
    session = session_of(runs(5), db)
    refuse_changes(db, "INSERT ON usage")
    events = attempt(module, session, Model(), db)
    # "done" is the last that is heard of a fold; without it the run was broken off.
    assert ("done" in [name for name, _ in events]) == (module is ours)


@BOTH
def test_the_request_shares_no_prefix_with_the_session(module: ModuleType, db: Engine) -> None:
    session, model = session_of(runs(5), db), Model()
    before = [*session.messages]
    attempt(module, session, model, db)
    [request] = model.requests
    assert (request[0] == before[0]) == (module is ours)

"""The database of conversations: its tables, and every statement that is sent to it.

No message is ever changed or removed. The row of a task says what a run works with: a base index, from which
on the messages are in the window, and a summary of those before it. So a fold changes one row, in one
statement, and a reader that comes in between finds the old fold or the new one, and the messages of both.
"""

import json
import math
import os
import sqlite3
import weakref
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    CheckConstraint,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    event,
    func,
    select,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.pool import NullPool, StaticPool
from sqlalchemy.schema import CreateTable

from ctxlab.errors import HistoryError, Refusal
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.wording import shown, type_words, visible
from ctxlab.reference.loop import reason, sendable

Message = dict[str, Any]
History = list[Message]

SCHEMA = MetaData()

TASKS = Table(
    "tasks",
    SCHEMA,
    Column("id", Text, primary_key=True),
    Column("context_base_idx", Integer, CheckConstraint("context_base_idx >= 0"), nullable=False),
    Column("context_summary", Text, nullable=False),  # "" before the first fold
)

MESSAGES = Table(
    "messages",
    SCHEMA,
    Column("task_id", Text, ForeignKey("tasks.id"), primary_key=True),
    Column("idx", Integer, CheckConstraint("idx >= 0"), primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),  # the message as JSON
)

USAGE = Table(
    "usage",
    SCHEMA,
    Column("id", Integer, primary_key=True),
    Column("task_id", Text, ForeignKey("tasks.id"), nullable=False),
    Column("user_id", Text, nullable=False),
    Column("message_id", Integer),  # the answer that the call brought; a summary is no message
    Column("kind", Text, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
)

# What marks a SQLite file as a database of this schema: "ctx" in ASCII, and the version of the tables.
MARK = 0x63747801

BUSY_SECONDS = 5.0
MAX_INT = 2**63 - 1  # of SQLite


def open_store(path: str | os.PathLike[str] | None = None, *, timeout: float = BUSY_SECONDS) -> Engine:
    """Return the database in a SQLite file, made where it is missing; without a path, a new one in memory.

    `timeout` is for how many seconds a lock of another connection is waited for. Refuses `bad_argument` for
    values of other types, and raises HistoryError where the file cannot be used.
    """
    # Is it no path?
    if not isinstance(path, str | os.PathLike | None):
        raise Refusal("bad_argument", f"path is {type_words(path)}, not a path of a file, or None")
    # Is it no time to wait?
    if type(timeout) not in (int, float) or not 0 <= timeout < math.inf:
        raise Refusal("bad_argument", f"timeout is {shown(timeout)}, not a number of seconds from 0 on")
    # The text of an error would otherwise hold the messages that were to be stored.
    options: dict[str, Any] = {"hide_parameters": True, "poolclass": NullPool}
    options["connect_args"] = {"timeout": timeout}
    # Is it to be in memory?
    if path is None:
        # It lives as long as its only connection, which all threads share.
        options |= {"connect_args": {"check_same_thread": False}, "poolclass": StaticPool}
    database = None if path is None else str(Path(path).absolute())
    engine = create_engine(URL.create("sqlite", database=database), **options)
    event.listen(engine, "connect", keep_foreign_keys)
    weakref.finalize(engine, engine.pool.dispose)
    try:
        with engine.begin() as connection:
            check_owner(connection, visible(str(database)))
            for table in SCHEMA.sorted_tables:
                connection.execute(CreateTable(table, if_not_exists=True))
    # ValueError: a path that the system cannot even be asked for.
    except (SQLAlchemyError, ValueError) as error:
        raise HistoryError(
            f"{visible(str(database))} cannot be used as a database: {database_reason(error)}; see that its "
            "folder exists and can be written, and that the file is a database"
        ) from error
    return engine


def check_owner(connection: Connection, name: str) -> None:
    """Mark an empty database as one of this schema. Raises HistoryError for a database of another."""
    # In this order: who makes the tables has set the mark before, also where several do so at once.
    tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one()
    mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    # Is there nothing in it yet?
    if not tables and mark == 0:
        connection.exec_driver_sql(f"PRAGMA application_id = {MARK}")
    # Are its tables those of another program, or of another version of this one?
    elif mark != MARK:
        raise HistoryError(f"{name} is a database of another program or version; give the path of a new file")


def keep_foreign_keys(connection: sqlite3.Connection, _record: Any) -> None:
    """Let SQLite refuse rows of a task that does not exist; by default it takes them."""
    connection.execute("PRAGMA foreign_keys = ON")


def check_task(db: Engine, task_id: str) -> None:
    """Refuse (`bad_argument`, `bad_task_id`) what is no database, and what cannot be the id of a task."""
    # Is it no database?
    if not isinstance(db, Engine):
        raise Refusal("bad_argument", f"db is {type_words(db)}, not an Engine; open_store returns one")
    # Does the id say nothing, or can UTF-8 not hold it?
    if not isinstance(task_id, str) or not task_id.strip() or sendable(task_id) != task_id:
        raise Refusal("bad_task_id", f"the task id is {shown(task_id)}, not a text that can be stored")


def begin_task(db: Engine, task_id: str) -> None:
    """Add a task without messages. Refuses `bad_task_id` where there is one of this id."""
    check_task(db, task_id)
    try:
        with db.begin() as connection:
            connection.execute(TASKS.insert().values(id=task_id, context_base_idx=0, context_summary=""))
    except IntegrityError as error:
        raise Refusal("bad_task_id", f"there is a task {shown(task_id)} already; load it") from error


def append_messages(db: Engine, task_id: str, start: int, messages: History) -> History:
    """Store messages at the positions from `start` on, all or none, and return them as they will be read.

    Refuses `locked` where another run has stored messages there, or the task does not exist.
    """
    check_task(db, task_id)
    bodies = [compact_json(message).decode("utf-8") for message in messages]
    rows = [{"task_id": task_id, "idx": start + at, "body": body} for at, body in enumerate(bodies)]
    # Without rows a statement would add an empty one.
    if not rows:
        return []
    try:
        with db.begin() as connection:
            connection.execute(MESSAGES.insert(), rows)
    except IntegrityError as error:
        # Two runs that both append would each miss what the other has said.
        raise Refusal(
            "locked",
            f"message {start} of the task {shown(task_id)} is stored already, or there is no such task; "
            "load the session again",
        ) from error
    return [json.loads(body) for body in bodies]


def fold_of(db: Engine, task_id: str) -> tuple[int, str]:
    """Return the base index and the summary of a task. Refuses `bad_task_id` where it does not exist."""
    check_task(db, task_id)
    query = select(TASKS.c.context_base_idx, TASKS.c.context_summary).where(TASKS.c.id == task_id)
    with db.connect() as connection:
        row = connection.execute(query).one_or_none()
    # Is there no such task?
    if row is None:
        raise Refusal("bad_task_id", f"there is no task {shown(task_id)}; begin it, or check the id")
    return row.context_base_idx, row.context_summary


def stored_messages(db: Engine, task_id: str, start: int = 0) -> History:
    """Return the messages of a task from position `start` on, in order."""
    query = select(MESSAGES.c.body).where(MESSAGES.c.task_id == task_id, MESSAGES.c.idx >= start)
    with db.connect() as connection:
        return [json.loads(body) for body in connection.scalars(query.order_by(MESSAGES.c.idx))]


def save_fold(db: Engine, task_id: str, new_base: int, summary: str) -> None:
    """Move the base index of a task forward and replace its summary, in one transaction.

    Refuses `locked` where the base index is there already or further, `bad_argument` where not all messages
    before the new one are stored, and `bad_task_id`.
    """
    check_task(db, task_id)
    stored = select(func.count()).select_from(MESSAGES).where(MESSAGES.c.task_id == task_id)
    update = (
        TASKS.update()
        .where(TASKS.c.id == task_id)
        .where(TASKS.c.context_base_idx < new_base)
        .where(stored.scalar_subquery() >= new_base)
        .values(context_base_idx=new_base, context_summary=summary)
    )
    # The conditions are part of the statement: nothing can come between a look and a change.
    with db.begin() as connection:
        changed = connection.execute(update).rowcount
    # Was a condition not met?
    if changed == 0:
        base, _ = fold_of(db, task_id)
        # Has another run folded as much?
        if base >= new_base:
            raise Refusal(
                "locked",
                f"another run has folded the task {shown(task_id)} up to message {base}; load it again",
            )
        raise Refusal(
            "bad_argument", f"fewer than {new_base} messages are stored; a fold would lose the others"
        )


def book_usage(
    db: Engine,
    task_id: str,
    user_id: str,
    kind: str,
    input_tokens: int,
    output_tokens: int,
    message_id: int | None = None,
) -> None:
    """Add a row for one call of a model."""
    row = {
        "task_id": task_id,
        "user_id": user_id,
        "message_id": message_id,
        "kind": kind,
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
    }
    with db.begin() as connection:
        connection.execute(USAGE.insert().values(row))


def usage_of(db: Engine, task_id: str) -> list[dict[str, Any]]:
    """Return the booked calls of a task, in order, each as a dict of its columns without id and task."""
    columns = [column for column in USAGE.c if column.name not in ("id", "task_id")]
    query = select(*columns).where(USAGE.c.task_id == task_id).order_by(USAGE.c.id)
    with db.connect() as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def database_reason(error: Exception) -> str:
    """Return what a database said in one line, without the statement that SQLAlchemy adds to it."""
    return reason(getattr(error, "orig", None) or error)

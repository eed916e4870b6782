"""Databases of the OpenAI Agents SDK: SQLiteSession and AdvancedSQLiteSession.

Table agent_messages has a row for each input item of the Responses API, as JSON under message_data, in order
of id; agent_sessions has a row for each session. A program may give the tables other names, so the table is
known by its columns. AdvancedSQLiteSession adds message_structure, which puts the rows of each branch in
order; EncryptedSession writes rows that only its key can open. Source: sqlite_session.py in src/agents/memory
and advanced_sqlite_session.py and encrypt_session.py in src/agents/extensions/memory of https://github.com/openai/openai-agents-python,
checked against version 0.24.
"""

import json
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ctxlab.errors import HistoryError
from ctxlab.messages.readers import plain
from ctxlab.messages.readers.json_lines import parsed
from ctxlab.messages.readers.transcript import Draft, Origin, Record, Torn

NAME = "OpenAI Agents SDK session"
MAGIC = b"SQLite format 3\0"

TABLE, STRUCTURE = "agent_messages", "message_structure"
COLUMNS = {"id", "session_id", "message_data"}
STRUCTURE_COLUMNS = {"id", "session_id", "message_id", "branch_id", "sequence_number"}
WAIT_SECONDS = 2.0

# A view could take for ever to be read, so only tables are.
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
NAMES = "SELECT name FROM pragma_table_info(?)"
BRANCHES = (
    f"SELECT branch_id FROM {STRUCTURE} WHERE session_id IS ? "  # noqa: S608
    "GROUP BY branch_id ORDER BY max(id) DESC"
)


def read(path: Path, draft: Draft, session: str | None) -> None:
    """Read one session: `session`, or the one that was written to last. The file is opened for reading only.

    Raises HistoryError for a database that is locked, damaged or of other tables, and for an unknown session.
    """
    draft.api = "openai-responses"
    try:
        with closing(_connected(path)) as connection:
            tables = [name for (name,) in connection.execute(TABLES)]
            table = _table(connection, tables, path, draft)
            chosen = _session(connection, table, path, session, draft)
            branched = STRUCTURE in tables and _columns(connection, STRUCTURE) >= STRUCTURE_COLUMNS
            # Closed before its connection is, also where a row is refused.
            with closing(_rows(connection, table, chosen, branched, draft)) as rows:
                plain.read(_records(rows, path, draft), draft)
    except sqlite3.OperationalError as error:
        raise HistoryError(
            f"{path} cannot be read as a database ({error}); where a program is using it, stop that program "
            "or read a copy, with the files beside it that end in -wal and -shm, in a folder of your own"
        ) from error
    except sqlite3.Error as error:
        raise HistoryError(
            f"{path} cannot be read as a database ({error}); it is damaged or encrypted, so take another copy"
        ) from error
    draft.notes.append("A session has neither the agent's instructions nor its tools.")


def _connected(path: Path) -> sqlite3.Connection:
    # The files of a database stand beside the file itself, not beside a link to it.
    path = path.resolve()
    uri = path.as_uri() + "?mode=ro"
    # In WAL mode even a reader writes two files beside the database. Where there is no such file, nobody has
    # it open and nothing is missing from it, so it can be read as it stands.
    with path.open("rb") as file:
        in_wal_mode = file.read(20)[18:20] == b"\2\2"
    if in_wal_mode and not path.with_name(path.name + "-wal").exists():
        uri += "&immutable=1"
    connection = sqlite3.connect(uri, uri=True, timeout=WAIT_SECONDS)
    # A text that is not UTF-8 is a fault of its row, not of the whole database.
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _table(connection: sqlite3.Connection, tables: list[Any], path: Path, draft: Draft) -> str:
    """Return the name of the table of items, quoted for SQL."""
    found = [name for name in tables if isinstance(name, str) and _columns(connection, name) >= COLUMNS]
    if not found:
        raise HistoryError(
            f"{path}: a database without a table like {TABLE}, which has the columns "
            f"{', '.join(sorted(COLUMNS))}, so no session of the OpenAI Agents SDK; it has "
            f"{_shown(tables) or 'no table'}"
        )
    chosen = TABLE if TABLE in found else found[0]
    if len(found) > 1:
        others = [name for name in found if name != chosen]
        draft.notes.append(f"The table {chosen!r} is read; of the same form are {_shown(others)}.")
    return '"' + chosen.replace('"', '""') + '"'


def _columns(connection: sqlite3.Connection, table: str) -> set[Any]:
    return {name for (name,) in connection.execute(NAMES, (table,))}


def _session(connection: sqlite3.Connection, table: str, path: Path, wanted: str | None, draft: Draft) -> Any:
    latest = f"SELECT session_id, count(*) FROM {table} GROUP BY session_id ORDER BY max(id) DESC"  # noqa: S608
    counts = dict(connection.execute(latest).fetchall())
    names = list(counts)
    if not names:
        raise HistoryError(f"{path}: the database holds no messages of any session")
    chosen = names[0] if wanted is None else next((name for name in names if str(name) == wanted), None)
    if wanted is not None and chosen is None:
        raise HistoryError(f"{path}: there is no session {wanted!r}; give one of {_shown(names)}")
    others = [name for name in names if name != chosen]
    if others:
        draft.skipped["item of another session"] += sum(counts[name] for name in others)
        draft.notes.append(
            f"The database has {len(names)} sessions. This is {chosen!r}"
            f"{', which was written to last' if wanted is None else ''}; the others are {_shown(others)}."
        )
    return chosen


def _rows(
    connection: sqlite3.Connection, table: str, session: Any, branched: bool, draft: Draft
) -> Generator[tuple[int, Any]]:
    rows = f"SELECT id, message_data FROM {table} WHERE session_id IS ? ORDER BY id"  # noqa: S608
    branches = [name for (name,) in connection.execute(BRANCHES, (session,))] if branched else []
    if not branches:
        yield from connection.execute(rows, (session,))
        return
    every = {row_id for row_id, _ in connection.execute(rows, (session,))}
    for row_id, data in connection.execute(_branch_rows(table), (session, branches[0])):
        every.discard(row_id)
        yield row_id, data
    if every:
        draft.skipped["item of another branch"] += len(every)
    if len(branches) > 1:
        draft.notes.append(
            f"The session has {len(branches)} branches; this is {branches[0]!r}, which was written to last."
        )


def _branch_rows(table: str) -> str:
    return (
        f"SELECT m.id, m.message_data FROM {STRUCTURE} AS s JOIN {table} AS m ON m.id = s.message_id "  # noqa: S608
        "WHERE s.session_id IS ? AND s.branch_id IS ? ORDER BY s.sequence_number"
    )


def _records(rows: Iterator[tuple[int, Any]], path: Path, draft: Draft) -> Iterator[Record]:
    for row_id, data in rows:
        place = f"{path}, row {row_id}"
        try:
            text = data.decode() if isinstance(data, bytes) else data
            value = parsed(text, place)
        except (TypeError, UnicodeDecodeError, json.JSONDecodeError):
            draft.skipped["row that is not JSON"] += 1
            draft.torn.append(Torn(f"row {row_id}", "the record breaks off or is not JSON and is not read"))
            continue
        if isinstance(value, dict) and value.get("__enc__") == 1:
            raise HistoryError(
                f"{place}: written by EncryptedSession; only a program with its key can read it, so let that "
                "program write what get_items returns as a JSON list"
            )
        yield Record(value, Origin(f"row {row_id}"))


def _shown(names: list[Any]) -> str:
    shown = ", ".join(repr(name) for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown

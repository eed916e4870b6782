"""Databases of the OpenAI Agents SDK: SQLiteSession and AdvancedSQLiteSession.

Table agent_messages has a row for each input item of the Responses API, as JSON under message_data, in order
of id; agent_sessions has a row for each session. AdvancedSQLiteSession adds message_structure, which puts the
rows of each branch in order. Source: src/agents/memory/sqlite_session.py and
src/agents/extensions/memory/advanced_sqlite_session.py of https://github.com/openai/openai-agents-python,
checked against version 0.24.
"""

import json
import sqlite3
from collections.abc import Iterator
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
WAIT_SECONDS = 2.0

LATEST = f"SELECT session_id, count(*) FROM {TABLE} GROUP BY session_id ORDER BY max(id) DESC"  # noqa: S608
ROWS = f"SELECT id, message_data FROM {TABLE} WHERE session_id = ? ORDER BY id"  # noqa: S608
BRANCHES = (
    f"SELECT branch_id FROM {STRUCTURE} WHERE session_id = ? "  # noqa: S608
    "GROUP BY branch_id ORDER BY max(id) DESC"
)
BRANCH_ROWS = (
    f"SELECT m.id, m.message_data FROM {STRUCTURE} AS s JOIN {TABLE} AS m ON m.id = s.message_id "  # noqa: S608
    "WHERE s.session_id = ? AND s.branch_id = ? ORDER BY s.sequence_number"
)


def read(path: Path, draft: Draft, session: str | None) -> None:
    """Read one session: `session`, or the one that was written to last. The file is opened for reading only.

    Raises HistoryError for a database that is locked, damaged or of other tables, and for an unknown session.
    """
    draft.api = "openai-responses"
    try:
        with closing(_connected(path)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            if TABLE not in tables:
                raise HistoryError(
                    f"{path}: a database without the table {TABLE}, so no session of the OpenAI Agents SDK; "
                    f"it has {', '.join(sorted(map(str, tables))[:10]) or 'no table'}"
                )
            chosen = _session(connection, path, session, draft)
            rows = _rows(connection, chosen, STRUCTURE in tables, draft)
            plain.read(_records(rows, path, draft), draft)
    except sqlite3.Error as error:
        raise HistoryError(
            f"{path} cannot be read as a database ({error}); where a program is using it, stop that program "
            "or read a copy"
        ) from error
    draft.notes.append("A session has neither the agent's instructions nor its tools.")


def _connected(path: Path) -> sqlite3.Connection:
    uri = path.absolute().as_uri() + "?mode=ro"
    # In WAL mode even a reader writes two files beside the database. Where there is no such file, nobody has
    # it open and nothing is missing from it, so it can be read as it stands.
    with path.open("rb") as file:
        in_wal_mode = file.read(20)[18:20] == b"\2\2"
    if in_wal_mode and not path.with_name(path.name + "-wal").exists():
        uri += "&immutable=1"
    return sqlite3.connect(uri, uri=True, timeout=WAIT_SECONDS)


def _session(connection: sqlite3.Connection, path: Path, wanted: str | None, draft: Draft) -> Any:
    counts = dict(connection.execute(LATEST).fetchall())
    names = list(counts)
    if not names:
        raise HistoryError(f"{path}: the database holds no messages of any session")
    if wanted is not None and wanted not in counts:
        raise HistoryError(f"{path}: there is no session {wanted!r}; give one of {_shown(names)}")
    chosen = names[0] if wanted is None else wanted
    others = [name for name in names if name != chosen]
    if others:
        draft.skipped["item of another session"] += sum(counts[name] for name in others)
        draft.notes.append(
            f"The database has {len(names)} sessions. This is {chosen!r}"
            f"{', which was written to last' if wanted is None else ''}; the others are {_shown(others)}."
        )
    return chosen


def _rows(
    connection: sqlite3.Connection, session: Any, branched: bool, draft: Draft
) -> Iterator[tuple[int, Any]]:
    branches = [name for (name,) in connection.execute(BRANCHES, (session,))] if branched else []
    if not branches:
        yield from connection.execute(ROWS, (session,))
        return
    every = {row_id for row_id, _ in connection.execute(ROWS, (session,))}
    for row_id, data in connection.execute(BRANCH_ROWS, (session, branches[0])):
        every.discard(row_id)
        yield row_id, data
    if every:
        draft.skipped["item of another branch"] += len(every)
    if len(branches) > 1:
        draft.notes.append(
            f"The session has {len(branches)} branches; this is {branches[0]!r}, which was written to last."
        )


def _records(rows: Iterator[tuple[int, Any]], path: Path, draft: Draft) -> Iterator[Record]:
    for row_id, data in rows:
        try:
            yield Record(parsed(data, f"{path}, row {row_id}"), Origin(f"row {row_id}"))
        except (TypeError, json.JSONDecodeError):
            draft.skipped["row that is not JSON"] += 1
            draft.torn.append(Torn(f"row {row_id}", "the record breaks off or is not JSON and is not read"))


def _shown(names: list[Any]) -> str:
    shown = ", ".join(repr(name) for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown

"""Databases of the OpenAI Agents SDK, and that reading leaves them as they are."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ctxlab.errors import HistoryError
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.readers import agents_sqlite
from ctxlab.messages.readers.reading import read_transcript

Database = Callable[[str], Path]


def test_the_session_that_was_written_to_last(database: Database) -> None:
    found = read_transcript(database("agents_session"))
    assert (found.format, found.api) == ("OpenAI Agents SDK session", "openai-responses")
    assert [(origin.place, origin.lines) for origin in found.origin] == [
        ("row 2", ()),
        ("row 3", ()),
        ("row 5", ()),
        ("row 7", ()),
    ]
    assert found.skipped == {"item of another session": 2, "row that is not JSON": 1}
    assert "This is 'tower', which was written to last; the others are 'gate'." in found.notes[0]
    assert [finding.text for finding in found.findings] == [
        "row 6: the record breaks off or is not JSON and is not read"
    ]
    assert diagnose(found.messages, found.api) == []


def test_a_session_by_its_name(database: Database) -> None:
    path = database("agents_session")
    assert len(read_transcript(path, session="gate").messages) == 2
    with pytest.raises(HistoryError, match="there is no session 'bell'; give one of 'tower', 'gate'"):
        read_transcript(path, session="bell")


def test_the_branch_that_was_written_to_last(database: Database) -> None:
    found = read_transcript(database("agents_branches"))
    assert [message["content"] for message in found.messages] == ["Which bell?", "The large one.", "Ring it."]
    assert found.skipped == {"item of another branch": 1}
    assert "2 branches; this is 'branch_2'" in found.notes[0]


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_reading_changes_no_byte_and_writes_no_file(database: Database, mode: str) -> None:
    path = database("agents_session")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode={mode}")
    before, files = path.read_bytes(), sorted(path.parent.iterdir())
    read_transcript(path)
    assert (path.read_bytes(), sorted(path.parent.iterdir())) == (before, files)


def test_what_another_program_has_just_written_is_read(database: Database) -> None:
    path = database("agents_session")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=wal")
        connection.execute(
            "INSERT INTO agent_messages (session_id, message_data) VALUES ('tower', '{\"role\": \"user\"}')"
        )
        connection.commit()
        assert read_transcript(path).messages[-1] == {"role": "user"}


def test_a_database_that_is_locked_is_refused(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents_sqlite, "WAIT_SECONDS", 0.05)
    path = database("agents_session")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(HistoryError, match=r"locked.*stop that program or read a copy"):
            read_transcript(path)


def test_other_databases_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE birds (name)")
    with pytest.raises(HistoryError, match=r"without a table like agent_messages.*it has 'birds'"):
        read_transcript(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE agent_messages (id, session_id, message_data)")
    with pytest.raises(HistoryError, match="holds no messages of any session"):
        read_transcript(path)


def test_a_database_with_other_columns_or_damage_is_refused(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "columns.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE agent_messages (id, text)")
    with pytest.raises(HistoryError, match="which has the columns id, message_data, session_id"):
        read_transcript(path)
    damaged = database("agents_session")
    damaged.write_bytes(damaged.read_bytes()[:100] + b"\xff" * 4000)
    with pytest.raises(HistoryError, match=r"cannot be read as a database .* damaged or encrypted"):
        read_transcript(damaged)


def test_a_session_is_only_in_a_database(samples: Path) -> None:
    with pytest.raises(HistoryError, match="is no database, so it has no session 'x'"):
        read_transcript(samples / "list.json", session="x")


def changed(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def test_the_tables_may_have_other_names(database: Database) -> None:
    path = changed(database("agents_session"), 'ALTER TABLE agent_messages RENAME TO "my ""items"""')
    assert len(read_transcript(path).messages) == 4
    changed(path, "CREATE TABLE zzz (id, session_id, message_data)")
    assert "The table 'my \"items\"' is read; of the same form are 'zzz'." in read_transcript(path).notes


def test_a_view_which_may_never_end_is_not_read(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c)"
    script = (
        f"CREATE VIEW agent_messages AS {endless} SELECT id, 'a' AS session_id, '' AS message_data FROM c"
    )
    with pytest.raises(HistoryError, match="without a table like agent_messages"):
        read_transcript(changed(tmp_path / "view.db", script))


def test_a_row_that_is_no_text_is_torn_and_the_others_are_read(database: Database) -> None:
    path = changed(
        database("agents_session"),
        "INSERT INTO agent_messages (session_id, message_data) VALUES ('tower', CAST(x'7b22ff' AS TEXT));"
        "INSERT INTO agent_messages (session_id, message_data) VALUES ('tower', x'7b7dff');",
    )
    found = read_transcript(path)
    assert [origin.place for origin in found.origin] == ["row 2", "row 3", "row 5", "row 7"]
    assert [finding.text[:6] for finding in found.findings] == ["row 6:", "row 8:", "row 9:"]


def test_a_link_to_a_database_in_use_shows_what_was_just_written(database: Database, tmp_path: Path) -> None:
    path = database("agents_session")
    link = tmp_path / "elsewhere" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=wal")
        connection.execute(
            "INSERT INTO agent_messages (session_id, message_data) VALUES ('tower', '{\"role\": \"user\"}')"
        )
        connection.commit()
        assert read_transcript(link).messages[-1] == {"role": "user"}


def test_rows_that_only_a_key_can_open_are_said(database: Database) -> None:
    path = changed(
        database("agents_session"),
        "DELETE FROM agent_messages; INSERT INTO agent_messages (session_id, message_data) "
        """VALUES ('a', '{"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAA"}')""",
    )
    with pytest.raises(HistoryError, match=r"row 8: written by EncryptedSession; .* get_items"):
        read_transcript(path)


def test_session_ids_that_are_no_text(tmp_path: Path) -> None:
    path = changed(
        tmp_path / "ids.db",
        "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id, message_data);"
        """INSERT INTO agent_messages VALUES (1, 7, '{"role": "user"}');"""
        """INSERT INTO agent_messages VALUES (2, NULL, '{"role": "assistant"}');""",
    )
    assert read_transcript(path).messages == [{"role": "assistant"}]
    assert read_transcript(path, session="7").messages == [{"role": "user"}]


def test_a_structure_without_branches_changes_nothing(database: Database) -> None:
    path = changed(database("agents_session"), "CREATE TABLE message_structure (id, session_id, message_id)")
    assert len(read_transcript(path).messages) == 4

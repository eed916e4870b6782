"""Session files of Claude Code: the chain, parallel calls, branches, sub-agents and compactions."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.readers.reading import read_transcript
from ctxlab.messages.readers.transcript import Transcript


def record(kind: str, uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **more}


def use(call: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": "f", "input": {}}


def result(call: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": "x"}


def part(uuid: str, parent: str | None, answer: str, block: dict[str, Any]) -> dict[str, Any]:
    made = record("assistant", uuid, parent, [block])
    made["message"]["id"] = answer
    return made


def read(tmp_path: Path, *records: dict[str, Any]) -> Transcript:
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    return read_transcript(path)


def lines(transcript: Transcript) -> list[tuple[int, ...]]:
    return [origin.lines for origin in transcript.origin]


def test_the_sample_becomes_one_sound_history(samples: Path) -> None:
    found = read_transcript(samples / "claude_code.jsonl")
    assert (found.format, found.api) == ("Claude Code session", "anthropic-messages")
    assert lines(found) == [(2,), (3, 4, 5), (7, 8), (11,), (15,), (17,), (18,)]
    assert found.origin[1].place == "lines 3, 4 and 5"
    assert [block["type"] for block in found.messages[1]["content"]] == ["thinking", "tool_use", "tool_use"]
    assert [block["tool_use_id"] for block in found.messages[2]["content"]] == ["toolu_11", "toolu_12"]
    assert all(set(message) == {"role", "content"} for message in found.messages)
    assert diagnose(found.messages, found.api) == []


def test_what_is_not_sent_is_counted_and_said(samples: Path) -> None:
    found = read_transcript(samples / "claude_code.jsonl")
    assert found.skipped == {
        "file-history-snapshot": 1,
        "progress": 1,
        "queue-operation": 1,
        "system/turn_duration": 1,
        "brass-plate": 1,
        "error message of the API": 1,
        "message of a sub-agent": 2,
        "message on a branch that was left": 2,
    }
    assert "Line 19: the API answered with an error: API Error: 529 overloaded" in found.notes
    assert "2 messages on branches that were left: lines 12 and 13." in found.notes
    # Every line of the file is in a message or counted.
    with (samples / "claude_code.jsonl").open("rb") as file:
        assert sum(map(len, lines(found))) + sum(found.skipped.values()) == len(file.readlines())


def test_a_compaction_and_the_segment_that_it_kept(samples: Path) -> None:
    found = read_transcript(samples / "claude_code_compacted.jsonl")
    assert lines(found) == [(8,), (4,), (5,), (6,), (10,)]
    assert found.skipped == {
        "summary": 1,
        "system/compact_boundary": 1,
        "attachment": 1,
        "message before a compaction": 2,
    }
    assert "Line 7: the compaction kept the messages of lines 4 to 6; they follow its summary." in found.notes
    assert "A compaction: 2 messages before line 4 no longer sent." in found.notes
    assert diagnose(found.messages, found.api) == []


def boundary(uuid: str, **metadata: Any) -> dict[str, Any]:
    return {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": uuid,
        "parentUuid": None,
        "compactMetadata": metadata,
        "sessionId": "s",
    }


def test_only_what_follows_the_last_compaction_is_sent(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        record("user", "1", None, "a"),
        boundary("2"),
        record("user", "3", "2", "summary"),
        boundary("4", preservedSegment={"headUuid": "gone", "anchorUuid": "5", "tailUuid": "3"}),
        record("user", "5", "4", "summary"),
        record("assistant", "6", "5", "b"),
    )
    assert lines(found) == [(5,), (6,)]
    assert found.skipped["message before a compaction"] == 2
    assert any("kept a segment of which the file lacks a part" in note for note in found.notes)


def test_a_compaction_in_stream_json_has_no_link(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {"type": "user", "message": {"role": "user", "content": "a"}, "session_id": "s"},
        {"type": "system", "subtype": "compact_boundary", "session_id": "s"},
        {"type": "user", "message": {"role": "user", "content": "summary"}, "session_id": "s"},
    )
    assert lines(found) == [(3,)]
    assert found.skipped == {"system/compact_boundary": 1, "message before a compaction": 1}


def test_without_a_message_after_it_a_compaction_changes_nothing_yet(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        record("user", "1", None, "a"),
        record("user", "2", None, "b"),
        boundary("3"),
    )
    assert lines(found) == [(2,)]
    assert found.skipped["message on a branch that was left"] == 1


def test_parallel_results_on_branches_of_the_chain_are_not_lost(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        record("user", "1", None, "go"),
        part("2", "1", "m", use("t1")),
        record("user", "3", "2", [result("t1")]),
        part("4", "2", "m", use("t2")),
        record("user", "5", "4", [result("t2")]),
        part("6", "5", "n", {"type": "text", "text": "done"}),
    )
    assert lines(found) == [(1,), (2, 4), (3, 5), (6,)]
    assert diagnose(found.messages, found.api) == []
    assert "message on a branch that was left" not in found.skipped


def test_text_beside_a_result_follows_the_results(tmp_path: Path) -> None:
    note = {"type": "text", "text": "stopped"}
    found = read(
        tmp_path,
        record("user", "1", None, "go"),
        part("2", "1", "m", use("t1")),
        part("3", "2", "m", use("t2")),
        record("user", "4", "3", [result("t1"), note]),
        record("user", "5", "4", [result("t2")]),
    )
    assert found.messages[2]["content"] == [result("t1"), result("t2"), note]


def test_a_link_to_a_record_that_is_missing_goes_on_in_the_file(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        record("user", "1", None, "a"),
        record("assistant", "2", "1", "b"),
        record("user", "3", "never written", "c"),
    )
    assert lines(found) == [(1,), (2,), (3,)]
    assert (
        "What line 3 should follow is not in the file; the message before it in the file is taken."
        in found.notes
    )


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    found = read(tmp_path, record("user", "1", "2", "a"), record("assistant", "2", "1", "b"))
    assert lines(found) == [(1,), (2,)]


def test_a_new_first_prompt_leaves_the_old_branch(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        record("user", "1", None, "a"),
        record("assistant", "2", "1", "b"),
        record("user", "3", None, "c"),
    )
    assert lines(found) == [(3,)]
    assert found.skipped == {"message on a branch that was left": 2}


def test_the_file_of_a_sub_agent_is_a_session_too(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        record("user", "1", None, "a", isSidechain=True),
        record("assistant", "2", "1", "b", isSidechain=True),
    )
    assert lines(found) == [(1,), (2,)]
    assert any("sub-agent" in note for note in found.notes)
    assert found.skipped == {}


def test_a_record_that_repeats_another_is_counted(tmp_path: Path) -> None:
    first = record("user", "1", None, "a")
    found = read(tmp_path, first, first, record("assistant", "2", "1", "b"))
    assert lines(found) == [(1,), (3,)]
    assert found.skipped == {"record that repeats another": 1}


def test_stream_json_has_no_links(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {"type": "system", "subtype": "init", "session_id": "s", "uuid": "0"},
        {"type": "user", "message": {"role": "user", "content": "a"}, "session_id": "s"},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": "b"},
            "session_id": "s",
            "uuid": "1",
        },
        {"type": "user", "message": {"role": "user", "content": "c"}, "parent_tool_use_id": "toolu_1"},
        {"type": "result", "subtype": "success", "result": "b"},
    )
    assert lines(found) == [(2,), (3,)]
    assert found.skipped == {"system/init": 1, "message of a sub-agent": 1, "result/success": 1}


@pytest.mark.parametrize("count", [5_000])
def test_a_long_session_is_read_in_linear_time(tmp_path: Path, count: int) -> None:
    records = [
        record("user" if n % 2 == 0 else "assistant", str(n), str(n - 1) if n else None, "x")
        for n in range(count)
    ]
    assert len(read(tmp_path, *records).messages) == count

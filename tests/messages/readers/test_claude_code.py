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
    assert "Line 7: a compaction; 2 messages before it no longer sent." in found.notes
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
    assert any("kept messages of which the file lacks a part" in note for note in found.notes)


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


@pytest.mark.parametrize(
    "metadata",
    [
        {"preservedMessages": {"anchorUuid": "6", "uuids": ["2", "4"]}},
        {
            "preservedMessages": {"anchorUuid": "6", "uuids": ["2", "4"], "allUuids": ["2", "4"]},
            "preservedSegment": {"headUuid": "2", "anchorUuid": "6", "tailUuid": "4"},
        },
    ],
)
def test_the_messages_that_a_compaction_lists_follow_its_summary(
    tmp_path: Path, metadata: dict[str, Any]
) -> None:
    found = read(
        tmp_path,
        record("user", "1", None, "a"),
        part("2", "1", "m", use("t1")),
        record("user", "3", "2", "not kept"),
        record("user", "4", "3", [result("t1")]),
        boundary("5", **metadata),
        record("user", "6", "5", "summary"),
        record("assistant", "7", "6", "b"),
    )
    assert lines(found) == [(6,), (2,), (4,), (7,)]
    assert found.skipped["message before a compaction"] == 2
    assert diagnose(found.messages, found.api) == []


def test_stream_json_names_the_kept_messages_in_snake_case(tmp_path: Path) -> None:
    metadata = {"preserved_messages": {"anchor_uuid": "4", "uuids": ["2"]}}
    found = read(
        tmp_path,
        {"type": "user", "message": {"role": "user", "content": "a"}, "session_id": "s", "uuid": "1"},
        {"type": "user", "message": {"role": "user", "content": "b"}, "session_id": "s", "uuid": "2"},
        {"type": "system", "subtype": "compact_boundary", "compact_metadata": metadata, "uuid": "3"},
        {"type": "user", "message": {"role": "user", "content": "sum"}, "session_id": "s", "uuid": "4"},
        {"type": "user", "message": {"role": "user", "content": "c"}, "session_id": "s", "uuid": "5"},
    )
    assert lines(found) == [(4,), (2,), (5,)]


def test_a_segment_whose_links_are_broken_is_said(tmp_path: Path) -> None:
    segment = {"headUuid": "1", "anchorUuid": "4", "tailUuid": "2"}
    found = read(
        tmp_path,
        record("user", "1", None, "a"),
        record("assistant", "2", "never written", "b"),
        boundary("3", preservedSegment=segment),
        record("user", "4", "3", "summary"),
    )
    assert lines(found) == [(4,)]
    assert any("the file lacks a part" in note for note in found.notes)


def test_messages_that_were_removed_are_not_sent(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        record("user", "1", None, "a"),
        part("2", "1", "m", use("t1")),
        record("user", "3", "2", [result("t1")]),
        {
            "type": "system",
            "subtype": "snip_boundary",
            "uuid": "4",
            "parentUuid": "3",
            "sessionId": "s",
            "snipMetadata": {"removedUuids": ["2", "3", "unknown", 7]},
        },
        record("assistant", "5", "4", "b"),
    )
    assert lines(found) == [(1,), (5,)]
    assert found.skipped == {"system/snip_boundary": 1, "message that was removed": 2}


def test_a_long_result_is_read_as_it_is_sent(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        record("user", "1", None, "a"),
        part("2", "1", "m", use("t1")),
        record("user", "3", "2", [result("t1")]),
        {
            "type": "content-replacement",
            "sessionId": "s",
            "replacements": [{"toolUseId": "t1", "replacement": "short"}, {}, 1],
        },
    )
    assert found.messages[2]["content"] == [{**result("t1"), "content": "short"}]
    assert any("1 result shortened" in note for note in found.notes)


def test_a_session_that_was_written_again_is_read_once(tmp_path: Path) -> None:
    def session(first: int) -> list[dict[str, Any]]:
        one, two, three = str(first), str(first + 1), str(first + 2)
        return [
            record("user", one, None, "a"),
            part(two, one, "m", use("t1")),
            record("user", three, two, [result("t1")]),
        ]

    found = read(tmp_path, *session(1), *session(11), record("user", "14", "13", "next"))
    assert lines(found) == [(4,), (5,), (6,), (7,)]
    assert found.skipped == {"message on a branch that was left": 3}
    assert diagnose(found.messages, found.api) == []


def test_a_second_result_on_a_branch_that_was_left_is_not_sent(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        record("user", "1", None, "a"),
        part("2", "1", "m", use("t1")),
        record("user", "3", "2", [result("t1")]),
        record("user", "4", "2", [result("t1")]),
        record("assistant", "5", "4", "b"),
    )
    assert lines(found) == [(1,), (2,), (4,), (5,)]


def test_records_on_one_line_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "verbose.json"
    records = [
        {"type": kind, "message": {"role": kind, "content": kind}, "session_id": "s"}
        for kind in ("user", "assistant", "user")
    ]
    parts = [part(key, None, "m", use(key)) for key in ("t1", "t2")]
    records += [{key: value for key, value in one.items() if key != "parentUuid"} for one in parts]
    path.write_text(json.dumps(records), "utf-8")
    found = read_transcript(path)
    assert [message["content"] for message in found.messages[:3]] == ["user", "assistant", "user"]
    assert found.messages[3]["content"] == [use("t1"), use("t2")]
    assert [origin.place for origin in found.origin] == ["line 1"] * 4


def test_many_errors_of_the_api_are_counted_but_not_all_told(tmp_path: Path) -> None:
    errors = [record("assistant", str(n), "1", "overloaded", isApiErrorMessage=True) for n in range(2, 40)]
    found = read(tmp_path, record("user", "1", None, "a"), *errors)
    assert found.skipped == {"error message of the API": 38}
    assert len(found.notes) == 6

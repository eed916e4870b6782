"""Session files of Codex CLI: items, compactions, turns that were rolled back."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.readers.reading import read_transcript
from ctxlab.messages.readers.transcript import Transcript


def said(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def read(tmp_path: Path, *pairs: tuple[str, Any]) -> Transcript:
    path = tmp_path / "rollout.jsonl"
    records = [{"timestamp": "t", "type": kind, "payload": payload} for kind, payload in pairs]
    path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    return read_transcript(path)


def lines(transcript: Transcript) -> list[tuple[int, ...]]:
    return [origin.lines for origin in transcript.origin]


def test_the_sample_becomes_one_sound_history(samples: Path) -> None:
    found = read_transcript(samples / "codex.jsonl")
    assert (found.format, found.api) == ("Codex CLI session", "openai-responses")
    assert found.system == "You repair clocks."
    assert lines(found) == [(2,), (3,), (6,), (7,), (8,), (11,), (15,), (17,), (18,), (19,)]
    assert found.skipped == {
        "session_meta": 1,
        "event_msg/user_message": 1,
        "event_msg/token_count": 1,
        "event_msg/thread_rolled_back": 1,
        "turn_context": 1,
        "response_item/ghost_snapshot": 1,
        "item rolled back": 2,
        "world_state": 1,
    }
    assert "Line 14: 2 items rolled back." in found.notes
    assert diagnose(found.messages, found.api) == []


def test_a_compaction_replaces_what_came_before(samples: Path) -> None:
    found = read_transcript(samples / "codex_compacted.jsonl")
    assert lines(found) == [(7,), (7,), (8,)]
    assert [item["type"] for item in found.messages] == ["message", "compaction", "message"]
    assert found.skipped == {"session_meta": 1, "compacted": 2, "item replaced by a compaction": 5}
    assert "Line 7: a compaction replaced the 3 items before it by 2." in found.notes
    assert any("sub-agent" in note for note in found.notes)


def test_a_compaction_with_only_a_summary_keeps_the_users_messages(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        ("response_item", said("user", "<environment_context>here</environment_context>")),
        ("response_item", said("user", "one")),
        ("response_item", said("assistant", "two")),
        ("compacted", {"message": "the sum"}),
        ("response_item", said("user", "three")),
    )
    assert lines(found) == [(2,), (4,), (5,)]
    assert found.messages[1] == said("user", "the sum")
    assert found.skipped == {"compacted": 1, "item replaced by a compaction": 2}


def test_of_the_sessions_that_a_fork_copied_the_first_counts(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        ("session_meta", {"base_instructions": "mine"}),
        ("session_meta", {"instructions": "copied"}),
        ("response_item", said("user", "one")),
    )
    assert (found.system, found.skipped) == ("mine", {"session_meta": 2})


def test_files_from_before_the_envelopes(samples: Path) -> None:
    found = read_transcript(samples / "codex_before_envelopes.jsonl")
    assert (found.format, found.system) == ("Codex CLI session", "You repair clocks.")
    assert lines(found) == [(3,), (4,), (5,), (7,)]
    assert found.skipped == {"session_meta": 1, "record without a type": 2}
    assert diagnose(found.messages, found.api) == []


@pytest.mark.parametrize(("turns", "left"), [(0, 5), (1, 3), (2, 1), (9, 1), (-1, 5), ("2", 5), (None, 5)])
def test_the_last_turns_are_rolled_back(tmp_path: Path, turns: Any, left: int) -> None:
    found = read(
        tmp_path,
        ("response_item", said("user", "# AGENTS.md instructions")),
        ("response_item", said("user", "one")),
        ("response_item", said("assistant", "a")),
        ("response_item", said("user", "two")),
        ("response_item", said("assistant", "b")),
        ("event_msg", {"type": "thread_rolled_back", "num_turns": turns}),
    )
    assert len(found.messages) == left
    assert found.skipped.get("item rolled back", 0) == 5 - left


@pytest.mark.parametrize("odd", [{"type": ["x"]}, {"type": None}, {"type": "message", "role": 1}, {}])
def test_an_item_of_any_form_is_kept_for_the_diagnosis(tmp_path: Path, odd: Any) -> None:
    found = read(tmp_path, ("session_meta", {}), ("response_item", odd), ("compacted", {"message": 1}))
    assert found.messages[-1]["role"] == "user"
    assert read(tmp_path, ("session_meta", {}), ("response_item", odd)).messages == [odd]

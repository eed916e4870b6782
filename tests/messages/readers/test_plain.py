"""Lists and lines of messages in the three shapes."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.messages.readers.plain import recognises
from ctxlab.messages.readers.reading import read_transcript


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def test_a_list_and_lines_give_the_same_messages(samples: Path) -> None:
    one, other = read_transcript(samples / "list.json"), read_transcript(samples / "lines.jsonl")
    assert one.messages == other.messages == json.loads((samples / "list.json").read_text("utf-8"))
    assert one.format == other.format == "list of messages"
    assert one.api == "anthropic-messages"
    assert [origin.place for origin in one.origin][:2] == ["item 0 (line 2)", "item 1 (line 6)"]
    assert [origin.lines for origin in other.origin] == [(1,), (2,), (3,), (4,)]
    assert one.skipped == other.skipped == {}
    assert one.findings == other.findings == []


def test_the_shape_is_recognised(tmp_path: Path) -> None:
    chat = lines(tmp_path / "chat", {"role": "system", "content": "s"}, {"role": "user", "content": "u"})
    assert read_transcript(chat).api == "openai-chat"
    items = lines(tmp_path / "items", {"role": "user", "content": "u"}, {"type": "reasoning", "summary": []})
    assert read_transcript(items).api == "openai-responses"


def test_records_of_another_type_are_counted_and_named(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "mixed",
        {"type": "session", "id": 1},
        {"role": "user", "content": "u"},
        {"type": "usage", "subtype": "tokens"},
        {"type": "usage", "subtype": "tokens"},
        {"n": 1},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    )
    read = read_transcript(path)
    assert [origin.lines for origin in read.origin] == [(2,), (6,)]
    assert read.skipped == {"session": 1, "usage/tokens": 2, "record without a type": 1}


def test_what_is_no_sound_message_is_kept_for_the_diagnosis(tmp_path: Path) -> None:
    wrong = [
        {"content": "no role"},
        {"type": "message", "content": "no role"},
        "text",
        None,
        {"role": 7, "content": float("inf")},
        {"role": "user"},
    ]
    assert read_transcript(lines(tmp_path / "wrong", *wrong)).messages == wrong


def test_a_lone_surrogate_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text('[{"role": "user", "content": "\\ud800"}]', "utf-8")
    assert read_transcript(tmp_path / "file").messages[0]["content"] == "\ud800"


@pytest.mark.parametrize("value", [{"type": ["x"]}, {"type": {}}, [], None, 1, {"type": "text", "text": "a"}])
def test_a_value_of_any_type_is_no_message(value: Any) -> None:
    assert not recognises(value)

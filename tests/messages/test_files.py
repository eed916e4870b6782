"""Reading a history that a person brings along: what is read, and how each unusable thing is refused."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import HistoryError
from ctxlab.messages.files import load_history

HISTORY = [{"role": "user", "content": "Check notes.txt. Frage: “ok?”"}, {"role": "assistant", "content": []}]


def file(tmp_path: Path, text: str | bytes, name: str = "history.json") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_reads_a_json_list(tmp_path: Path) -> None:
    path = file(tmp_path, json.dumps(HISTORY, indent=2))
    assert load_history(path) == HISTORY
    assert load_history(str(path)) == HISTORY


@pytest.mark.parametrize("end", ["\n", "", "\r\n\r\n"])
def test_reads_one_message_a_line(tmp_path: Path, end: str) -> None:
    lines = [json.dumps(message, ensure_ascii=False) for message in HISTORY]
    assert load_history(file(tmp_path, "\n\n".join(lines) + end)) == HISTORY


def test_reads_a_file_of_one_message(tmp_path: Path) -> None:
    assert load_history(file(tmp_path, json.dumps(HISTORY[0]))) == HISTORY[:1]


def test_reads_a_byte_order_mark_and_odd_line_ends_inside_texts(tmp_path: Path) -> None:
    odd = [{"role": "user", "content": "a\u2028b\x85c"}, HISTORY[1]]
    text = "\n".join(json.dumps(message, ensure_ascii=False) for message in odd)
    assert load_history(file(tmp_path, b"\xef\xbb\xbf" + text.encode())) == odd


def test_a_list_is_copied() -> None:
    history = [{"role": "user", "content": [{"type": "text", "text": "one"}]}]
    read = load_history(history)
    read[0]["content"][0]["text"] = "two"
    assert history[0]["content"][0]["text"] == "one"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[\n{"role": "user"},\n{"role": }\n]', "history.json, line 3: not JSON"),
        ('{"role": "user"}\n{"role" "user"}\n', "history.json, line 2: not JSON"),
        ("", "history is empty"),
        ("[]", "history is empty"),
        ('"only a text"', "list of messages, not a str"),
        ('{"model": "m", "messages": []}', "what stands under 'messages'"),
        ('[{"role": "user"}, "hello"]', "message 1 is a str"),
        ('[{"role": "user"}, {"content": "hello"}]', "message 1 has no role"),
        ('[{"role": 7}]', "message 0 has no role"),
        ('[{"role": "user", "content": NaN}]', "message 0 cannot be written as JSON"),
        ('[{"role": "user", "content": "\\ud800"}]', "message 0 cannot be written as JSON"),
        ("[" * 100_000, "JSON"),
        (b"[\n\xff]", "line 2: not UTF-8"),
    ],
)
def test_a_file_that_holds_no_history_is_named_with_the_place(
    tmp_path: Path, text: str | bytes, problem: str
) -> None:
    path = file(tmp_path, text)
    with pytest.raises(HistoryError) as caught:
        load_history(path)
    assert problem in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (7, "a history is a list of messages, not an int"),
        (None, "not None"),
        ({"messages": HISTORY}, "what stands under 'messages'"),
        ([], "history is empty"),
        ([HISTORY[0], None], "message 1 is a NoneType"),
        ([{"role": "user", "content": {1, 2}}], "message 0 cannot be written as JSON"),
        ([{"role": "user", "content": b"bytes"}], "message 0 cannot be written as JSON"),
    ],
)
def test_a_value_that_is_no_history_is_refused(value: Any, problem: str) -> None:
    with pytest.raises(HistoryError, match=problem):
        load_history(value)


def test_a_history_that_contains_itself_is_refused() -> None:
    endless: dict[str, Any] = {"role": "user"}
    endless["content"] = [endless]
    with pytest.raises(HistoryError, match="message 0"):
        load_history([endless])


def test_a_history_that_is_nested_too_deeply_to_copy_is_refused() -> None:
    # Python's JSON writer goes deeper than a function in Python can.
    content: list[Any] = []
    for _ in range(sys.getrecursionlimit() - 50):
        content = [content]
    with pytest.raises(HistoryError, match=r"message 1 .*nested too deeply"):
        load_history([HISTORY[0], {"role": "user", "content": content}])


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match=r"there is no file .*missing\.json"):
        load_history(tmp_path / "missing.json")
    with pytest.raises(HistoryError, match="is a directory"):
        load_history(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(HistoryError, match="not a regular file"):
        load_history(tmp_path / "pipe")
    with pytest.raises(HistoryError, match="cannot be read"):
        load_history("a\0b")


def test_a_file_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab.messages.files.MAX_FILE_BYTES", 100)
    with pytest.raises(HistoryError, match="over 100 bytes"):
        load_history(file(tmp_path, json.dumps(HISTORY * 3)))

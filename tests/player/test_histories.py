"""The histories of a lab: each kind of file that people have, what a function gets of it, what is said."""

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import HistoryError
from ctxlab.player.histories import KnownHistory, own_history, uploaded_history
from ctxlab.player.runs import DIAGNOSE, SUBJECTS, subject
from ctxlab.reference import split_history
from ctxlab.scenarios import load_scenario

SAMPLES = Path(__file__).parents[1] / "data" / "transcripts"
CASES = Path(__file__).parents[1] / "data" / "cases"
SPLIT = SUBJECTS["split"]

Message = dict[str, Any]


def whole(messages: list[Any]) -> list[Any]:
    return messages


OWN = subject(whole)


@pytest.fixture
def database(tmp_path: Path) -> Callable[[str], Path]:
    def made(name: str) -> Path:
        path = tmp_path / f"{name}.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript((SAMPLES / f"{name}.sql").read_text("utf-8"))
        return path

    return made


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir()))
def test_each_file_that_can_be_read_gives_sound_exchanges_and_all_of_itself(
    name: str, database: Callable[[str], Path]
) -> None:
    path = database(name.removesuffix(".sql")) if name.endswith(".sql") else SAMPLES / name
    history = own_history(path)
    messages = history.report.transcript.messages
    assert history.name == path.name
    for chosen in (OWN, DIAGNOSE):
        assert history.scenario(chosen).messages == messages
    parts = split_history(history.scenario(SPLIT).messages)
    assert history.scenario(SPLIT).question.strip()
    left = {one.message for one in history.exchanges.left}
    used = {index for indices in history.exchanges.sources for index in indices}
    assert left | used == set(range(len(messages)))
    assert bool(parts["recent"]) == (name not in ("agents_branches.sql", "codex_compacted.jsonl"))
    assert uploaded_history(path.name, path.read_bytes()).exchanges == history.exchanges


CHAT = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "Is it dry?"},
    {"role": "assistant", "content": "I look."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "dry"},
    {"role": "assistant", "content": "Yes. The key is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"},
    {"role": "tool", "tool_call_id": "z", "content": "wet"},
]


def test_what_is_left_out_is_counted_with_its_places() -> None:
    history = own_history(CHAT)
    scenario = history.scenario(SPLIT)
    assert scenario.name == "own history"
    assert scenario.question == "Is it dry?"
    assert scenario.promise.startswith("The tool exchanges of your history: 3 messages, ")
    assert scenario.promise.endswith("bytes, made from 3 of its 7 messages.")
    left_out, findings, secrets = history.lines(SPLIT)
    assert left_out == (
        "Left out, or not as it was: system texts: 1 (message 0); texts of the assistant without a call: "
        "2 (messages 2 and 5); results without a call: 1 (message 6)."
    )
    assert findings == "diagnose has 1 finding in the whole history."
    assert secrets.startswith("1 text looks like a secret: GitHub token (message 5).")
    assert "ghp_" not in secrets
    # One's own function gets everything, so nothing is left out.
    assert history.lines(OWN) == [findings, secrets]
    assert history.scenario(OWN).messages == CHAT
    assert history.scenario(OWN).question == "Is it dry?"


def test_count_and_pairs_get_a_history_of_blocks_whole_and_of_others_the_exchanges() -> None:
    case = json.loads((CASES / "15-empty-text-beside-call.json").read_text("utf-8"))
    blocks, chat = own_history(case["messages"]), own_history(CHAT)
    for name in ("count", "pairs"):
        assert blocks.scenario(SUBJECTS[name]).messages == case["messages"]
        assert chat.scenario(SUBJECTS[name]).messages == chat.exchanges.messages
    assert blocks.scenario(SPLIT).messages == blocks.exchanges.messages != case["messages"]


def test_system_text_and_tools_of_a_request_are_those_of_the_scenario() -> None:
    scenario = own_history(SAMPLES / "anthropic_request.json").scenario(SUBJECTS["count"])
    request = json.loads((SAMPLES / "anthropic_request.json").read_text("utf-8"))
    assert scenario.system
    assert scenario.system in json.dumps(request["system"], ensure_ascii=False)
    assert list(scenario.tool_definitions) == request["tools"]


def test_a_history_in_block_form_stays_as_it_is() -> None:
    messages = load_scenario("mismatch").messages
    history = own_history(messages)
    assert history.scenario(SPLIT).messages == messages
    assert history.scenario(SPLIT).promise.startswith(f"Your history: {len(messages)} messages, ")
    assert history.lines(SPLIT) == ["diagnose has 2 findings in the whole history."]
    messages[0]["content"] = "changed"
    assert history.scenario(OWN).messages[0]["content"] != "changed"


def test_the_question_of_a_history_is_the_hosts() -> None:
    blocks = [{"type": "text", "text": "Is it dry?"}, {"type": "text", "text": "Look."}]
    history = own_history([{"role": "user", "content": blocks}])
    assert history.scenario(SPLIT).question == "Is it dry?\nLook."


def test_a_history_without_words_of_a_user_gets_some_and_says_so() -> None:
    history = own_history(CHAT[3:5])
    assert history.lines(SPLIT)[0] == "No words of a user are in it, so 'Go on.' stands in for the question."
    assert history.scenario(SPLIT).question == history.scenario(SPLIT).messages[0]["content"] == "Go on."


def test_what_has_no_size_in_bytes_is_taken_all_the_same() -> None:
    for odd in ("\ud800", float("nan")):
        history = own_history([{"role": "user", "content": "Go."}, {"role": "assistant", "content": odd}])
        assert history.promise == "Your history: 2 messages."
        assert history.report.findings


def test_a_scenario_is_the_same_for_every_function() -> None:
    known = KnownHistory(load_scenario("mismatch"))
    assert known.scenario(SPLIT) is known.scenario(OWN) is known.of
    assert known.lines(SPLIT) == []
    assert [finding.code for finding in known.report.findings] == [
        "unanswered_tool_use",
        "orphan_tool_result",
    ]


def deep() -> Any:
    content: Any = "end"
    for _ in range(sys.getrecursionlimit()):
        content = [content]
    return content


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ([], "the history is empty"),
        (7, "a history is a list of messages or a path, not an int"),
        ({"messages": CHAT}, "not a dict"),
        ([CHAT[0], {"role": "user", "content": {1}}], "message 1 cannot be written as JSON"),
        ([{"role": "user", "content": deep()}], "message 0 cannot be written as JSON"),
        ("nowhere.json", "there is no file nowhere.json"),
    ],
)
def test_what_is_no_history_is_named(source: Any, problem: str) -> None:
    with pytest.raises(HistoryError) as caught:
        own_history(source)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "mine.json is empty"),
        (b'{"model": "m"}\n', "mine.json, line 1: an object with"),
        (b"[1, 2]", "mine.json, "),
        (b'[{"role": "user",}]', "mine.json, line 1, column 18: not JSON"),
        (b"\xff\xfe[", "mine.json: not UTF-8 but UTF-16"),
        (b"SQLite format 3\0 and then no database", "mine.json cannot be read as a database"),
        (b'[{"role": "user", "content": ' + b"[" * 900 + b"]" * 900 + b"}]", "mine.json: "),
    ],
)
def test_an_upload_that_cannot_be_used_is_named_as_the_reader_knows_it(content: bytes, problem: str) -> None:
    with pytest.raises(HistoryError) as caught:
        uploaded_history("mine.json", content)
    assert problem in str(caught.value)
    assert "ctxlab-upload" not in str(caught.value)


def test_an_upload_has_the_name_of_its_file_and_leaves_no_file_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    content = json.dumps(CHAT[1]).encode()
    history = uploaded_history("../</b>.jsonl", content)
    assert history.name == history.report.name == "../</b>.jsonl"
    assert history.report.transcript.messages == CHAT[1:2]
    # A button has not room for any name.
    long = "line\n" * 100
    assert len(uploaded_history(long, content).name) < 80
    assert uploaded_history(long, content).report.name == long
    assert not list(tmp_path.iterdir())

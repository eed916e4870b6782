"""Whole request bodies, and objects that wrap the messages."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import HistoryError
from ctxlab.messages.readers.reading import read_transcript
from ctxlab.messages.readers.request_body import WRAPPERS


def written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def test_a_body_of_anthropic(samples: Path) -> None:
    read = read_transcript(samples / "anthropic_request.json")
    assert (read.format, read.api) == ("request body", "anthropic-messages")
    assert read.system == [{"type": "text", "text": "Answer in one sentence."}]
    assert [tool["name"] for tool in read.tools or []] == ["look"]
    assert read.messages == read_transcript(samples / "list.json").messages
    text = (samples / "anthropic_request.json").read_text("utf-8").split("\n")
    assert ['"role"' in text[origin.lines[0]] for origin in read.origin] == [True] * 4
    assert read.notes == ["Beside the messages the file has model, max_tokens; that is not looked at."]


def test_a_body_of_chat(samples: Path) -> None:
    read = read_transcript(samples / "chat_request.json")
    assert (read.format, read.api, read.system) == ("request body", "openai-chat", None)
    assert [message["role"] for message in read.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert len(read.tools or []) == 1


def test_a_body_of_responses(samples: Path) -> None:
    read = read_transcript(samples / "responses_request.json")
    assert (read.format, read.api, read.system) == (
        "request body",
        "openai-responses",
        "Answer in one sentence.",
    )
    assert len(read.messages) == 5


def test_the_system_text_that_stands_in_the_messages_stays(tmp_path: Path) -> None:
    mark = {"model_provider": "anthropic"}
    dumped = [
        {"type": "system", "content": "from the messages"},
        {"type": "ai", "content": "a", "response_metadata": mark},
    ]
    found = read_transcript(written(tmp_path / "state", {"messages": dumped, "system": "beside them"}))
    assert found.system == "from the messages"


def test_an_input_of_one_text_is_the_users_message(tmp_path: Path) -> None:
    path = written(tmp_path / "one", {"model": "m", "input": "Hello", "previous_response_id": "resp_1"})
    read = read_transcript(path)
    assert (read.messages, read.api) == ([{"role": "user", "content": "Hello"}], "openai-responses")
    assert "previous_response_id" in read.notes[-1]


PLAIN = [{"role": "user", "content": "u"}]


@pytest.mark.parametrize(
    ("body", "api"),
    [
        ({"messages": PLAIN}, "anthropic-messages"),
        ({"messages": PLAIN, "system": "s"}, "anthropic-messages"),
        ({"messages": PLAIN, "tools": [{"type": "function", "function": {}}]}, "openai-chat"),
        ({"messages": PLAIN, "tools": [{"name": "n", "input_schema": {}}]}, "anthropic-messages"),
        ({"messages": PLAIN, "tools": "none"}, "anthropic-messages"),
        ({"input": PLAIN}, "openai-responses"),
    ],
)
def test_the_body_tells_the_api(tmp_path: Path, body: Any, api: str) -> None:
    assert read_transcript(written(tmp_path / "body", body)).api == api


@pytest.mark.parametrize(
    "wrapped",
    [
        {"custom_id": "1", "params": {"messages": PLAIN, "system": "s"}},
        {"custom_id": "1", "method": "POST", "body": {"messages": PLAIN, "system": "s"}},
        {"request": {"messages": PLAIN, "system": "s"}, "response": {}},
        {"request": {"headers": {}, "body": {"messages": PLAIN, "system": "s"}}, "response": {}},
        {"run_type": "llm", "inputs": {"messages": PLAIN, "system": "s"}, "outputs": {}},
    ],
)
def test_a_wrapped_body_is_read_and_said(tmp_path: Path, wrapped: Any) -> None:
    read = read_transcript(written(tmp_path / "wrapped", wrapped))
    assert (read.messages, read.system) == (PLAIN, "s")
    assert [origin.place for origin in read.origin] == ["item 0 (line 1)"]
    (note,) = [note for note in read.notes if "inside a larger object" in note]
    assert all(key in note for key in wrapped if key not in WRAPPERS)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n"model": "m",\n"prompt": "p"}', r"object without messages.*\['model', 'prompt'\]"),
        ('{"messages": []}', "no messages in it"),
        ('{"messages": [1, 2]}', "item 0 .*1 is no record of a known format"),
        (
            '{"messages": [{"role": "user"}]}\n{"messages": [{"role": "user"}]}\n',
            "each line is a whole request",
        ),
        (
            'POST /v1/messages\ncontent-type: application/json\n\n{"messages": [{"role": "user"}]}\n',
            "line 4: a whole request among other text; keep the request alone",
        ),
        ('{"id": "m", "choices": []}', "line 1: the answer of a provider; give the request"),
        ('{"type": "error", "error": {"message": "no"}}', "the answer of a provider; give the request"),
    ],
)
def test_an_object_without_usable_messages_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "file").write_text(text, "utf-8")
    with pytest.raises(HistoryError, match=problem):
        read_transcript(tmp_path / "file")


def test_a_run_of_langsmith_has_a_list_of_one_history(tmp_path: Path) -> None:
    human = {"lc": 1, "type": "constructor", "id": ["m", "HumanMessage"], "kwargs": {"content": "a"}}
    read = read_transcript(written(tmp_path / "run", {"run_type": "llm", "inputs": {"messages": [[human]]}}))
    assert (read.format, read.messages) == ("LangChain messages", [{"role": "user", "content": "a"}])


def test_the_items_of_an_early_codex_session(tmp_path: Path) -> None:
    call = {"type": "local_shell_call", "call_id": "c", "action": {"cmd": "ls"}}
    session = {"session": {"id": "1"}, "items": [{"type": "message", **PLAIN[0]}, call]}
    read = read_transcript(written(tmp_path / "session", session))
    assert (read.api, len(read.messages)) == ("openai-responses", 2)
    assert read.notes == ["Beside the messages the file has session; that is not looked at."]

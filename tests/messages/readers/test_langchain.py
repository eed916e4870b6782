"""Dumps of LangChain in their three forms, turned into the shape of an API."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import HistoryError
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.readers.langchain import recognises
from ctxlab.messages.readers.reading import read_transcript


def test_dumpd_becomes_chat(samples: Path) -> None:
    found = read_transcript(samples / "langchain_dumpd.jsonl")
    assert (found.format, found.api) == ("LangChain messages", "openai-chat")
    assert [message["role"] for message in found.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert found.messages[1] == {"role": "user", "content": "Which bell rings first?", "name": "ada"}
    assert found.messages[2] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_01",
                "type": "function",
                "function": {"name": "look", "arguments": '{"at": "tower"}'},
            },
            {"id": "call_02", "type": "function", "function": {"name": "look", "arguments": '{"at": '}},
        ],
    }
    assert found.messages[5]["content"] == [{"type": "text", "text": "The large one."}]
    assert found.skipped == {"remove": 1, "content block reasoning": 1}
    assert [finding.code for finding in diagnose(found.messages, found.api)] == ["arguments_not_json"]


def test_dicts_with_blocks_of_anthropic_become_its_shape(samples: Path) -> None:
    found = read_transcript(samples / "langchain_dicts.json")
    assert found.api == "anthropic-messages"
    assert found.system == [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Ring no bell."}]
    assert found.messages[1]["content"] == [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "toolu_01", "name": "look", "input": {"at": "tower"}},
        {"type": "tool_use", "id": "toolu_02", "name": "look", "input": {"at": "gate"}},
    ]
    assert found.messages[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "toolu_01", "content": "large bell"},
        {"type": "tool_result", "tool_use_id": "toolu_02", "content": "no bell", "is_error": True},
    ]
    assert found.origin[2].lines == (80, 93)
    assert diagnose(found.messages, found.api) == []


def test_the_state_of_a_graph(samples: Path) -> None:
    found = read_transcript(samples / "langgraph_state.json")
    assert (found.format, found.api) == ("LangChain messages", "openai-chat")
    assert found.messages[1]["tool_calls"][0]["id"] == "call_01"
    assert found.messages[2] == {
        "role": "tool",
        "content": "large bell",
        "name": "look",
        "tool_call_id": "call_01",
    }
    assert diagnose(found.messages, found.api) == []


def dumped(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "data": {"content": content, "type": kind, **more}}


def written(tmp_path: Path, *records: Any) -> Path:
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(records), "utf-8")
    return path


def test_calls_beside_a_text_become_blocks(tmp_path: Path) -> None:
    call = {"name": "f", "args": {}, "id": "t", "type": "tool_call"}
    mark = {"model_provider": "anthropic"}
    path = written(
        tmp_path,
        dumped("human", "go"),
        dumped("ai", "I go.", tool_calls=[call], response_metadata=mark),
        dumped("ai", "", tool_calls=[call]),
    )
    contents = [message["content"] for message in read_transcript(path).messages]
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    assert contents == ["go", [{"type": "text", "text": "I go."}, block], [block]]


def test_a_late_system_message_is_kept_where_it_stands(tmp_path: Path) -> None:
    thinking = [{"type": "thinking", "thinking": "t", "signature": "s"}]
    found = read_transcript(
        written(tmp_path, dumped("human", "a"), dumped("system", "b"), dumped("ai", thinking))
    )
    assert [message["role"] for message in found.messages] == ["user", "system", "assistant"]
    assert found.system is None


def test_other_roles(tmp_path: Path) -> None:
    found = read_transcript(
        written(
            tmp_path,
            dumped("developer", "a"),
            dumped("chat", "b", role="critic"),
            dumped("ai", "", additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}}),
            dumped("function", "c", name="f"),
        )
    )
    assert [message["role"] for message in found.messages] == ["developer", "critic", "assistant", "function"]
    assert found.messages[2]["function_call"] == {"name": "f", "arguments": "{}"}


@pytest.mark.parametrize(
    "value",
    [
        {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "Template"], "kwargs": {}},
        {"lc": 1, "kwargs": {"content": ""}, "id": None},
        {"type": "text", "content": "x"},
        {"type": "human"},
        {"type": ["human"], "content": "x"},
        {"type": "human", "content": "x", "role": "user"},
        "human",
    ],
)
def test_other_values_are_no_messages(value: Any) -> None:
    assert not recognises(value)


def test_ids_of_any_type_are_survived(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        dumped("ai", [{"type": "tool_use", "id": [1]}, {"type": {}}, "text"], tool_calls=[{"id": [1]}, "x"]),
        dumped("tool", None, tool_call_id={}),
    )
    assert len(read_transcript(path).messages) == 2


def test_a_dump_of_removals_alone_has_no_messages(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="no messages in it, only 1 x remove"):
        read_transcript(written(tmp_path, dumped("remove", "")))


def test_the_block_of_a_streamed_call_gets_its_input(tmp_path: Path) -> None:
    content = [
        {"type": "text", "text": "", "index": 0},
        {"type": "tool_use", "id": "t1", "name": "f", "input": {}, "partial_json": '{"a": 1}', "index": 1},
        {"type": "input_json_delta", "partial_json": "1}", "index": 1},
    ]
    call = {"name": "f", "args": {"a": 1}, "id": "t1", "type": "tool_call"}
    found = read_transcript(
        written(
            tmp_path,
            dumped("human", "go"),
            dumped("AIMessageChunk", content, tool_calls=[call]),
            dumped("tool", "done", tool_call_id="t1"),
        )
    )
    assert found.messages[1]["content"] == [{"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}]
    assert diagnose(found.messages, found.api) == []


def test_a_message_of_blank_texts_alone_stays_for_the_diagnosis(tmp_path: Path) -> None:
    blank = [{"type": "text", "text": " "}]
    mark = {"model_provider": "anthropic"}
    found = read_transcript(written(tmp_path, dumped("ai", blank, response_metadata=mark)))
    assert found.messages == [{"role": "assistant", "content": blank}]

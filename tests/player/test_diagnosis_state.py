"""What the page of a diagnosis gets: figures, cuts, texts and places, in every shape."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.messages.pairing import legal_cuts
from ctxlab.messages.report import report_on
from ctxlab.messages.shapes import APIS, recognised
from ctxlab.player.diagnosis_state import CUTS, MOST_LEVELS, MOST_TEXTS, diagnosis_state, headline, splits

DATA = Path(__file__).parent.parent / "data"
HISTORIES = [*sorted((DATA / "cases").glob("*.json")), *sorted((DATA / "sound").glob("*.json"))]

History = list[Any]


def state_of(messages: History) -> dict[str, Any]:
    return diagnosis_state(report_on(messages))


def histories(file: Path) -> list[History]:
    """The histories in a file of test data, whatever else is in it."""
    found = json.loads(file.read_text(encoding="utf-8"))
    values = found if isinstance(found, list) else [found]
    held = [value.get("messages") for value in values if isinstance(value, dict)]
    return [messages for messages in held if isinstance(messages, list)]


def test_there_are_histories_to_look_at() -> None:
    assert sum(len(histories(file)) for file in HISTORIES) >= 30


@pytest.mark.parametrize("file", HISTORIES, ids=lambda file: file.stem)
def test_the_cuts_that_are_not_legal_are_those_that_split(file: Path) -> None:
    for messages in histories(file):
        for api in APIS:
            legal = set(legal_cuts(messages, api))
            found = splits(messages, api)
            assert [cut for cut, _ in found] == [c for c in range(len(messages) + 1) if c not in legal]
            assert all(words for _, words in found)


def tool_use(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "read", "input": {}}


def tool_result(name: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": "x"}


def test_a_cut_names_the_calls_that_it_would_split() -> None:
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [tool_use(name) for name in "abcd"]},
        {"role": "user", "content": [tool_result("a")]},
        {"role": "user", "content": [tool_result(name) for name in "bcd"]},
        {"role": "assistant", "content": [tool_use("e")]},
    ]
    assert splits(messages, "anthropic-messages") == [(2, "a, b and 2 more"), (3, "b, c and 1 more")]


def test_a_cut_behind_reasoning_splits_the_turn() -> None:
    items = [
        {"role": "user", "content": "Go."},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "x"},
    ]
    assert splits(items, "openai-responses") == [(2, "the model's turn"), (3, "call_1")]


def test_the_facts_say_how_large_the_messages_are() -> None:
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Gone."}]
    size = len(json.dumps(messages, separators=(",", ":")))
    facts = state_of(messages)["heading"]["facts"]
    assert facts == ["a list", "anthropic-messages", "2 messages", f"{size} bytes", "5 tokens (cl100k_base)"]
    assert "2 bytes" in state_of([])["heading"]["facts"]


def test_what_stands_beside_the_messages_and_what_was_left_out_is_said() -> None:
    body = diagnosis_state(report_on(DATA / "transcripts" / "anthropic_request.json"))["heading"]["lines"]
    assert body[0].startswith("Sent beside the messages, and not counted: a system text of ")
    assert body[0].endswith(" tool.") or body[0].endswith(" tools.")
    session = report_on(DATA / "transcripts" / "claude_code.jsonl")
    lines = diagnosis_state(session)["heading"]["lines"]
    for kind, count in session.transcript.skipped.items():
        assert f"{count} x {kind}" in lines[0]
    assert lines[1:] == session.transcript.notes


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"role": "user", "content": "Go."}], "No findings in 1 message."),
        ([], "1 finding, in no single message."),
        ([{"role": "user", "content": []}], "1 finding, in message 0."),
        ([{"role": "user", "content": "Go."}, 7, 7], "2 findings in 2 messages, the first in message 1."),
    ],
)
def test_the_headline_says_where(messages: History, words: str) -> None:
    assert headline(report_on(messages)) == words


def test_texts_have_their_paths_and_say_what_is_left_out() -> None:
    block = {"type": "tool_use", "id": "a", "name": "read", "input": {"lines": [1, None, True], "to": {}}}
    long = "x" * (CUTS[0] + 5)
    texts = state_of([{"role": "user", "content": long}, {"role": "assistant", "content": [block]}])["texts"]
    assert texts[0] == [("role", "user", 0), ("content", "x" * CUTS[0], 5)]
    assert texts[1][4:] == [
        ("content[0].input.lines[0]", "1", 0),
        ("content[0].input.lines[1]", "null", 0),
        ("content[0].input.lines[2]", "true", 0),
        ("content[0].input.to", "{}", 0),
    ]


def test_many_long_texts_are_cut_shorter() -> None:
    messages = [{"role": "user", "content": "y" * 3000} for _ in range(5000)]
    texts = state_of(messages)["texts"]
    assert {(len(text), left_out) for [_, (_, text, left_out)] in texts} == {(CUTS[1], 3000 - CUTS[1])}


def test_a_message_of_very_many_or_very_deep_parts_is_shown_in_part() -> None:
    deep: Any = "end"
    for _ in range(100):
        deep = [deep]
    many = {"role": "user", "content": [{"type": "text", "text": "a"}] * 1000}
    texts = state_of([many, deep])["texts"]
    assert len(texts[0]) == MOST_TEXTS + 1
    assert texts[0][-1][1] == "More stands in this message than is shown here."
    [(path, text, _)] = texts[1]
    assert path == "[0]" * MOST_LEVELS
    assert text == "[" * 80 + '"end"' + "]" * 80


@pytest.mark.parametrize("name", ["content", "tool_calls"])
def test_the_block_to_blame_is_found_in_the_texts(name: str) -> None:
    cut_off = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{"}}
    chat = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [{"type": "text", "text": "I read."}], "tool_calls": [cut_off]},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
    ]
    blocks = [{"role": "user", "content": [{"type": "text", "text": "Go."}, {"type": "text", "text": ""}]}]
    messages, path = (blocks, "content[1]") if name == "content" else (chat, "tool_calls[0]")
    state = state_of(messages)
    [finding] = state["findings"]
    assert finding["path"] == path
    assert any(text[0].startswith(f"{path}.") for text in state["texts"][finding["message"]])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "id", "tool_calls", "tool_use_id", "call_id", "x"]),
            inner
            | st.sampled_from(["user", "assistant", "tool", "tool_use", "tool_result", "function_call"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(JSON, max_size=6))
def test_any_json_values_have_a_state(messages: History) -> None:
    state = state_of(messages)
    json.dumps(state)
    assert len(state["cards"]) == len(state["texts"]) == len(messages)
    for finding in state["findings"]:
        assert finding["message"] is None or 0 <= finding["message"] < len(messages)


def test_10_000_messages_take_seconds_at_most() -> None:
    messages: History = [{"role": "user", "content": "Go."}]
    for number in range(5000):
        messages.append({"role": "assistant", "content": [tool_use(f"toolu_{number}")]})
        messages.append({"role": "user", "content": [tool_result(f"toolu_{number}")]})
    assert recognised(messages) == "anthropic-messages"
    started = time.perf_counter()
    assert len(state_of(messages)["splits"]) == 5000
    assert time.perf_counter() - started < 10

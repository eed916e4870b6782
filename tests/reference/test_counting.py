"""count_request: its parts, what it cannot count, what it refuses, and the laws that hold for any history."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.counting import TokenCounter, tokens_from_bytes
from ctxlab.reference import count_request

COUNTER = TokenCounter()
QUESTION = {"role": "user", "content": "Why?"}


def length(text: str) -> int:
    return len(text)


def message(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def counted(*blocks: dict[str, Any]) -> dict[str, Any]:
    """The count of one message, in characters, without framing."""
    return count_request([message(*blocks)], length, per_message=0)


def test_counts_each_part_by_itself() -> None:
    found = count_request(
        [QUESTION, {"role": "assistant", "content": [{"type": "text", "text": "漢字"}]}],
        length,
        system="Be brief.",
        tool_definitions=[{"name": "read", "description": "漢"}, {"name": "x"}],
        window=100,
        max_output=10,
        per_message=3,
    )
    assert found == {
        "system": 9,
        # {"name":"read","description":"漢"} and {"name":"x"}
        "tools": 33 + 12,
        "messages": [4, 2],
        "framing": 6,
        "total": 66,
        "left": 24,
        "uncounted": [],
    }


@pytest.mark.parametrize(
    ("block", "tokens"),
    [
        ({"type": "text", "text": "four"}, 4),
        ({"type": "thinking", "thinking": "hm", "signature": "long and sealed"}, 2),
        ({"type": "tool_use", "id": "call_1", "name": "read", "input": {"路": ["a", 1]}}, 4 + 13),
        ({"type": "tool_result", "tool_use_id": "call_1", "content": "done", "is_error": True}, 4),
        ({"type": "tool_result", "tool_use_id": "call_1"}, 0),
    ],
)
def test_counts_what_a_block_says_and_nothing_else(block: dict[str, Any], tokens: int) -> None:
    found = counted(block)
    assert (found["messages"], found["uncounted"]) == ([tokens], [])


def test_names_every_block_that_it_cannot_count() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "See:"}, image]}
    found = counted({"type": "redacted_thinking", "data": "x" * 99}, {"type": "text", "text": "ab"}, result)
    assert found["messages"] == [2 + 4]
    assert found["uncounted"] == [
        {"message": 0, "block": 0, "type": "redacted_thinking"},
        {"message": 0, "block": 2, "type": "image"},
    ]


def test_fits_means_at_most() -> None:
    assert count_request([QUESTION], length, window=16, max_output=8)["left"] == 0
    with pytest.raises(Refusal) as refused:
        count_request([QUESTION], length, system="!", window=16, max_output=8)
    assert refused.value.code == "over_window"
    assert str(refused.value) == (
        "9 tokens (system 1, tools 0, messages 4, framing 4) and 8 for the answer"
        " are 1 more than the window of 16"
    )


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        ({"window": "2000"}, "bad_argument", "window is '2000', not an int of at least 0"),
        ({"window": True}, "bad_argument", "window is True"),
        ({"max_output": -1}, "bad_argument", "max_output is -1"),
        ({"per_message": 3.5}, "bad_argument", "per_message is 3.5"),
        ({"count": 4}, "bad_argument", "count is an int, not a function of a text"),
        ({"count": lambda text: len(text) / 4}, "bad_argument", "count returned 0.0 for the system text"),
        ({"count": lambda text: -1}, "bad_argument", "count returned -1"),
        ({"tool_definitions": "read"}, "bad_argument", "tool_definitions is a str, not a list"),
        ({"tool_definitions": [{"name": {1}}]}, "not_a_history", "no UTF-8 JSON form"),
        ({"system": None}, "not_a_history", "the system text says None, not a text"),
        ({"messages": "Why?"}, "not_a_history", "messages is a str, not a list of messages"),
        ({"messages": [QUESTION, {"role": "user"}]}, "not_a_history", "message 1 has no content"),
        ({"messages": [QUESTION, "Why?"]}, "not_a_history", "message 1 has no content"),
        ({"messages": [message("Why?")]}, "not_a_history", "message 0, block 0 is 'Why?', not a block"),
        ({"messages": [message({"type": 5})]}, "not_a_history", "message 0, block 0 is {'type': 5}"),
        ({"messages": [message({"type": "text"})]}, "not_a_history", "message 0, block 0 says None"),
        (
            {"messages": [message({"type": "tool_use", "name": "x", "input": {"n": float("nan")}})]},
            "not_a_history",
            "no UTF-8 JSON form",
        ),
    ],
)  # fmt: skip
def test_refuses_what_it_cannot_work_with(given: dict[str, Any], code: str, says: str) -> None:
    arguments: dict[str, Any] = {"messages": [QUESTION], "count": length} | given
    with pytest.raises(Refusal) as refused:
        count_request(**arguments)
    assert refused.value.code == code
    assert says in str(refused.value)


# The laws

TEXTS = st.text(max_size=12)
INPUTS = st.dictionaries(TEXTS.filter(str.isprintable), st.integers() | st.booleans(), max_size=2)
COUNTABLE = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS),
    st.builds(lambda text: {"type": "thinking", "thinking": text, "signature": "s"}, TEXTS),
    st.builds(
        lambda name, given: {"type": "tool_use", "id": "a", "name": name, "input": given},
        TEXTS,
        INPUTS,
    ),
    st.builds(lambda text: {"type": "tool_result", "tool_use_id": "a", "content": text}, TEXTS),
)
UNREADABLE = st.sampled_from(["image", "document", "redacted_thinking"]).map(lambda kind: {"type": kind})
NESTED = st.builds(
    lambda inside: {"type": "tool_result", "tool_use_id": "a", "content": inside},
    st.lists(st.one_of(TEXTS.map(lambda text: {"type": "text", "text": text}), UNREADABLE), max_size=3),
)
CONTENTS = TEXTS | st.lists(COUNTABLE | UNREADABLE | NESTED, max_size=4)
HISTORIES = st.lists(CONTENTS.map(lambda content: {"role": "user", "content": content}), max_size=5)
COUNTERS = st.sampled_from([length, COUNTER.count, tokens_from_bytes])
LIMITS = st.integers(0, 300)


@given(HISTORIES, COUNTERS, TEXTS, st.lists(INPUTS, max_size=2), LIMITS, LIMITS, st.integers(0, 9))
def test_the_parts_make_up_the_total_and_the_input_stays(
    messages: list[dict[str, Any]],
    count: Callable[[str], int],
    system: str,
    tools: list[dict[str, Any]],
    window: int,
    max_output: int,
    per_message: int,
) -> None:
    before = copy.deepcopy((messages, tools))

    def run(window: int) -> dict[str, Any]:
        return count_request(
            messages,
            count,
            system=system,
            tool_definitions=tools,
            window=window,
            max_output=max_output,
            per_message=per_message,
        )

    found = run(10_000)
    assert found["total"] == sum([found["system"], found["tools"], *found["messages"], found["framing"]])
    assert found["left"] == 10_000 - max_output - found["total"]
    assert found["framing"] == per_message * len(messages)
    # Each message is counted as if it were alone, and as the counter of any shape counts it.
    alone = [count_request([one], count, per_message=0, window=10_000) for one in messages]
    assert found["messages"] == [one["total"] for one in alone]
    if count == COUNTER.count:
        assert found["messages"] == list(map(COUNTER.count_message, messages))
    assert [place["message"] for place in found["uncounted"]] == [
        at for at, one in enumerate(alone) for _ in one["uncounted"]
    ]
    # It fits, or it is refused: never anything in between.
    if found["total"] + max_output <= window:
        assert run(window) == {**found, "left": window - max_output - found["total"]}
    else:
        with pytest.raises(Refusal) as refused:
            run(window)
        assert refused.value.code == "over_window"
    assert (messages, tools) == before

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.messages.pairing import exchanges, legal_cuts

Message = dict[str, Any]


def calls(*ids: str) -> Message:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": id_, "input": {}} for id_ in ids]}


def results(*ids: str) -> Message:
    content = [{"type": "tool_result", "tool_use_id": id_, "content": "ok"} for id_ in ids]
    return {"role": "user", "content": content}


QUESTION: Message = {"role": "user", "content": "Go on."}
ANSWER: Message = {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}


@pytest.mark.parametrize(
    ("history", "ranges", "cuts"),
    [
        pytest.param([], [], [0], id="empty"),
        pytest.param([QUESTION, ANSWER], [], [0, 1, 2], id="no calls"),
        pytest.param([QUESTION, calls("a"), results("a"), ANSWER], [(1, 3)], [0, 1, 3, 4], id="one"),
        pytest.param([calls("a", "b"), results("b", "a")], [(0, 2)], [0, 2], id="parallel"),
        pytest.param(
            [calls("a", "b"), results("a"), results("b")], [(0, 3)], [0, 3], id="two result messages"
        ),
        pytest.param([QUESTION, calls("a")], [(1, 2)], [0, 1, 2], id="open"),
        pytest.param([calls("a", "b"), results("a"), QUESTION], [(0, 2)], [0, 2, 3], id="half open"),
        pytest.param([QUESTION, results("a"), QUESTION], [], [0, 1, 2, 3], id="orphan"),
        pytest.param([results("a"), calls("a")], [(1, 2)], [0, 1, 2], id="result before its call"),
        pytest.param([calls("a"), QUESTION, results("a")], [(0, 3)], [0, 3], id="late result"),
        pytest.param(
            [calls("a"), calls("b"), results("a"), results("b")], [(0, 3), (1, 4)], [0, 4], id="interleaved"
        ),
        pytest.param(
            [calls("a"), results("a"), calls("a"), results("a")],
            [(0, 2), (2, 4)],
            [0, 2, 4],
            id="id used again",
        ),
        pytest.param([calls("a"), results("a"), results("a")], [(0, 3)], [0, 3], id="answered twice"),
        pytest.param(
            [{"role": "assistant", "content": [*calls("a")["content"], *results("a")["content"]]}],
            [(0, 1)],
            [0, 1],
            id="both in one message",
        ),
    ],
)
def test_known_histories(history: list[Message], ranges: list[tuple[int, int]], cuts: list[int]) -> None:
    assert exchanges(history) == ranges
    assert legal_cuts(history) == cuts


SEARCH: dict[str, Any] = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
FOUND: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}


def chat_calls(*ids: str) -> Message:
    calls = [{"id": id_, "type": "function", "function": {"name": "look", "arguments": "{}"}} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tool(id_: str) -> Message:
    return {"role": "tool", "tool_call_id": id_, "content": "ok"}


def item(kind: str, id_: str) -> Message:
    return {"type": kind, "call_id": id_}


CALL, OUTPUT = "function_call", "function_call_output"
REASONING: Message = {"type": "reasoning", "id": "rs", "summary": []}
SAID: Message = {"type": "message", "role": "assistant", "content": "Done."}
ASKED: Message = {"type": "message", "role": "user", "content": "Go on."}


@pytest.mark.parametrize(
    ("history", "ranges", "cuts"),
    [
        pytest.param(
            [QUESTION, {"role": "assistant", "content": [SEARCH, FOUND]}, QUESTION],
            [],
            [0, 1, 2, 3],
            id="a server tool with its result",
        ),
        pytest.param(
            [
                {"role": "assistant", "content": [SEARCH, *calls("a")["content"]]},
                results("a"),
                {"content": [FOUND]},
            ],
            [(0, 3)],
            [0, 3],
            id="the result of a server tool in a later message",
        ),
        pytest.param(
            [QUESTION, chat_calls("a", "b"), tool("b"), tool("a"), QUESTION],
            [(1, 4)],
            [0, 1, 4, 5],
            id="chat",
        ),
        pytest.param([tool("x"), chat_calls("a")], [(1, 2)], [0, 1, 2], id="chat, orphan and open"),
        pytest.param(
            [
                QUESTION,
                {"role": "assistant", "function_call": {"name": "look", "arguments": "{}"}},
                {"role": "function", "name": "look", "content": "ok"},
            ],
            [(1, 3)],
            [0, 1, 3],
            id="the function call of old",
        ),
        pytest.param(
            [ASKED, REASONING, item(CALL, "a"), item(CALL, "b"), item(OUTPUT, "b"), item(OUTPUT, "a"), SAID],
            [(1, 6)],
            [0, 1, 6, 7],
            id="responses",
        ),
        pytest.param([ASKED, REASONING, SAID, ASKED], [], [0, 1, 3, 4], id="reasoning and its answer"),
        pytest.param(
            [ASKED, SAID, item(CALL, "a"), item(OUTPUT, "a"), item(CALL, "b"), item(OUTPUT, "b")],
            [(2, 4), (4, 6)],
            [0, 1, 2, 4, 6],
            id="two turns in the responses api",
        ),
        pytest.param(
            [item("computer_call", "a"), item("computer_call_output", "a"), item("custom_tool_call", "b")],
            [(0, 2), (2, 3)],
            [0, 2, 3],
            id="other calls of the responses api",
        ),
    ],
)
def test_the_other_shapes(history: list[Message], ranges: list[tuple[int, int]], cuts: list[int]) -> None:
    assert exchanges(history) == ranges
    assert legal_cuts(history) == cuts


def test_the_shape_can_be_given() -> None:
    history = [chat_calls("a"), tool("a")]
    assert exchanges(history, "openai-chat") == [(0, 2)]
    assert exchanges(history, "anthropic-messages") == []
    assert legal_cuts(history, "anthropic-messages") == [0, 1, 2]


ids = st.sampled_from(["a", "b", "c", "d"])
generated = st.lists(
    st.one_of(
        st.builds(lambda names: calls(*names), st.lists(ids, max_size=3)),
        st.builds(lambda names: results(*names), st.lists(ids, max_size=3)),
        st.just(QUESTION),
    ),
    max_size=12,
)


def linked_pairs(history: list[Message]) -> list[tuple[int, int]]:
    """Say, for each result, which message holds the nearest call before it: the slow way."""
    pairs = []
    for at, message in enumerate(history):
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "tool_result":
                callers = [
                    index
                    for index in range(at)
                    if any(
                        isinstance(other, dict) and other.get("id") == block["tool_use_id"]
                        for other in history[index]["content"]
                    )
                ]
                pairs += [(callers[-1], at)] if callers else []
    return pairs


@given(generated)
def test_a_cut_is_legal_exactly_when_no_pair_lies_on_both_sides(history: list[Message]) -> None:
    pairs = linked_pairs(history)
    expected = [
        cut for cut in range(len(history) + 1) if not any(call < cut <= result for call, result in pairs)
    ]

    assert legal_cuts(history) == expected


@given(generated)
def test_an_exchange_reaches_from_its_calls_to_its_last_result(history: list[Message]) -> None:
    pairs = linked_pairs(history)
    callers = [
        index
        for index, message in enumerate(history)
        if isinstance(message["content"], list)
        and any(block["type"] == "tool_use" for block in message["content"])
    ]

    assert exchanges(history) == [
        (start, 1 + max([start, *(result for call, result in pairs if call == start)])) for start in callers
    ]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "id", "tool_use_id", "x"]), inner, max_size=5
        )
    ),
    max_leaves=20,
)
odd_blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["tool_use", "tool_result"]) | json_values},
    optional={"id": json_values, "tool_use_id": json_values},
)
odd_messages = st.fixed_dictionaries(
    {"content": st.lists(odd_blocks | json_values, max_size=4) | json_values}
)


@given(json_values | st.lists(odd_messages | json_values, max_size=6))
def test_no_json_value_makes_them_raise(value: Any) -> None:
    ranges, cuts = exchanges(value), legal_cuts(value)

    if not isinstance(value, list):
        assert (ranges, cuts) == ([], [])
        return
    assert all(0 <= start < stop <= len(value) for start, stop in ranges)
    assert cuts[0] == 0
    assert cuts[-1] == len(value)
    assert cuts == sorted(set(cuts))


def seconds_for(count: int) -> float:
    # Each call is answered at the very end, so every range reaches over all the others.
    names = [f"call_{number}" for number in range(count)]
    history = [*map(calls, names), *map(results, names)]
    start = time.perf_counter()
    assert legal_cuts(history) == [0, 2 * count]
    return time.perf_counter() - start


def test_the_time_grows_with_the_length_and_not_with_its_square() -> None:
    small = min(seconds_for(2_000) for _ in range(5))
    large = min(seconds_for(20_000) for _ in range(5))

    assert large < 40 * small

"""One card per message of the pool: what it says, in figures and in a preview."""

from typing import Any

import pytest

from ctxlab.messages.counting import TokenCounter
from ctxlab.messages.shapes import APIS
from ctxlab.player.cards import MOST_COUNTED_BYTES, cards, cards_of
from ctxlab.reference import history_bytes, prepare_context
from ctxlab.scenarios import load_scenario
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace


def copied(messages: list[Any]) -> list[Any]:
    return list(messages)


def card_of(message: dict[str, Any]) -> dict[str, Any]:
    (card,), _ = cards(trace(copied, [message]))
    return card


def test_a_call_a_result_and_a_text() -> None:
    call = {"type": "tool_use", "id": "call_1", "name": "read_file", "input": {"path": "notes.txt"}}
    result = {"type": "tool_result", "tool_use_id": "call_1", "content": "not found", "is_error": True}
    text = {"type": "text", "text": "I look it up."}
    made = [
        card_of({"role": "assistant", "content": [text, call]}),
        card_of({"role": "user", "content": [result]}),
        card_of({"role": "user", "content": "Check notes.txt."}),
    ]
    assert [card["kind"] for card in made] == ["call", "result", "text"]
    assert [card["role"] for card in made] == ["assistant", "user", "user"]
    assert [card["calls"] for card in made] == [["call_1"], [], []]
    assert [card["results"] for card in made] == [[], ["call_1"], []]
    assert [card["ids"] for card in made] == [["call_1"], ["call_1"], []]
    assert [card["error"] for card in made] == [False, True, False]
    assert [card["preview"] for card in made] == [
        "I look it up. read_file notes.txt",
        "not found",
        "Check notes.txt.",
    ]
    assert [card["chars"] for card in made] == [13 + 9 + 9, 9, 16]


def test_what_a_message_may_also_be() -> None:
    assert card_of({"role": "user", "content": ["a", "b"]})["preview"] == "a b"
    assert (
        card_of({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]})["preview"] == "hm"
    )
    assert card_of({"role": "user"})["kind"] == "other"
    assert card_of({"role": "user", "content": 3})["kind"] == "other"


def test_sizes_are_those_of_the_history() -> None:
    made, _ = cards(trace(copied, load_scenario("multi").messages))
    commas_and_brackets = len(made) + 1
    assert sum(card["bytes"] for card in made) + commas_and_brackets == history_bytes(
        load_scenario("multi").messages
    )


def test_each_message_of_the_pool_has_its_card() -> None:
    run = trace(prepare_context, scenario="summary")
    made, encoding = cards(run)
    assert len(made) == len(run.data["messages"])
    assert encoding == "cl100k_base"
    first = load_scenario("summary").messages[0]
    assert made[0]["tokens"] == TokenCounter().count_message(first) > 0


def test_a_preview_is_short() -> None:
    card = card_of({"role": "user", "content": "word " * 1000})
    assert card["chars"] == 5000
    assert len(card["preview"]) == 200


def test_tokens_of_a_large_history_are_not_counted(large_trace: Trace) -> None:
    made, encoding = cards(large_trace)
    assert sum(card["bytes"] for card in made) > MOST_COUNTED_BYTES
    assert encoding == ""
    assert {card["tokens"] for card in made} == {None}


def test_hostile_texts_are_values_like_any_other(hostile_trace: Trace, hostile: str) -> None:
    made, _ = cards(hostile_trace)
    assert made[0]["preview"] == hostile
    assert made[1]["calls"] == made[2]["results"] == [hostile]
    assert made[0]["role"] == hostile


def test_cards_of_openai_chat() -> None:
    function = {"name": "read_file", "arguments": '{"path": "notes.txt"}'}
    calls = [{"id": one, "type": "function", "function": function} for one in "ab"]
    made, encoding = cards_of(
        [
            {"role": "system", "content": "Be short."},
            {"role": "assistant", "content": "I look.", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "a", "content": "not found"},
        ]
    )
    assert encoding == "cl100k_base"
    assert [(card["role"], card["kind"]) for card in made] == [
        ("system", "text"),
        ("assistant", "call"),
        ("tool", "result"),
    ]
    assert made[1]["calls"] == made[1]["ids"] == ["a", "b"]
    assert made[2]["results"] == ["a"]
    assert made[1]["preview"].startswith('I look. read_file {"path": "notes.txt"} read_file')
    assert all(card["tokens"] for card in made)


def test_cards_of_openai_responses() -> None:
    summary = [{"type": "summary_text", "text": "Look first."}]
    made, _ = cards_of(
        [
            {"role": "user", "content": [{"type": "input_text", "text": "Mend it."}]},
            {"type": "reasoning", "id": "rs_1", "summary": summary},
            {"role": "assistant", "content": "I look."},  # the short form, which fits any shape
            {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}},
            {"type": "local_shell_call_output", "id": "c", "output": "none", "status": "failed"},
            {"type": "mcp_approval_request", "id": "m", "name": "f", "arguments": "{}"},
        ]
    )
    assert [(card["role"], card["kind"], card["ids"]) for card in made] == [
        ("user", "text", []),
        ("assistant", "reasoning", ["rs_1"]),
        ("assistant", "text", []),
        ("assistant", "call", ["c"]),
        ("tool", "result", ["c"]),
        ("assistant", "call", ["m"]),
    ]
    assert [card["preview"] for card in made] == [
        "Mend it.",
        "Look first.",
        "I look.",
        "exec ls",
        "none",
        "f {}",
    ]
    assert [card["in_turn"] for card in made] == [False, True, True, True, False, True]
    assert [card["served"] for card in made] == [[], [], [], [], [], ["m"]]
    assert [card["error"] for card in made] == [False, False, False, False, True, False]


def test_a_preview_says_no_types_and_no_image() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 500}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "see"}, image]}
    assert card_of({"role": "user", "content": [result]})["preview"] == "see"


def nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("api", [None, *APIS])
@pytest.mark.parametrize(
    "message",
    [
        None,
        3,
        [],
        [{"role": "user"}],
        {},
        {"role": 3, "type": []},
        {"role": "user", "content": nested(5000)},
        {"role": "assistant", "tool_calls": [None, {"id": 3, "function": []}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "input": {"at": nested(5000)}}]},
        {"type": "function_call", "call_id": {}, "arguments": nested(5000)},
        {"role": "user", "content": "half a pair: \ud800"},
    ],
)
def test_any_json_value_has_a_card(message: Any, api: Any) -> None:
    (card,), _ = cards_of([message], api)
    assert card["role"]
    assert card["kind"] in ("call", "result", "reasoning", "text", "other")
    assert card["bytes"] >= 0


def test_a_number_that_python_does_not_print_is_no_obstacle() -> None:
    message = {"role": "user", "content": "Hi.", "n": 10**5000}
    assert message["content"] == cards_of([message])[0][0]["preview"]

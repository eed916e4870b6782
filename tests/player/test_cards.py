"""One card per message of the pool: what it says, in figures and in a preview."""

from typing import Any

from ctxlab.messages.counting import TokenCounter
from ctxlab.player.cards import MOST_COUNTED_BYTES, cards
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

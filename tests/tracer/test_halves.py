"""Open calls and orphans of a history that changes, in the three shapes."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.messages.pairing import pair_up
from ctxlab.messages.view import view_of
from ctxlab.tracer.halves import Ends, Halves, ends_of

Message = dict[str, Any]


def block_call(*ids: str) -> Message:
    content = [{"type": "tool_use", "id": one, "name": "f", "input": {}} for one in ids]
    return {"role": "assistant", "content": content}


def block_result(*ids: str) -> Message:
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": one, "content": "x"} for one in ids],
    }


def chat_call(*ids: str) -> Message:
    function = {"name": "f", "arguments": "{}"}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": one, "type": "function", "function": function} for one in ids],
    }


def chat_result(one: str) -> Message:
    return {"role": "tool", "tool_call_id": one, "content": "x"}


def item_call(one: str) -> Message:
    return {"type": "function_call", "call_id": one, "name": "f", "arguments": "{}"}


def item_output(one: str) -> Message:
    return {"type": "function_call_output", "call_id": one, "output": "x"}


TEXT = {"role": "user", "content": "Go on."}
REASONING = {"type": "reasoning", "id": "r", "summary": []}
APPROVAL = {"type": "mcp_approval_request", "id": "m", "name": "f", "arguments": "{}"}


def counted(history: list[Message]) -> tuple[int, int]:
    halves = Halves(list(range(len(history))), lambda index: ends_of(history[index]))
    halves.enter(0, len(history))
    return halves.open, halves.orphans


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        pytest.param([TEXT, block_call("a"), block_result("a")], (0, 0), id="blocks"),
        pytest.param([block_call("a"), TEXT, block_result("a")], (1, 1), id="blocks: not the next message"),
        pytest.param([block_call("a", "b"), block_result("a"), block_result("b")], (1, 1), id="blocks: two"),
        pytest.param([chat_call("a", "b"), chat_result("b"), chat_result("a")], (0, 0), id="chat"),
        pytest.param([chat_call("a", "b"), chat_result("b")], (1, 0), id="chat: one is missing"),
        pytest.param([TEXT, chat_result("a"), chat_result("b")], (0, 2), id="chat: no call"),
        pytest.param([chat_call("a"), TEXT, chat_result("a")], (1, 1), id="chat: not directly after it"),
        pytest.param(
            [chat_call("a"), chat_call("a"), chat_result("a")], (1, 0), id="chat: an id that comes again"
        ),
        pytest.param([REASONING, item_call("a"), item_output("a")], (0, 0), id="items"),
        pytest.param(
            [item_call("a"), item_call("b"), TEXT, item_output("b"), item_output("a")],
            (0, 0),
            id="items: late",
        ),
        pytest.param([item_output("a"), item_call("a")], (1, 1), id="items: the output stands first"),
        pytest.param([item_call("a"), item_call("a"), item_output("a")], (1, 0), id="items: an id again"),
        pytest.param([APPROVAL, TEXT], (0, 0), id="items: the client owes nothing"),
    ],
)
def test_known_histories(history: list[Message], expected: tuple[int, int]) -> None:
    assert counted(history) == expected


IDS = "abc"
MADE: list[tuple[str, list[Callable[[str], Message]]]] = [
    ("blocks", [block_call, block_result, lambda _: TEXT]),
    ("chat", [chat_call, chat_result, chat_result, lambda _: TEXT]),
    ("items", [item_call, item_output, lambda _: REASONING, lambda _: TEXT]),
]


@pytest.mark.parametrize("made", [make for _, make in MADE], ids=[name for name, _ in MADE])
def test_after_any_change_the_counts_are_those_of_the_history_as_it_stands(
    made: list[Callable[[str], Message]],
) -> None:
    chance = random.Random(7)
    pool = [make(one) for make in made for one in IDS]
    for _ in range(60):
        indices: list[int] = []
        halves = Halves(indices, lambda index: ends_of(pool[index]))
        for _ in range(40):
            at = chance.randint(0, len(indices))
            removed = min(chance.choice([0, 0, 1, 3]), len(indices) - at)
            added = [chance.randrange(len(pool)) for _ in range(chance.choice([0, 1, 1, 2]))]
            halves.leave(at, removed)
            indices[at : at + removed] = added
            halves.enter(at, len(added))
            assert (halves.open, halves.orphans) == counted([pool[index] for index in indices])


def test_items_are_paired_as_everywhere_else() -> None:
    chance = random.Random(8)
    for _ in range(200):
        ids = [chance.choice("abcdef") for _ in range(8)]
        # Each id is called once, so that no two calls of one turn are twins.
        called: set[str] = set()
        history = []
        for one in ids:
            history.append(item_output(one) if one in called or chance.random() < 0.3 else item_call(one))
            called.update([one] if history[-1]["type"] == "function_call" else [])
        pairs = pair_up(view_of(history, "openai-responses"))
        expected = sum(not call.results for call in pairs.calls), len(pairs.orphans)
        assert counted(history) == expected


def test_there_is_room_for_many_items_at_one_place() -> None:
    pool = [item_call("a"), item_output("a"), TEXT, item_call("b"), item_output("b")]
    indices = [0, 1]
    halves = Halves(indices, lambda index: ends_of(pool[index]))
    halves.enter(0, 2)

    def insert(at: int, index: int) -> None:
        halves.leave(at, 0)
        indices[at:at] = [index]
        halves.enter(at, 1)

    for _ in range(300):  # what lies between two numbers can be halved some fifty times
        insert(1, 2)
    insert(1, 4)
    insert(1, 3)
    assert indices[:4] == [0, 3, 4, 2]
    assert (halves.open, halves.orphans) == (0, 0)


@pytest.mark.parametrize("shape", ["blocks", "chat", "items"])
def test_a_message_at_the_end_is_counted_without_a_look_at_the_whole_history(shape: str) -> None:
    call: Callable[[str], Message]
    result: Callable[[str], Message]
    call, result = {
        "blocks": (block_call, block_result),
        "chat": (chat_call, chat_result),
        "items": (item_call, item_output),
    }[shape]
    pool = [make(str(number)) for number in range(1000) for make in (call, result)]
    ends = [ends_of(message) for message in pool]
    looks = 0

    def look(index: int) -> Ends:
        nonlocal looks
        looks += 1
        return ends[index]

    indices: list[int] = []
    halves = Halves(indices, look)
    for index in range(len(pool)):
        halves.leave(index, 0)
        indices.append(index)
        halves.enter(index, 1)
    for _ in range(len(pool) - 2):  # and from the start again
        halves.leave(0, 1)
        del indices[0]
        halves.enter(0, 0)
    assert looks < 40 * len(pool)
    assert (halves.open, halves.orphans) == (0, 0)

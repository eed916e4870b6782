"""Each fault of pairs and order, in every shape in which it can occur, at every place of a history.

A history is told in steps that mean the same in each shape. What stands where is then looked up in the
history itself, by plain search.
"""

from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.messages.diagnosis.examining import diagnose

Message = dict[str, Any]
Place = tuple[int, int | None]


class Anthropic:
    api = "anthropic-messages"
    letter = "A"
    orphan, open_ = "orphan_tool_result", "open_exchange"

    def user(self, text: str) -> list[Message]:
        return [{"role": "user", "content": [{"type": "text", "text": text}]}]

    def answer(self, text: str = "So it is.") -> list[Message]:
        return [{"role": "assistant", "content": [{"type": "text", "text": text}]}]

    def calls(self, *ids: str) -> list[Message]:
        blocks = [{"type": "tool_use", "id": call_id, "name": "look", "input": {}} for call_id in ids]
        return [{"role": "assistant", "content": [{"type": "text", "text": "I look."}, *blocks]}]

    def results(self, *ids: str) -> list[Message]:
        return [
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": call_id, "content": "dry"} for call_id in ids
                ],
            }
        ]

    def is_call(self, block: Message, call_id: str) -> bool:
        return block.get("id") == call_id

    def is_result(self, block: Message, call_id: str) -> bool:
        return block.get("tool_use_id") == call_id

    def places(
        self, history: list[Message], test: Callable[[Message, str], bool], call_id: str
    ) -> list[Place]:
        return [
            (at, number)
            for at, message in enumerate(history)
            for number, block in enumerate(message["content"])
            if test(block, call_id)
        ]


class Chat(Anthropic):
    api = "openai-chat"
    letter = "C"
    orphan = "orphan_tool_message"

    def user(self, text: str) -> list[Message]:
        return [{"role": "user", "content": text}]

    def answer(self, text: str = "So it is.") -> list[Message]:
        return [{"role": "assistant", "content": text}]

    def calls(self, *ids: str) -> list[Message]:
        function = {"name": "look", "arguments": '{"at": 1}'}
        calls = [{"id": call_id, "type": "function", "function": function} for call_id in ids]
        return [{"role": "assistant", "content": "I look.", "tool_calls": calls}]

    def results(self, *ids: str) -> list[Message]:
        return [{"role": "tool", "tool_call_id": call_id, "content": "dry"} for call_id in ids]

    def is_result(self, block: Message, call_id: str) -> bool:
        return block.get("tool_call_id") == call_id

    def places(
        self, history: list[Message], test: Callable[[Message, str], bool], call_id: str
    ) -> list[Place]:
        found: list[Place] = []
        for at, message in enumerate(history):
            if test(message, call_id):
                found.append((at, None))
            found += [(at, n) for n, call in enumerate(message.get("tool_calls", [])) if test(call, call_id)]
        return found


class Responses(Anthropic):
    api = "openai-responses"
    letter = "R"
    orphan, open_ = "orphan_call_output", "open_call"

    def user(self, text: str) -> list[Message]:
        return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]

    def answer(self, text: str = "So it is.") -> list[Message]:
        return [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]

    def calls(self, *ids: str) -> list[Message]:
        calls = [{"type": "function_call", "call_id": i, "name": "look", "arguments": "{}"} for i in ids]
        return [{"type": "reasoning", "id": f"rs_{ids[0]}", "summary": []}, *calls]

    def results(self, *ids: str) -> list[Message]:
        return [{"type": "function_call_output", "call_id": call_id, "output": "dry"} for call_id in ids]

    def is_call(self, block: Message, call_id: str) -> bool:
        return block.get("type") == "function_call" and block["call_id"] == call_id

    def is_result(self, block: Message, call_id: str) -> bool:
        return block.get("type") == "function_call_output" and block["call_id"] == call_id

    def places(
        self, history: list[Message], test: Callable[[Message, str], bool], call_id: str
    ) -> list[Place]:
        return [(at, None) for at, item in enumerate(history) if test(item, call_id)]


SHAPES = [Anthropic(), Chat(), Responses()]

# Each fault: the steps, and the findings as (code, "call" or "result", id, which of the places of that id).
# "orphan" and "open" stand for the code of the shape. The second entry names the shapes that have the fault.
ALL, ANTHROPIC, NOT_RESPONSES, NOT_ANTHROPIC = "ACR", "A", "AC", "CR"
Steps = Callable[[Any], list[list[Message]]]
Wanted = list[tuple[str, str, str, int]]

FAULTS: dict[str, tuple[str, Steps, Wanted]] = {
    "a result without its call": (ALL, lambda s: [s.results("x")], [("orphan", "result", "x", 0)]),
    "two results without their calls": (
        ALL,
        lambda s: [s.results("x", "y")],
        [("orphan", "result", "x", 0), ("orphan", "result", "y", 0)],
    ),
    "a foreign result among those of a batch": (
        ALL,
        lambda s: [s.calls("a", "b"), s.results("a", "x", "b")],
        [("orphan", "result", "x", 0)],
    ),
    "a result for another id": (
        ALL,
        lambda s: [s.calls("a"), s.results("x"), s.answer()],
        [("unanswered_tool_use", "call", "a", 0), ("orphan", "result", "x", 0)],
    ),
    "the first of two results lost": (
        ALL,
        lambda s: [s.calls("a", "b"), s.results("b"), s.answer()],
        [("unanswered_tool_use", "call", "a", 0)],
    ),
    "the second of two results lost": (
        ALL,
        lambda s: [s.calls("a", "b"), s.results("a"), s.answer()],
        [("unanswered_tool_use", "call", "b", 0)],
    ),
    "all results lost": (
        ALL,
        lambda s: [s.calls("a", "b"), s.user("Go on.")],
        [("unanswered_tool_use", "call", "a", 0), ("unanswered_tool_use", "call", "b", 0)],
    ),
    "a call lost, and its result kept with that of another": (
        ALL,
        lambda s: [s.calls("a"), s.results("a", "x"), s.answer()],
        [("orphan", "result", "x", 0)],
    ),
    "words of the user between call and result": (
        ALL,
        lambda s: [s.calls("a"), s.user("In metres."), s.results("a"), s.answer()],
        [("result_not_in_next_message", "result", "a", 0)],
    ),
    "words of the user between two calls and their results": (
        ALL,
        lambda s: [s.calls("a", "b"), s.user("In metres."), s.results("b", "a"), s.answer()],
        [("result_not_in_next_message", "result", "b", 0), ("result_not_in_next_message", "result", "a", 0)],
    ),
    "words of the user between two results": (
        NOT_ANTHROPIC,
        lambda s: [s.calls("a", "b"), s.results("a"), s.user("In metres."), s.results("b"), s.answer()],
        [("result_not_in_next_message", "result", "b", 0)],
    ),
    "a result after the model has spoken": (
        NOT_RESPONSES,
        lambda s: [s.calls("a"), s.answer("I wait."), s.results("a"), s.answer()],
        [("result_not_in_next_message", "result", "a", 0)],
    ),
    "an id used again in a later turn": (
        ALL,
        lambda s: [s.calls("a"), s.results("a"), s.user("Again."), s.calls("a"), s.results("a"), s.answer()],
        [("duplicate_tool_use_id", "call", "a", 1)],
    ),
    "an id used again, and the second result lost": (
        ALL,
        lambda s: [s.calls("a"), s.results("a"), s.user("Again."), s.calls("a"), s.user("Well?")],
        [("duplicate_tool_use_id", "call", "a", 1), ("unanswered_tool_use", "call", "a", 1)],
    ),
    "an id twice in one batch": (
        ALL,
        lambda s: [s.calls("a", "a"), s.results("a", "a"), s.answer()],
        [("duplicate_tool_use_id", "call", "a", 1)],
    ),
    "two results for one call": (
        ALL,
        lambda s: [s.calls("a"), s.results("a", "a"), s.answer()],
        [("duplicate_tool_result", "result", "a", 1)],
    ),
    "two results for one call of two": (
        ALL,
        lambda s: [s.calls("a", "b"), s.results("a", "b", "a"), s.answer()],
        [("duplicate_tool_result", "result", "a", 1)],
    ),
    "a second result in a later turn": (
        ALL,
        lambda s: [s.calls("a"), s.results("a"), s.answer(), s.results("a"), s.answer()],
        [("duplicate_tool_result", "result", "a", 1)],
    ),
    "a result in front of its call": (
        ALL,
        lambda s: [s.results("a"), s.calls("a"), s.user("Well?")],
        [("orphan", "result", "a", 0), ("unanswered_tool_use", "call", "a", 0)],
    ),
    "results in two messages": (
        ANTHROPIC,
        lambda s: [s.calls("a", "b"), s.results("a"), s.results("b"), s.answer()],
        [("results_split_across_messages", "result", "b", 0)],
    ),
    "results in three messages": (
        ANTHROPIC,
        lambda s: [s.calls("a", "b", "c"), s.results("b"), s.results("a"), s.results("c"), s.answer()],
        [
            ("results_split_across_messages", "result", "a", 0),
            ("results_split_across_messages", "result", "c", 0),
        ],
    ),
    "the second result after the model has spoken": (
        ANTHROPIC,
        lambda s: [s.calls("a", "b"), s.results("a"), s.answer(), s.results("b"), s.answer()],
        [("result_not_in_next_message", "result", "b", 0)],
    ),
    "text in front of the results": (
        ANTHROPIC,
        lambda s: [s.calls("a", "b"), joined(s.user("In metres."), s.results("a", "b")), s.answer()],
        [("tool_result_not_leading", "result", "a", 0), ("tool_result_not_leading", "result", "b", 0)],
    ),
    "text between the results": (
        ANTHROPIC,
        lambda s: [s.calls("a", "b"), joined(s.results("a"), s.user("So."), s.results("b")), s.answer()],
        [("tool_result_not_leading", "result", "b", 0)],
    ),
}


def joined(*messages: list[Message]) -> list[Message]:
    return [{"role": "user", "content": [block for message in messages for block in message[0]["content"]]}]


def expected(shape: Any, history: list[Message], wanted: Wanted) -> list[tuple[str, int, int | None, str]]:
    found = []
    for code, kind, call_id, which in wanted:
        test = shape.is_call if kind == "call" else shape.is_result
        code = {"orphan": shape.orphan, "open": shape.open_}.get(code, code)
        found.append((code, *shape.places(history, test, call_id)[which], call_id))
    return sorted(found, key=lambda one: (one[1], -1 if one[2] is None else one[2]))


def told(history: list[Message], api: str | None) -> list[tuple[str, int | None, int | None, str | None]]:
    return [(finding.code, finding.message, finding.block, finding.id) for finding in diagnose(history, api)]


def exchange(shape: Any, *ids: str) -> list[Message]:
    return [*shape.user("Look."), *shape.calls(*ids), *shape.results(*ids), *shape.answer()]


BEFORE_AND_AFTER: dict[str, Callable[[Any], tuple[list[Message], list[Message]]]] = {
    "start": lambda s: (s.user("Begin."), exchange(s, "r1", "r2") + exchange(s, "r3")),
    "middle": lambda s: (exchange(s, "l1") + s.user("Next."), s.user("Next.") + exchange(s, "r1", "r2")),
    "end": lambda s: (exchange(s, "l1", "l2") + exchange(s, "l3") + s.user("Last."), []),
}


@pytest.mark.parametrize("where", BEFORE_AND_AFTER)
@pytest.mark.parametrize(
    ("fault", "shape"),
    [
        pytest.param(fault, shape, id=f"{fault}-{shape.api}")
        for fault, (letters, _, _) in FAULTS.items()
        for shape in SHAPES
        if shape.letter in letters
    ],
)
def test_the_fault_is_found_where_it_is(fault: str, shape: Any, where: str) -> None:
    _, steps, wanted = FAULTS[fault]
    before, after = BEFORE_AND_AFTER[where](shape)
    history = before + [message for step in steps(shape) for message in step] + after

    assert told(history, shape.api) == expected(shape, history, wanted)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.api)
def test_a_history_of_the_fillers_alone_is_sound(shape: Any) -> None:
    for where in BEFORE_AND_AFTER.values():
        before, after = where(shape)
        assert told(before + after, shape.api) == []


@pytest.mark.parametrize("ids", ["a", "ab"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.api)
def test_a_call_at_the_end_is_open_and_not_unanswered(shape: Any, ids: str) -> None:
    history = exchange(shape, "l1") + shape.user("Now.") + shape.calls(*ids)
    wanted: Wanted = [("open", "call", call_id, 0) for call_id in ids]

    assert told(history, shape.api) == expected(shape, history, wanted)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.api)
def test_the_call_is_found_however_far_back_it_is(shape: Any) -> None:
    ids = [f"c{number}" for number in range(200)]
    history = shape.user("Look.") + shape.calls(*ids) + shape.results(*reversed(ids))

    assert told(history, shape.api) == []

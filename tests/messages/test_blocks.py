from typing import Any

import pytest

from ctxlab.messages.blocks import call_ids, kinds_and_ids, result_ids

REQUEST = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "I read both."},
        {"type": "tool_use", "id": "b", "name": "read_file", "input": {}},
        {"type": "tool_use", "id": "a", "name": "read_file", "input": {}},
    ],
}
RESPONSE = {
    "role": "user",
    "content": [
        {"type": "tool_result", "tool_use_id": "a", "content": "1"},
        {"type": "text", "text": "and"},
        {"type": "tool_result", "tool_use_id": "b", "content": "2"},
    ],
}


def test_ids_come_in_the_order_of_their_blocks() -> None:
    assert (call_ids(REQUEST), result_ids(REQUEST)) == (["b", "a"], [])
    assert (call_ids(RESPONSE), result_ids(RESPONSE)) == ([], ["a", "b"])


@pytest.mark.parametrize(
    "message",
    [
        None,
        "text",
        [],
        {},
        {"content": "text"},
        {"content": {"type": "tool_use", "id": "a"}},
        {"content": [None, 1, "tool_use", ["tool_use"]]},
        {"content": [{"type": "tool_use"}, {"type": "tool_use", "id": 7}, {"type": ["tool_use"], "id": "a"}]},
    ],
    ids=repr,
)
def test_anything_else_has_no_ids(message: Any) -> None:
    assert call_ids(message) == result_ids(message) == []


def test_each_block_has_a_kind_and_calls_and_results_an_id() -> None:
    content = [
        {"type": "text", "text": "a", "id": "x"},
        {"type": "tool_use", "id": "a"},
        {"type": "tool_result", "tool_use_id": "a"},
        *({"type": "tool_use", "id": value} for value in ("", None, 1, ["a"])),
        {"type": "tool_result", "id": "a"},
        {"type": ["tool_use"], "id": "a"},
        "tool_use",
        None,
    ]
    assert kinds_and_ids({"content": content}) == [
        ("other", ""),
        ("call", "a"),
        ("result", "a"),
        *[("other", "")] * 8,
    ]


@pytest.mark.parametrize("message", [None, "a", [], {}, {"content": "a"}, {"content": {"type": "tool_use"}}])
def test_a_message_without_blocks_has_no_kinds(message: Any) -> None:
    assert kinds_and_ids(message) == []

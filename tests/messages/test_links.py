"""One message by itself: its role, and the ids that tie it to others."""

from typing import Any

import pytest

from ctxlab.messages.links import links_of
from ctxlab.messages.responses_parts import is_item_type

CHAT_CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}},
    ],
}
SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
CALL = {"type": "tool_use", "id": "c", "name": "f", "input": {}}


@pytest.mark.parametrize(
    ("message", "role", "calls", "results", "ids"),
    [
        pytest.param({"role": "assistant", "content": [CALL]}, "assistant", "c", "", "c", id="blocks: call"),
        pytest.param(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"}]},
            "user",
            "",
            "c",
            "c",
            id="blocks: result",
        ),
        pytest.param(CHAT_CALLS, "assistant", "ab", "", "ab", id="chat: calls"),
        pytest.param({"role": "tool", "tool_call_id": "a"}, "tool", "", "a", "a", id="chat: result"),
        pytest.param({"type": "function_call", "call_id": "c"}, "assistant", "c", "", "c", id="item: call"),
        pytest.param(
            {"type": "function_call_output", "call_id": "c"}, "tool", "", "c", "c", id="item: output"
        ),
        pytest.param({"type": "reasoning", "id": "r"}, "assistant", "", "", "r", id="item: reasoning"),
        pytest.param({"type": "compaction", "id": "k"}, "user", "", "", "k", id="item of the client"),
        pytest.param(
            {"type": "message", "role": "developer", "content": "x"}, "developer", "", "", "", id="item: role"
        ),
        pytest.param({"content": "x"}, "", "", "", "", id="no role"),
        pytest.param("a text", "", "", "", "", id="no object"),
    ],
)
def test_role_and_ids(message: Any, role: str, calls: str, results: str, ids: str) -> None:
    links = links_of(message)
    assert (links.role, links.calls, links.results, links.ids) == (
        role,
        tuple(calls),
        tuple(results),
        tuple(ids),
    )


def test_what_the_provider_answers_is_served_unless_it_did_so_in_the_same_message() -> None:
    waiting = links_of({"role": "assistant", "content": [CALL, SEARCH]})
    assert (waiting.calls, waiting.served) == (("c", "s"), ("s",))
    answer = links_of({"role": "assistant", "content": [FOUND]})
    assert (answer.results, answer.served) == (("s",), ("s",))
    both = links_of({"role": "assistant", "content": [SEARCH, FOUND, CALL]})
    assert (both.calls, both.results, both.served) == (("c",), (), ())
    assert both.ids == ("s", "c")
    assert links_of({"type": "mcp_approval_request", "id": "m"}).served == ("m",)


def test_only_items_of_the_model_are_part_of_a_longer_turn() -> None:
    items = [
        {"type": "reasoning", "id": "r"},
        {"type": "function_call", "call_id": "c"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]},
    ]
    assert [links_of(item).in_turn for item in items] == [True, True, True, False, False]
    assert not links_of(CHAT_CALLS).in_turn


def test_a_given_shape_is_the_one_that_is_read() -> None:
    assert links_of(CHAT_CALLS).api == "openai-chat"
    assert links_of(CHAT_CALLS, "anthropic-messages").calls == ()
    short = {"role": "assistant", "content": "x"}
    assert not links_of(short).in_turn
    assert links_of(short, "openai-responses").in_turn


@pytest.mark.parametrize(
    ("item_type", "expected"),
    [
        ("function_call", True),
        ("program", True),
        ("mcp_approval_response", True),
        ("item_reference", True),
        ("some_later_call", True),
        ("some_later_call_output", True),
        ("tool_use", False),
        ("tool_result", False),
        ("server_tool_use", False),
        ("output_text", False),
        ("text", False),
        ("function", False),
        (None, False),
        ([], False),
    ],
)
def test_which_types_are_items_by_themselves(item_type: Any, expected: bool) -> None:
    assert is_item_type(item_type) is expected

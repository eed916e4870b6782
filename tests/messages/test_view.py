from typing import Any

import pytest

from ctxlab.messages.parts import text_of
from ctxlab.messages.shapes import APIS, Api
from ctxlab.messages.view import view_of

CALL = {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "a", "output": "dry"}
REASONING = {"type": "reasoning", "id": "rs", "summary": []}


def looked_at(messages: list[Any], api: Api) -> list[tuple[int, int | None, str, str | None, bool]]:
    return [
        (part.message, part.block, part.kind, part.id, part.served) for part in view_of(messages, api).parts
    ]


def test_anthropic() -> None:
    content = [
        {"type": "text", "text": "Hi."},
        {"type": "thinking", "thinking": "?"},
        {"type": "tool_use", "id": "a"},
        {"type": "server_tool_use", "id": "s"},
        {"type": "web_search_tool_result", "tool_use_id": "s"},
        {"type": "mcp_tool_use", "id": "m"},
        {"type": "mcp_tool_result", "tool_use_id": "m"},
        {"type": "image"},
        "?",
    ]
    results = [{"type": "tool_result", "tool_use_id": "a"}, {"type": "tool_result", "tool_use_id": 3}]
    messages = [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": content},
        {"role": "user", "content": results},
    ]
    assert looked_at(messages, "anthropic-messages") == [
        (0, None, "text", None, False),
        (1, 0, "text", None, False),
        (1, 1, "thinking", None, False),
        (1, 2, "call", "a", False),
        (1, 3, "call", "s", True),
        (1, 4, "result", "s", True),
        (1, 5, "call", "m", True),
        (1, 6, "result", "m", True),
        (1, 7, "other", None, False),
        (1, 8, "other", None, False),
        (2, 0, "result", "a", False),
        (2, 1, "result", None, False),
    ]


def test_chat() -> None:
    calls = [{"id": "a", "type": "function"}, {"id": "", "type": "custom"}, None]
    messages = [
        {"role": "assistant", "content": [{"type": "text", "text": "Hi."}], "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "dry"},
        {"role": "assistant", "function_call": {"name": "look", "arguments": "{}"}},
        {"role": "function", "name": "look", "content": "dry"},
        "?",
    ]
    assert looked_at(messages, "openai-chat") == [
        (0, 0, "text", None, False),
        (0, 0, "call", "a", False),
        (0, 1, "call", None, False),
        (0, 2, "call", None, False),
        (1, None, "result", "a", False),
        (2, None, "call", "look", True),
        (3, None, "result", "look", True),
    ]


def test_responses() -> None:
    items = [
        {"role": "user", "content": "Hi."},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]},
        REASONING,
        CALL,
        OUTPUT,
        {"type": "local_shell_call_output", "id": "b", "output": ""},
        {"type": "mcp_approval_request", "id": "m"},
        {"type": "mcp_approval_response", "approval_request_id": "m"},
        {"type": "web_search_call", "id": "w"},
        None,
    ]
    assert looked_at(items, "openai-responses") == [
        (0, None, "text", None, False),
        (1, 0, "text", None, False),
        (2, None, "reasoning", "rs", False),
        (3, None, "call", "a", False),
        (4, None, "result", "a", False),
        (5, None, "result", "b", False),
        (6, None, "call", "m", True),
        (7, None, "result", "m", True),
        (8, None, "other", "w", False),
    ]


def test_the_turns_of_the_model_in_the_responses_api() -> None:
    said = {"type": "message", "role": "assistant", "content": "Hi."}
    asked = {"role": "user", "content": "Hi."}
    items = [asked, said, REASONING, CALL, said, OUTPUT, REASONING, said, {"type": "compaction"}, CALL]
    assert view_of(items, "openai-responses").turns == [
        (0, 1),
        (1, 5),
        (2, 5),
        (2, 5),
        (2, 5),
        (5, 6),
        (6, 8),
        (6, 8),
        (8, 9),
        (9, 10),
    ]
    assert view_of(items, "openai-chat").turns == [(index, index + 1) for index in range(10)]


def test_the_text_of_a_part() -> None:
    content = [
        {"type": "text", "text": "Hi."},
        {"type": "refusal", "refusal": "No."},
        {"type": "text"},
        {"type": "x"},
    ]
    parts = view_of([{"role": "assistant", "content": content}], "openai-chat").parts
    assert [text_of(part) for part in parts] == ["Hi.", "No.", None, None]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("value", [None, {}, "messages", 3, [None, [], "x", {"role": "user", "content": 3}]])
def test_what_cannot_be_read_has_no_parts(value: Any, api: Api) -> None:
    assert view_of(value, api).parts == []

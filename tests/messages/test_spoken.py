from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.spoken import spoken

TEXT = {"type": "text", "text": "words"}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "user", "content": "words"}, ["words"]),
        ({"content": "words"}, ["words"]),
        (user(TEXT), ["words"]),
        (user({"type": "thinking", "thinking": "hm", "signature": "x"}), ["hm"]),
        (user({"type": "redacted_thinking", "data": "x"}), []),
        (user({"type": "tool_use", "id": "1", "name": "read", "input": {"p": "ü"}}), ["read", '{"p":"ü"}']),
        (
            user({"type": "server_tool_use", "id": "1", "name": "web_search", "input": {"query": "q"}}),
            ["web_search", '{"query":"q"}'],
        ),
        (
            user(
                {"type": "web_search_tool_result", "content": [{"type": "web_search_result", "title": "t"}]}
            ),
            [],
        ),
        (user({"type": "mcp_tool_result", "tool_use_id": "1", "content": [TEXT]}), ["words"]),
        (user({"type": "tool_result", "tool_use_id": "1", "content": "words"}), ["words"]),
        (user({"type": "tool_result", "content": [TEXT, {"type": "image", "source": {}}]}), ["words"]),
        (
            user(
                {
                    "type": "tool_result",
                    "content": [{"type": "search_result", "source": "s", "title": "t", "content": [TEXT]}],
                }
            ),
            ["s", "t", "words"],
        ),
        (user({"type": "image", "source": {"data": "AAAA"}}), []),
        (user({"type": "document", "source": {"type": "text", "data": "plain"}}), ["plain"]),
        (user({"type": "document", "source": {"type": "base64", "data": "JVBE"}}), []),
        (user({"type": "document", "source": {"type": "text"}}), []),
        (user(None, 3, {"type": "text"}, {"type": ["text"]}, {}), []),
        ({"role": "user"}, []),
        ({"role": "user", "content": 3}, []),
        ({}, []),
        (None, []),
        ("text", []),
    ],
)
def test_anthropic_messages(message: Any, said: list[str]) -> None:
    assert list(spoken(message)) == said


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "system", "content": "words"}, ["words"]),
        ({"role": "user", "content": [TEXT, {"type": "image_url", "image_url": {"url": "u"}}]}, ["words"]),
        ({"role": "user", "content": [{"type": "file", "file": {"file_data": "d"}}]}, []),
        ({"role": "tool", "tool_call_id": "1", "content": "words"}, ["words"]),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}, ["no"]),
        ({"role": "assistant", "content": None, "refusal": "no"}, ["no"]),
        ({"role": "assistant", "content": "words", "reasoning_content": "hm"}, ["words", "hm"]),
        (
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "read", "arguments": "{}"}},
                    {"id": "2", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}},
                ],
            },
            ["read", "{}", "sql", "SELECT 1"],
        ),
        ({"role": "assistant", "function_call": {"name": "read", "arguments": "{}"}}, ["read", "{}"]),
        # No provider's own form, but servers of the protocol take them, and they cost what they say.
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": {"p": ["ü"]}}}]},
            ["a", '{"p":["ü"]}'],
        ),
        ({"role": "user", "content": [{"text": "words"}]}, ["words"]),
        ({"role": "user", "content": [{"type": "note", "text": "words"}]}, ["words"]),
        ({"role": "assistant", "tool_calls": [None, {}, {"function": 3}]}, []),
        ({"role": "assistant", "tool_calls": {"function": {"name": "read"}}}, []),
    ],
)
def test_chat_completions(message: Any, said: list[str]) -> None:
    assert list(spoken(message)) == said


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"role": "user", "content": [{"type": "input_text", "text": "words"}]}, ["words"]),
        ({"type": "message", "role": "user", "content": "words"}, ["words"]),
        ({"type": "message", "content": [{"type": "output_text", "text": "words"}]}, ["words"]),
        ({"type": "function_call", "call_id": "1", "name": "read", "arguments": "{}"}, ["read", "{}"]),
        ({"type": "function_call_output", "call_id": "1", "output": "words"}, ["words"]),
        (
            {"type": "function_call_output", "output": [{"type": "input_text", "text": "words"}]},
            ["words"],
        ),
        (
            {"type": "custom_tool_call", "call_id": "1", "name": "sql", "input": "SELECT 1"},
            ["sql", "SELECT 1"],
        ),
        ({"type": "custom_tool_call_output", "call_id": "1", "output": "words"}, ["words"]),
        ({"type": "local_shell_call_output", "id": "1", "output": "words"}, ["words"]),
        ({"type": "mcp_call", "name": "n", "arguments": "{}", "output": "words"}, ["n", "{}", "words"]),
        (
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "short"}],
                "content": [{"type": "reasoning_text", "text": "long"}],
                "encrypted_content": "x",
            },
            ["short", "long"],
        ),
        ({"type": "web_search_call", "id": "1", "status": "completed"}, []),
        ({"type": "computer_call_output", "call_id": "1", "output": {"image_url": "u"}}, []),
    ],
)
def test_responses(item: Any, said: list[str]) -> None:
    assert list(spoken(item)) == said


def test_a_message_that_contains_itself_ends() -> None:
    result: dict[str, Any] = {"type": "tool_result", "content": [TEXT]}
    result["content"].append(result)
    assert set(spoken(user(result))) == {"words"}


def test_an_input_that_contains_itself_is_refused() -> None:
    call: dict[str, Any] = {"type": "tool_use", "name": "read", "input": {}}
    call["input"]["call"] = call
    with pytest.raises(Refusal, match="the input of a call has no JSON form") as caught:
        list(spoken(user(call)))
    assert caught.value.code == "not_a_history"


names = st.sampled_from(
    "type role content text tool_use tool_result input output name tool_calls source".split()
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | names | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)


@given(anything)
def test_any_json_value_has_texts(value: Any) -> None:
    assert all(isinstance(text, str) for text in spoken(value))

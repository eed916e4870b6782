"""What is no list of Chat messages is refused, with the place."""

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.chat_grammar import check_chat

ASK = {"role": "user", "content": "Why?"}


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        (None, "None, not a list"),
        ([ASK, "text"], "message 1 is a str, not a dict"),
        ([{"role": "function", "content": "x"}], "message 0 has the role 'function'"),
        ([{"content": "x"}], "message 0 has the role None"),
        ([{"role": "user", "content": 7}], "an int as its content"),
        ([{"role": "assistant", "tool_calls": {"id": "a"}}], "tool_calls that are no list"),
        ([{"role": "assistant", "tool_calls": ["a"]}], "tool_calls that are no list"),
        ([{"role": "user", "content": "x", "tool_calls": [{"id": "a"}]}], "only the assistant"),
        ([{"role": "assistant", "content": None, "function_call": {"name": "f"}}], "function_call"),
        ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}], "convert"),
        ([ASK, {"role": "user", "content": "\ud800"}], "^message 1 has no UTF-8 JSON form: 'utf-8' codec"),
        ([{"role": "user", "content": "x", "n": float("nan")}], "UTF-8 JSON"),
    ],
)
def test_what_is_no_chat_history_is_refused(messages, problem):
    with pytest.raises(Refusal, match=problem) as refused:
        check_chat(messages)
    assert refused.value.code == "not_a_history"


def test_what_a_provider_may_accept_is_accepted():
    parts = [{"type": "text", "text": "Why?"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    called = {"role": "assistant", "tool_calls": [{"id": "a"}], "function_call": None}

    check_chat([{"role": "developer", "content": "x"}, {"role": "user", "content": parts}, called])

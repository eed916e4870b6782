import copy
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.conversion import Left, in_chat, responses_to_chat
from ctxlab.messages.diagnosis.examining import diagnose

Message = dict[str, Any]


def said(role: str, words: str) -> Message:
    kind = "output_text" if role == "assistant" else "input_text"
    part = {"type": kind, "text": words} | ({"annotations": []} if role == "assistant" else {})
    return {"type": "message", "id": "msg_1", "status": "completed", "role": role, "content": [part]}


def call(call_id: str) -> Message:
    return {"type": "function_call", "id": "fc_1", "call_id": call_id, "name": "look", "arguments": "{}"}


def output(call_id: str, held: Any = "seen") -> Message:
    return {"type": "function_call_output", "call_id": call_id, "output": held}


def chat_call(call_id: str) -> Message:
    return {"id": call_id, "type": "function", "function": {"name": "look", "arguments": "{}"}}


def tool(call_id: str, content: Any = "seen") -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}


def test_a_sound_history_comes_over_whole() -> None:
    items = [
        {"role": "developer", "content": "Be brief."},
        said("user", "Read both."),
        said("assistant", "I do."),
        call("a"),
        call("b"),
        output("b"),
        output("a", [{"type": "input_text", "text": "A1"}, {"type": "input_text", "text": "A2"}]),
        call("c"),
        output("c", ""),
        {"type": "custom_tool_call", "call_id": "d", "name": "patch", "input": "+ one"},
        {"type": "custom_tool_call_output", "call_id": "d", "output": "done"},
        said("assistant", "Both read."),
        {
            "role": "user",
            "content": [
                {"type": "input_image", "image_url": "https://x.example/a.png", "detail": "low"},
                {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="},
            ],
        },
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    ]
    before = copy.deepcopy(items)
    converted = responses_to_chat(items, "You read.")
    assert converted.messages == [
        {"role": "system", "content": "You read."},
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Read both."},
        {"role": "assistant", "content": "I do.", "tool_calls": [chat_call("a"), chat_call("b")]},
        tool("b"),
        tool("a", [{"type": "text", "text": "A1"}, {"type": "text", "text": "A2"}]),
        {"role": "assistant", "content": None, "tool_calls": [chat_call("c")]},
        tool("c", ""),
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "d", "type": "custom", "custom": {"name": "patch", "input": "+ one"}}],
        },
        tool("d", "done"),
        {"role": "assistant", "content": "Both read."},
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "https://x.example/a.png", "detail": "low"}},
                {
                    "type": "file",
                    "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="},
                },
            ],
        },
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    ]
    assert converted.left == []
    assert items == before
    assert diagnose(converted.messages, "openai-chat") == []


def test_what_chat_cannot_say_is_reported_with_its_place() -> None:
    items = [
        said("user", "Read."),
        REASONING,
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        call("a"),
        output("a", [{"type": "input_text", "text": "A"}, {"type": "input_image", "file_id": "file_1"}]),
        {"role": "user", "content": [{"type": "input_file", "file_id": "file_1"}]},
    ]
    converted = responses_to_chat(items)
    assert converted.messages == [
        {"role": "user", "content": "Read."},
        {"role": "assistant", "content": None, "tool_calls": [chat_call("a")]},
        tool("a", "A"),
    ]
    none_there = "is left out; Chat Completions have none there"
    assert converted.left == [
        Left(1, None, f"message 1: a block of type 'reasoning' {none_there}"),
        Left(2, None, f"message 2: a block of type 'web_search_call' {none_there}"),
        Left(4, 1, f"message 4, block 1: a block of type 'input_image' {none_there}"),
        Left(5, 0, f"message 5, block 0: a block of type 'input_file' {none_there}"),
        Left(5, None, "message 5: the message is left out: nothing of it can be said in Chat Completions"),
    ]


def test_results_follow_their_calls_and_texts_stand_before_them() -> None:
    items = [
        said("user", "Read."),
        call("a"),
        said("assistant", "While you wait:"),
        call("b"),
        output("a"),
        said("user", "Hurry."),
        output("b"),
    ]
    converted = responses_to_chat(items)
    assert converted.messages == [
        {"role": "user", "content": "Read."},
        {"role": "assistant", "content": "While you wait:", "tool_calls": [chat_call("a"), chat_call("b")]},
        tool("a"),
        tool("b"),
        {"role": "user", "content": "Hurry."},
    ]
    assert [(left.message, left.text.split(": ")[1]) for left in converted.left] == [
        (2, "a text after a call now stands before it, as Chat Completions demand"),
        (6, "the result now stands behind its call, as Chat Completions demand"),
    ]


def test_a_fault_of_the_history_stays_its_fault() -> None:
    converted = responses_to_chat([said("user", "Go."), output("lost"), call("open")])
    assert [finding.code for finding in diagnose(converted.messages, "openai-chat")] == [
        "orphan_tool_message",
        "open_exchange",
    ]


@pytest.mark.parametrize(
    ("item", "told"),
    [
        ("text", "message 0 is a str, not a dict"),
        (
            {"role": "tool", "content": "x"},
            "message 0 has the role 'tool'; the roles of this form are system,",
        ),
        ({"role": "user", "content": None}, "message 0: content is None, not a list"),
        (call("a") | {"arguments": {}}, "message 0: 'arguments' is a dict, not a text"),
        (output("a") | {"call_id": None}, "message 0: 'call_id' is None, not a text"),
    ],
)
def test_another_shape_is_refused(item: Any, told: str) -> None:
    with pytest.raises(Refusal) as refused:
        responses_to_chat([item])
    assert refused.value.code == "not_a_history"
    assert str(refused.value).startswith(told)


def test_any_shape_in_chat() -> None:
    chat = [{"role": "user", "content": "Go."}, {"role": "assistant", "tool_calls": [chat_call("a")]}]
    converted = in_chat(chat, system="Be brief.")
    assert converted.messages == [{"role": "system", "content": "Be brief."}, *chat]
    assert converted.messages[1] is not chat[0]
    blocks = [{"role": "user", "content": [{"type": "text", "text": "Go."}]}]
    assert in_chat(blocks, "anthropic-messages", "Be brief.").messages == converted.messages[:2]
    assert in_chat([said("user", "Go.")], None, "Be brief.").messages == converted.messages[:2]
    with pytest.raises(Refusal, match="there is no api 'chat'"):
        in_chat(chat, "chat")  # type: ignore[arg-type]

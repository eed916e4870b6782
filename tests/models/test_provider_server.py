"""The test server refuses what the providers refuse; or the tests that run on it would prove little."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from provider_server import (
    CHECKS,
    MODEL,
    ProviderServer,
    Reply,
    UnacceptableError,
    anthropic_reply,
    call,
    text,
)

from ctxlab.models import AnthropicModel, Brief, ModelError

SCHEMA = {"type": "object"}
CALL = call("c", "read_file")
ANTHROPIC = {
    "model": MODEL,
    "max_tokens": 100,
    "system": [text("You work.")],
    "tools": [{"name": "read_file", "description": "Read.", "input_schema": SCHEMA}],
    "messages": [
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": [text("I look."), call("a", "read_file"), call("b", "read_file")]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "b", "content": "B", "is_error": True},
                {"type": "tool_result", "tool_use_id": "a", "content": "A"},
            ],
        },
    ],
}
FUNCTION = {"name": "read_file", "arguments": "{}"}
OPENAI = {
    "model": MODEL,
    "tools": [
        {
            "type": "function",
            "function": {"name": "read_file", "description": "Read.", "parameters": SCHEMA},
        }
    ],
    "messages": [
        {"role": "system", "content": "You work."},
        {"role": "user", "content": "Why?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": dict(FUNCTION)},
                {"id": "b", "type": "function", "function": dict(FUNCTION)},
            ],
        },
        {"role": "tool", "tool_call_id": "b", "content": "B"},
        {"role": "tool", "tool_call_id": "a", "content": "A"},
    ],
}
SOUND = {"anthropic": ANTHROPIC, "openai": OPENAI}
Break = Callable[[dict[str, Any]], Any]
BROKEN: list[tuple[str, str, Break]] = [
    ("anthropic", "a required field is missing", lambda request: request.pop("max_tokens")),
    ("anthropic", "unknown fields", lambda request: request.update(plan="1.")),
    ("anthropic", "max_tokens", lambda request: request.update(max_tokens=0)),
    ("anthropic", "model: other", lambda request: request.update(model="other")),
    ("anthropic", "system: not a block", lambda request: request["system"].append(text(" "))),
    ("anthropic", "tools: empty", lambda request: request["tools"].clear()),
    ("anthropic", "not among the tools", lambda request: request.pop("tools")),
    ("anthropic", "tools: name", lambda request: request["tools"][0].update(name="read file")),
    ("anthropic", "the schema", lambda request: request["tools"][0].update(input_schema={})),
    ("anthropic", "the role is not user", lambda request: request["messages"].pop(0)),
    ("anthropic", "the last one is not", lambda request: request.update(messages=answered(request))),
    ("anthropic", r"results \['b'\]", lambda request: request["messages"][2]["content"].pop()),
    ("anthropic", r"results \[\]", lambda request: request["messages"][2].update(content="And?")),
    ("anthropic", "empty content", lambda request: request["messages"][0].update(content=[])),
    ("anthropic", "non-empty", lambda request: request["messages"][1]["content"].append(text(""))),
    ("anthropic", "a image block", lambda request: request["messages"][2]["content"][0].update(type="image")),
    (
        "anthropic",
        "a tool_use block",
        lambda request: request["messages"][0].update(content=[call("c", "x")]),
    ),
    ("anthropic", "fields", lambda request: request["messages"][2]["content"][0].update(note="x")),
    ("anthropic", "not a text", lambda request: request["messages"][2]["content"][0].update(content=7)),
    ("anthropic", "not a boolean", lambda request: request["messages"][2]["content"][0].update(is_error=1)),
    ("openai", "a required field is missing", lambda request: request.pop("model")),
    ("openai", "unknown fields", lambda request: request.update(plan="1.")),
    ("openai", "does not exist", lambda request: request.update(model="other")),
    ("openai", "tools: empty", lambda request: request["tools"].clear()),
    ("openai", "not among the tools", lambda request: request.pop("tools")),
    ("openai", "a system message inside", lambda request: request["messages"].append(OPENAI["messages"][0])),
    ("openai", "the first one is not the user's", lambda request: request["messages"].pop(1)),
    ("openai", "no tool message answers", lambda request: request["messages"].pop()),
    ("openai", "answers no open call", lambda request: request["messages"].append(OPENAI["messages"][4])),
    ("openai", "the last one is not", lambda request: request.update(messages=request["messages"][:3])),
    ("openai", "tool_calls is empty", lambda request: request["messages"][2].update(tool_calls=[])),
    ("openai", "are not JSON", lambda request: first_call(request)["function"].update(arguments="{")),
    ("openai", "are not JSON", lambda request: first_call(request)["function"].update(arguments={})),
    ("openai", "two calls with one id", lambda request: first_call(request).update(id="b")),
    ("openai", "not a part of text", lambda request: request["messages"][1].update(content="")),
    ("openai", "content is not a text", lambda request: request["messages"][4].update(content=None)),
    ("openai", r"messages\[3\]: fields", lambda request: request["messages"][3].update(is_error=True)),
]


def answered(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [*request["messages"], {"role": "assistant", "content": [text("Done.")]}]


def first_call(request: dict[str, Any]) -> dict[str, Any]:
    return request["messages"][2]["tool_calls"][0]


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_sound_request_is_accepted(provider: str) -> None:
    CHECKS[provider](SOUND[provider])


@pytest.mark.parametrize(
    ("provider", "said", "break_it"), BROKEN, ids=[f"{provider}: {said}" for provider, said, _ in BROKEN]
)
def test_a_broken_one_is_not(provider: str, said: str, break_it: Break) -> None:
    request = copy.deepcopy(SOUND[provider])
    break_it(request)
    with pytest.raises(UnacceptableError, match=said):
        CHECKS[provider](request)


def model_for(server: ProviderServer) -> AnthropicModel:
    return AnthropicModel(MODEL, api_key="test-key", base_url=server.base_urls["anthropic"])


def test_a_refused_request_is_recorded_and_reaches_no_answer() -> None:
    reached = []
    said = r"status 400, invalid_request_error: messages\.0: the role"
    with (
        ProviderServer(lambda *request: reached.append(request) or (200, {})) as server,
        pytest.raises(ModelError, match=said),
    ):
        model_for(server).ask([{"role": "assistant", "content": "Hm."}], Brief("You work."))
    assert server.faults == ["anthropic: messages.0: the role is not user"]
    assert reached == []


def test_a_function_can_answer_with_a_status_and_a_body() -> None:
    with ProviderServer(lambda *_: (200, anthropic_reply([text("A.")]))) as server:
        message = model_for(server).ask([{"role": "user", "content": "Why?"}], Brief("You work."))
    assert message["content"] == [text("A.")]


def test_a_mistake_in_that_function_shows() -> None:
    with (
        ProviderServer(lambda *_: {}["none"]) as server,
        pytest.raises(ModelError, match="status 500, api_error: KeyError"),
    ):
        model_for(server).ask([{"role": "user", "content": "Why?"}], Brief("You work."))
    assert server.faults == ["the test's own answer: KeyError('none')"]


def test_a_list_that_is_used_up_ends_in_an_error() -> None:
    with ProviderServer([Reply(body=anthropic_reply([text("A.")]))]) as server:
        model = model_for(server)
        model.ask([{"role": "user", "content": "Why?"}], Brief("You work."))
        with pytest.raises(ModelError, match="no reply is left"):
            model.ask([{"role": "user", "content": "Why?"}], Brief("You work."))
    assert len(server.requests) == 2

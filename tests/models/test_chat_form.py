"""The model-backed systems through the real SDKs: folding, planning, shrinking and the policy."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from folds import GOOD, caps_for, fold, runs, session_of
from provider_server import KEY, MODEL, REPLIES, ProviderServer, Reply, call, text

from ctxlab.models import (
    AnthropicModel,
    Brief,
    ModelError,
    OpenAIModel,
    ScriptedModel,
    ToolSpec,
    chat_asker,
    text_asker,
)
from ctxlab.reference import compress_tool_result, create_execution_plan, structured_summary
from ctxlab.reference.policy import Step
from ctxlab.reference.session import prepare_window
from ctxlab.reference.store import open_store

CLASSES = {"anthropic": AnthropicModel, "openai": OpenAIModel}
CUT_OFF = {"anthropic": "max_tokens", "openai": "length"}
LOG = "04:17 port 8443 refused the connection. " * 60
FACT = "04:17 port 8443 refused the connection (60 times)"
READ = ToolSpec("read", "Read a file.", {"type": "object", "properties": {}})
BRIEF = Brief("You work on files.", tools=(READ,))
PLAN = {
    "goal_summary": "Check the notes",
    "steps": [
        {
            "id": "read",
            "description": "Read the notes",
            "depends_on": [],
            "success_criteria": "They are read",
            "tools_likely_needed": ["read_file"],
        }
    ],
    "key_constraints": ["Ask before deleting"],
    "definition_of_done": "The notes are checked",
}

Connect = Callable[..., tuple[Any, ProviderServer]]


@pytest.fixture(params=sorted(CLASSES))
def connect(request: pytest.FixtureRequest) -> Any:
    """A maker of (model, server): the model's answers are these blocks, each with how it ended."""
    servers: list[ProviderServer] = []

    def made(*blocks: Any, cut: bool = False) -> tuple[Any, ProviderServer]:
        end = CUT_OFF[request.param] if cut else None
        replies = [Reply(body=REPLIES[request.param]([block], end)) for block in blocks]
        server = ProviderServer(replies)
        servers.append(server.__enter__())
        base_url = server.base_urls[request.param]
        return CLASSES[request.param](MODEL, api_key=KEY, base_url=base_url, max_retries=0), server

    yield made
    for server in servers:
        server.__exit__(None, None, None)
        assert server.faults == []


def sent(server: ProviderServer) -> list[dict[str, Any]]:
    return [received.body for received in server.requests]


class Asking:
    """An `ask` that keeps the requests, in Chat form, as the check of a fold wants to see them."""

    def __init__(self, model: Any) -> None:
        self.ask = chat_asker(model, BRIEF)
        self.requests: list[Any] = []

    def __call__(self, messages: Any) -> Any:
        self.requests.append(deepcopy(messages))
        return self.ask(messages)


def test_the_request_for_a_fold_begins_like_those_of_the_session(connect: Connect) -> None:
    model, server = connect(text("Done."), text(GOOD))
    db = open_store(None)
    session = session_of(runs(12), db)
    caps = caps_for(session, 90)
    ask = Asking(model)
    ask([*prepare_window(session.messages, session.head_len, caps), {"role": "user", "content": "And now?"}])

    stats, events = fold(session, ask, caps, db)

    assert [name for name, _ in events] == ["start", "done"]
    assert stats["folded_messages"] >= 8
    usual, summary = sent(server)
    *shared, instruction = summary.pop("messages")
    assert len(shared) >= 8
    assert usual.pop("messages")[: len(shared)] == shared
    assert instruction["role"] == "user"
    assert summary == usual


def test_a_cut_answer_folds_nothing(connect: Connect) -> None:
    model, _ = connect(text(GOOD), cut=True)
    db = open_store(None)
    session = session_of(runs(12), db)

    stats, events = fold(session, Asking(model), caps_for(session, 90), db)

    assert stats is None
    assert [(name, data.get("reason")) for name, data in events] == [("start", None), ("warn", "no_summary")]


def test_a_plan_is_asked_for_and_repaired_once(connect: Connect) -> None:
    model, server = connect(text("Here it is: {"), text(json.dumps(PLAN)))

    plan = create_execution_plan("Check the notes", "", ask=chat_asker(model, Brief("You plan.")))

    assert [step["id"] for step in plan["steps"]] == ["read"]
    assert len(server.requests) == 2


def test_one_result_and_the_record_of_steps_are_shortened(connect: Connect) -> None:
    model, server = connect(text(FACT), text("Goal: see the task."))

    assert compress_tool_result("read_log", LOG, "Why did it fail?", text_asker(model)) == FACT
    steps = [Step(turn=n, tool="read_log", status="ok", brief=f"day {n} is read") for n in range(6)]
    assert structured_summary(steps, text_asker(model)) == "Goal: see the task."
    assert LOG in json.dumps(sent(server)[0])


def test_an_answer_that_only_calls_has_no_text(connect: Connect) -> None:
    model, _ = connect(call("a", "read"), call("b", "read"))

    message = chat_asker(model, BRIEF)([{"role": "user", "content": "Why?"}])
    assert (message["content"], [each["id"] for each in message["tool_calls"]]) == (None, ["a"])
    assert text_asker(model, BRIEF)("Why?") == ""


def test_the_scripted_model_needs_no_network() -> None:
    model = ScriptedModel({(): {"role": "assistant", "content": [text(FACT)]}}, "")

    assert compress_tool_result("read_log", LOG, "Why?", text_asker(model)) == FACT
    call_of_read = {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": None, "tool_calls": [call_of_read]},
        {"role": "tool", "tool_call_id": "a", "content": "x"},
    ]
    with pytest.raises(ModelError, match="no answer"):
        chat_asker(model)(history)

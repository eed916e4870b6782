"""anthropic.py, openai.py and failures.py: both real SDKs against a real HTTP server."""

import copy
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from provider_server import (
    REPLIES,
    ProviderServer,
    Reply,
    anthropic_reply,
    call,
    error_reply,
    openai_reply,
    text,
)

from ctxlab.models import AnthropicModel, Brief, Model, ModelError, OpenAIModel, ToolSpec
from ctxlab.reference import run_loop

Connect = Callable[..., Model]

PATH_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ_FILE = ToolSpec("read_file", "Read a file.", PATH_SCHEMA)
BRIEF = Brief("You work on files.", tools=(READ_FILE,), plan=lambda: "1. Read. Not done.")
QUESTION = [{"role": "user", "content": "What is in a.txt?"}]
EXCHANGES = [
    *QUESTION,
    {
        "role": "assistant",
        "content": [
            text("I read both."),
            call("a", "read_file", path="a.txt"),
            call("b", "read_file", path="ü.txt"),
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "Alpha 42.", "is_error": False},
            {"type": "tool_result", "tool_use_id": "b", "content": "no such file", "is_error": True},
        ],
    },
]
TITLES = {"anthropic": "Anthropic", "openai": "OpenAI"}
CUT_OFF = {"anthropic": "max_tokens", "openai": "length"}
RETRY_AT_ONCE = {"retry-after-ms": "1"}


def answer(provider: str, *blocks: dict[str, Any], end: str | None = None) -> Reply:
    return Reply(body=REPLIES[provider](list(blocks), end))


def failing(provider: str, status: int) -> Reply:
    reply = error_reply(provider, status, f"trouble {status}")
    return Reply(reply.status, reply.body, RETRY_AT_ONCE)


def asked(model: Model, history: list[dict[str, Any]] = QUESTION) -> dict[str, Any]:
    return model.ask(history, BRIEF)


def worked(model: Model, tool: Callable[..., str], history: list[dict[str, Any]]) -> dict[str, Any]:
    return run_loop(lambda messages: model.ask(messages, BRIEF), {"read_file": tool}, history)


def failure(model: Model, *, summary: bool = False) -> str:
    with pytest.raises(ModelError) as caught:
        _ = model.summarize(EXCHANGES) if summary else asked(model)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDKs do not sleep between their attempts; the longest pause for which they ask is 8 seconds."""
    monkeypatch.setattr("anthropic._base_client.MAX_RETRY_DELAY", 0.0)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.0)


class TestAnswers:
    def test_text(self, provider: str, connected: Connect) -> None:
        with ProviderServer([answer(provider, text("Alpha."))]) as server:
            message = asked(connected(server))
        assert message == {"role": "assistant", "content": [text("Alpha.")]}
        assert (len(server.requests), server.faults) == (1, [])

    def test_parallel_calls_beside_text(self, provider: str, connected: Connect) -> None:
        blocks = [
            text("Both."),
            call("x", "read_file", path="ä"),
            call("y", "read_file", path="b", n=[1, None]),
        ]
        with ProviderServer([answer(provider, *blocks)]) as server:
            assert asked(connected(server), EXCHANGES) == {"role": "assistant", "content": blocks}
        assert server.faults == []

    def test_a_call_without_text(self, provider: str, connected: Connect) -> None:
        with ProviderServer([answer(provider, call("x", "read_file"))]) as server:
            assert asked(connected(server))["content"] == [call("x", "read_file")]

    def test_a_blank_text_beside_a_call_is_left_out(self, provider: str, connected: Connect) -> None:
        with ProviderServer([answer(provider, text(" \n"), call("x", "read_file"))]) as server:
            assert asked(connected(server))["content"] == [call("x", "read_file")]

    def test_the_history_is_not_changed(self, provider: str, connected: Connect) -> None:
        history = copy.deepcopy(EXCHANGES)
        with ProviderServer([answer(provider, text("A.")), answer(provider, text("S."))]) as server:
            model = connected(server)
            asked(model, history)
            model.summarize(history)
        assert history == EXCHANGES
        assert server.faults == []

    def test_a_loop_runs_on_it(self, provider: str, connected: Connect) -> None:
        history = copy.deepcopy(QUESTION)
        with ProviderServer(
            [answer(provider, call("x", "read_file", path="a.txt")), answer(provider, text("It says 42."))]
        ) as server:
            model = connected(server)
            ended = run_loop(
                lambda messages: model.ask(messages, BRIEF), {"read_file": lambda path: "42"}, history
            )
        assert ended == {"status": "answered", "text": "It says 42.", "requests": 2}
        assert [len(server.requests), server.faults] == [2, []]
        assert history[2]["content"][0]["content"] == "42"

    def test_a_failure_ends_a_loop_with_its_text(self, provider: str, connected: Connect) -> None:
        with ProviderServer([failing(provider, 403)]) as server:
            ended = worked(connected(server), lambda path: "42", copy.deepcopy(QUESTION))
        assert ended["status"] == "model_error"
        assert ended["text"].startswith(f"ModelError: {TITLES[provider]} answered with status 403")


class TestRequests:
    def test_the_plan_is_in_each_request_as_it_is_then_and_in_no_history(
        self, provider: str, connected: Connect
    ) -> None:
        plans = iter(["PLAN one", "PLAN two"])
        brief = Brief("You work.", plan=lambda: next(plans))
        history = copy.deepcopy(QUESTION)
        with ProviderServer([answer(provider, text("A.")), answer(provider, text("B."))]) as server:
            model = connected(server)
            model.ask(history, brief)
            model.ask(history, brief)
        systems = [list(system_texts(provider, received.body)) for received in server.requests]
        assert systems == [["You work.", "PLAN one"], ["You work.", "PLAN two"]]
        assert "PLAN" not in str(history)

    def test_anthropic(self) -> None:
        with ProviderServer([Reply(body=anthropic_reply([text("A.")]))]) as server:
            model = AnthropicModel(
                "test-model", api_key="test-key", base_url=server.base_urls["anthropic"], max_tokens=77
            )
            model.ask(EXCHANGES, BRIEF)
        assert server.requests[0].body == {
            "model": "test-model",
            "max_tokens": 77,
            "system": [text("You work on files."), text("1. Read. Not done.")],
            "messages": EXCHANGES,
            "thinking": {"type": "disabled"},
            "tools": [{"name": "read_file", "description": "Read a file.", "input_schema": PATH_SCHEMA}],
        }

    def test_openai(self) -> None:
        with ProviderServer([Reply(body=openai_reply([text("A.")]))]) as server:
            model = OpenAIModel(
                "test-model", api_key="test-key", base_url=server.base_urls["openai"], max_tokens=77
            )
            model.ask(EXCHANGES, BRIEF)
        body = server.requests[0].body
        assert body["max_completion_tokens"] == 77
        assert body["messages"][:3] == [
            {"role": "system", "content": "You work on files."},
            {"role": "system", "content": "1. Read. Not done."},
            {"role": "user", "content": "What is in a.txt?"},
        ]
        assert [message["role"] for message in body["messages"][3:]] == ["assistant", "tool", "tool"]
        function = {"name": "read_file", "description": "Read a file.", "parameters": PATH_SCHEMA}
        assert body["tools"] == [{"type": "function", "function": function}]

    def test_without_tools_or_plan_neither_is_sent(self, provider: str, connected: Connect) -> None:
        with ProviderServer([answer(provider, text("A."))]) as server:
            connected(server).ask(QUESTION, Brief("You answer."))
        assert "tools" not in server.requests[0].body
        assert list(system_texts(provider, server.requests[0].body)) == ["You answer."]

    def test_a_blank_plan_is_not_sent(self, provider: str, connected: Connect) -> None:
        with ProviderServer([answer(provider, text("A."))]) as server:
            connected(server).ask(QUESTION, Brief("You answer.", plan=lambda: " \n"))
        assert list(system_texts(provider, server.requests[0].body)) == ["You answer."]
        assert server.faults == []

    def test_a_history_that_has_no_json_form_is_not_sent(self, provider: str, connected: Connect) -> None:
        with ProviderServer([]) as server, pytest.raises(ModelError, match="no request could be sent"):
            connected(server).ask([{"role": "user", "content": "\ud800"}], BRIEF)
        assert server.requests == []


class TestSummaries:
    def test_a_summary(self, provider: str, connected: Connect) -> None:
        with ProviderServer([answer(provider, text("Alpha is 42."))]) as server:
            assert connected(server).summarize(EXCHANGES) == "Alpha is 42."
        assert server.faults == []
        body = server.requests[0].body
        assert "tools" not in body
        (request,) = [message for message in body["messages"] if message["role"] != "system"]
        assert request["role"] == "user"
        for fact in ("What is in a.txt?", "read_file", '{"path": "ü.txt"}', "Alpha 42.", "error of b"):
            assert fact in request["content"]
        (system,) = system_texts(provider, body)
        assert "1000 characters" in system
        assert "word for word" in system

    def test_it_is_rejected_when_cut_off(self, provider: str, connected: Connect) -> None:
        end = CUT_OFF[provider]
        with ProviderServer([answer(provider, text("Alpha is"), end=end)]) as server:
            said = failure(connected(server), summary=True)
        assert said == (
            f"{TITLES[provider]}'s answer did not end normally ({end!r}): "
            "it was cut off at its limit of tokens; give a larger max_tokens"
        )
        assert len(server.requests) == 1

    @pytest.mark.parametrize("end", ["tool_use", "stop_sequence", "refusal", "pause_turn", "new", None, 7])
    def test_anthropic_accepts_end_turn_only(self, end: Any) -> None:
        body = anthropic_reply([text("Alpha is 42.")]) | {"stop_reason": end}
        assert "did not end normally" in summary_failure("anthropic", body)

    @pytest.mark.parametrize("end", ["tool_calls", "content_filter", "function_call", "new", None, []])
    def test_openai_accepts_stop_only(self, end: Any) -> None:
        body = openai_reply([text("Alpha is 42.")])
        body["choices"][0]["finish_reason"] = end
        assert "did not end normally" in summary_failure("openai", body)

    def test_an_error_text_is_no_summary(self, provider: str, connected: Connect) -> None:
        body = error_reply(provider, 529, "Overloaded").body
        with ProviderServer([Reply(200, body)]) as server:
            said = failure(connected(server), summary=True)
        assert said.startswith(f"{TITLES[provider]} sent an error instead of an answer: ")
        assert "Overloaded" in said

    def test_nor_is_an_empty_one(self, provider: str, connected: Connect) -> None:
        with ProviderServer([answer(provider, text(" \n"))]) as server:
            assert "has no text and calls no tool" in failure(connected(server), summary=True)

    def test_nor_is_a_call(self, provider: str, connected: Connect) -> None:
        end = {"anthropic": "end_turn", "openai": "stop"}[provider]
        with ProviderServer([answer(provider, text("S."), call("x", "read_file"), end=end)]) as server:
            assert "answered a summary request with a call" in failure(connected(server), summary=True)

    def test_nor_is_a_refusal_that_ends_as_an_answer_does(self) -> None:
        body = openai_reply([], "stop", refusal="I cannot help with that.")
        assert "answer is a refusal: the model declined" in summary_failure("openai", body)


class TestEnds:
    @pytest.mark.parametrize("end", ["max_tokens", "refusal", "pause_turn", "model_context_window_exceeded"])
    def test_a_call_of_anthropics_that_was_cut_off_is_not_returned(self, end: str) -> None:
        body = anthropic_reply([call("x", "read_file", path="a")], end)
        assert f"did not end normally ({end!r})" in ask_failure("anthropic", body)

    @pytest.mark.parametrize("end", ["length", "content_filter", "function_call", "new"])
    def test_nor_is_one_of_openais(self, end: str) -> None:
        body = openai_reply([call("x", "read_file", path="a")], end)
        assert f"did not end normally ({end!r})" in ask_failure("openai", body)

    def test_a_stop_sequence_is_a_normal_end_of_an_answer(self) -> None:
        with ProviderServer([Reply(body=anthropic_reply([text("A.")], "stop_sequence"))]) as server:
            model = AnthropicModel("test-model", api_key="test-key", base_url=server.base_urls["anthropic"])
            assert asked(model)["content"] == [text("A.")]

    @pytest.mark.parametrize("kind", ["thinking", "redacted_thinking", "server_tool_use"])
    def test_a_block_that_the_history_cannot_hold_is_named(self, kind: str) -> None:
        body = anthropic_reply([{"type": kind, "thinking": "Hm.", "signature": "s"}, text("A.")])
        assert f"a block of the type {kind!r}" in ask_failure("anthropic", body)

    def test_a_refusal_of_openais(self) -> None:
        body = openai_reply([], refusal="I cannot help with that.")
        assert "OpenAI's answer is a refusal" in ask_failure("openai", body)

    def test_an_answer_with_nothing_in_it(self, provider: str, connected: Connect) -> None:
        with ProviderServer([answer(provider)]) as server:
            assert "has no text and calls no tool" in failure(connected(server))


class TestBrokenAnswers:
    @pytest.mark.parametrize(
        "body", [b"", b"{", b"<html>Bad gateway</html>", b"[]", b"null", b"\xff", b"[" * 100_000]
    )
    def test_a_body_that_is_no_json_object(self, provider: str, connected: Connect, body: bytes) -> None:
        with ProviderServer([Reply(200, body)]) as server:
            said = failure(connected(server))
        assert said.startswith(TITLES[provider])
        assert len(said) < 400
        assert len(server.requests) == 1

    def test_its_type_is_not_believed(self, provider: str, connected: Connect) -> None:
        plain = {"content-type": "text/plain"}
        with ProviderServer([Reply(200, b"Hello.", plain)]) as server:
            assert "answer is not JSON: 'Hello.'" in failure(connected(server))

    @pytest.mark.parametrize(
        "content",
        [
            None,
            "text",
            ["text"],
            [None],
            [{"type": "text"}],
            [{"type": "text", "text": 7}],
            [{"type": "tool_use", "id": "x", "name": "read_file", "input": "{"}],
            [{"type": "tool_use", "id": "x", "name": "read_file"}],
            [{"type": "tool_use", "id": "", "name": "read_file", "input": {}}],
            [{"type": "tool_use", "id": "x", "input": {}}],
            [call("x", "read_file"), call("x", "read_file")],
            [text("\ud800")],
            [{"type": ["text"]}],
        ],
        ids=repr,
    )
    def test_anthropic_content_of_another_shape(self, content: Any) -> None:
        assert ask_failure("anthropic", anthropic_reply([]) | {"content": content}).startswith("Anthropic's")

    @pytest.mark.parametrize(
        "choices",
        [
            None,
            [],
            [None],
            [{}],
            [{"finish_reason": "stop", "message": "text"}],
            *(
                [{"finish_reason": "stop", "message": message}]
                for message in (
                    {"content": 7},
                    {"content": "\ud800"},
                    {"tool_calls": {}},
                    {"tool_calls": [None]},
                    {"tool_calls": [{"id": "x", "type": "custom", "custom": {"name": "n", "input": "i"}}]},
                    {"tool_calls": [{"id": "x", "type": "function"}]},
                    {"tool_calls": [{"id": "x", "type": "function", "function": {"name": "n"}}]},
                    {"tool_calls": [{"type": "function", "function": {"name": "n", "arguments": "{}"}}]},
                )
            ),
        ],
        ids=repr,
    )
    def test_openai_choices_of_another_shape(self, choices: Any) -> None:
        assert ask_failure("openai", openai_reply([]) | {"choices": choices}).startswith("OpenAI's answer")

    def test_broken_arguments_become_a_result_that_is_an_error(self) -> None:
        broken = call("x", "read_file") | {"input": '{"path": "a.t'}
        history = copy.deepcopy(QUESTION)
        with ProviderServer(
            [Reply(body=openai_reply([broken])), Reply(body=openai_reply([text("A.")]))]
        ) as server:
            model = OpenAIModel("test-model", api_key="test-key", base_url=server.base_urls["openai"])
            ended = run_loop(
                lambda messages: model.ask(messages, BRIEF), {"read_file": lambda path: path}, history
            )
        assert (ended["status"], len(server.requests), server.faults) == ("answered", 2, [])
        assert history[1]["content"][0]["input"] == {"unreadable_arguments": '{"path": "a.t'}
        (result,) = history[2]["content"]
        assert result["is_error"]
        assert "unreadable_arguments" in result["content"]


class TestRetries:
    @pytest.mark.parametrize("status", [408, 409, 429, 500, 503, 529])
    def test_success_after_trouble(self, provider: str, connected: Connect, status: int) -> None:
        with ProviderServer([failing(provider, status), answer(provider, text("A."))]) as server:
            assert asked(connected(server, max_retries=1))["content"] == [text("A.")]
        assert len(server.requests) == 2

    def test_the_pause_that_is_asked_for_is_kept(self, provider: str, connected: Connect) -> None:
        busy = error_reply(provider, 429, "slow down", retry_after="0.3")
        with ProviderServer([busy, answer(provider, text("A."))]) as server:
            started = time.monotonic()
            asked(connected(server, max_retries=1))
        assert time.monotonic() - started >= 0.3

    @pytest.mark.parametrize("status", [429, 500, 529])
    def test_trouble_up_to_the_limit(self, provider: str, connected: Connect, status: int) -> None:
        with ProviderServer(lambda *_: failing(provider, status)) as server:
            said = failure(connected(server, max_retries=4))
        assert len(server.requests) == 5
        kind = {429: "rate_limit_error", 529: "overloaded_error"}.get(status, "api_error")
        expected = (
            f"{TITLES[provider]} answered with status {status} after 5 attempts, {kind}: trouble {status}, "
            "request req_test; "
        )
        assert said.startswith(expected)
        remedy = said.removeprefix(expected)
        assert remedy == (
            "wait, or look at the limits and the credit of the account"
            if status == 429
            else "the trouble is the provider's: try again later"
        )

    def test_by_default_there_are_five_attempts(self, provider: str) -> None:
        maker = {"anthropic": AnthropicModel, "openai": OpenAIModel}[provider]
        with ProviderServer(lambda *_: failing(provider, 500)) as server:
            failure(maker("test-model", api_key="test-key", base_url=server.base_urls[provider]))
        assert len(server.requests) == 5

    def test_a_long_wait_is_reported_and_not_slept_through(self, provider: str, connected: Connect) -> None:
        busy = error_reply(provider, 429, "daily limit", retry_after="121")
        with ProviderServer([busy]) as server:
            said = failure(connected(server, max_retries=4))
        assert "status 429, rate_limit_error: daily limit, retry after 121 s, request req_test" in said
        assert len(server.requests) == 1

    @pytest.mark.parametrize("status", [400, 403, 404, 413, 422])
    def test_what_would_fail_again_is_not_tried_again(
        self, provider: str, connected: Connect, status: int
    ) -> None:
        with ProviderServer(lambda *_: failing(provider, status)) as server:
            said = failure(connected(server, max_retries=4))
        assert f"answered with status {status}, " in said
        assert f"trouble {status}" in said
        assert len(server.requests) == 1

    @pytest.mark.usefixtures("no_pauses")
    def test_success_after_a_reset(self, provider: str, connected: Connect) -> None:
        with ProviderServer([Reply(reset=True), answer(provider, text("A."))]) as server:
            assert asked(connected(server, max_retries=1))["content"] == [text("A.")]
        assert len(server.requests) == 2

    @pytest.mark.usefixtures("no_pauses")
    def test_resets_up_to_the_limit(self, provider: str, connected: Connect) -> None:
        with ProviderServer(lambda *_: Reply(reset=True)) as server:
            said = failure(connected(server, max_retries=2))
        assert said.startswith(f"{TITLES[provider]} cannot be reached after 3 attempts (")
        assert said.endswith("; check the network and try again")
        assert len(server.requests) == 3

    @pytest.mark.usefixtures("no_pauses")
    def test_no_answer_in_time(self, provider: str, connected: Connect) -> None:
        with ProviderServer(lambda *_: Reply(delay=30)) as server:
            started = time.monotonic()
            said = failure(connected(server, max_retries=1, timeout=0.2))
            seconds = time.monotonic() - started
        assert said == f"{TITLES[provider]} gave no answer in time after 2 attempts; try again later"
        assert len(server.requests) == 2
        assert seconds < 5

    def test_nobody_there(self, provider: str, connected: Connect) -> None:
        with ProviderServer([]) as server:
            model = connected(server)
        assert "cannot be reached (" in failure(model)

    def test_a_failed_summary_says_the_same(self, provider: str, connected: Connect) -> None:
        with ProviderServer(lambda *_: failing(provider, 529)) as server:
            said = failure(connected(server, max_retries=1), summary=True)
        assert "status 529 after 2 attempts" in said
        assert len(server.requests) == 2


class TestKeysAndNames:
    def test_a_wrong_key_is_not_shown(self, provider: str, connected: Connect) -> None:
        with ProviderServer([]) as server:
            model = connected(server, key="sk-not-right", max_retries=4)
            said = failure(model)
        assert said == f"{TITLES[provider]} answered with status 401, request req_test; check the key"
        assert "sk-not-right" not in repr(model)
        assert len(server.requests) == 1

    @pytest.mark.parametrize("status", [400, 403, 429])
    def test_a_key_that_an_answer_quotes_is_not_shown(
        self, provider: str, connected: Connect, status: int
    ) -> None:
        with ProviderServer([error_reply(provider, status, "test-key may not do that")]) as server:
            said = failure(connected(server))
        assert "(the key) may not do that" in said
        assert "test-key" not in said

    def test_an_unknown_model(self, provider: str, connected: Connect) -> None:
        with ProviderServer([]) as server:
            said = failure(connected(server, name="test-modle"))
        assert "answered with status 404, not_found_error: " in said
        assert "test-modle" in said
        assert said.endswith("; check the model's name")

    def test_the_key_comes_from_the_environment(self, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
        maker = {"anthropic": AnthropicModel, "openai": OpenAIModel}[provider]
        # A line end is easily copied along with a key.
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "test-key\n")
        with ProviderServer([answer(provider, text("A."))]) as server:
            asked(maker("test-model", base_url=server.base_urls[provider]))
        assert server.faults == []

    def test_no_key(self, provider: str) -> None:
        maker = {"anthropic": AnthropicModel, "openai": OpenAIModel}[provider]
        name = f"{provider.upper()}_API_KEY"
        with pytest.raises(
            ModelError, match=f"^there is no key; put one in the environment variable {name}$"
        ):
            maker("test-model")

    @pytest.mark.parametrize("key", ["schlüssel", "two\nlines"])
    def test_a_key_that_no_header_can_carry(self, provider: str, key: str) -> None:
        maker = {"anthropic": AnthropicModel, "openai": OpenAIModel}[provider]
        with pytest.raises(ModelError, match="holds a character that no key has") as caught:
            maker("test-model", api_key=key)
        assert key not in str(caught.value)

    def test_no_sdk(self, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
        maker = {"anthropic": AnthropicModel, "openai": OpenAIModel}[provider]
        monkeypatch.setitem(sys.modules, provider, None)
        with pytest.raises(ModelError, match=f"the package {provider} is not installed; .* `live`"):
            maker("test-model", api_key="test-key")

    def test_the_package_imports_no_sdk(self) -> None:
        code = "import sys, ctxlab.models; print(sorted({'anthropic', 'openai'} & sys.modules.keys()))"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert run.stdout == "[]\n"

    def test_the_model_names_itself(self, provider: str, connected: Connect) -> None:
        with ProviderServer([]) as server:
            assert repr(connected(server)) == f"{TITLES[provider]}Model('test-model')"


def system_texts(provider: str, body: dict[str, Any]) -> Iterator[str]:
    if provider == "anthropic":
        yield from (block["text"] for block in body["system"])
    else:
        yield from (message["content"] for message in body["messages"] if message["role"] == "system")


def ask_failure(provider: str, body: dict[str, Any]) -> str:
    return failure_with(provider, body, summary=False)


def summary_failure(provider: str, body: dict[str, Any]) -> str:
    return failure_with(provider, body, summary=True)


def failure_with(provider: str, body: dict[str, Any], *, summary: bool) -> str:
    maker = {"anthropic": AnthropicModel, "openai": OpenAIModel}[provider]
    with ProviderServer([Reply(body=body)]) as server:
        said = failure(
            maker("test-model", api_key="test-key", base_url=server.base_urls[provider]), summary=summary
        )
    assert len(server.requests) == 1
    assert server.faults == []
    return said

"""limits.py: answers that would take for ever, or all memory, and pauses that would."""

import gzip
import json
import time
from collections.abc import Callable

import pytest
from provider_server import REPLIES, ProviderServer, Reply, text

from ctxlab.models import Brief, Model, ModelError
from ctxlab.models.limits import MAX_ANSWER_BYTES

Connect = Callable[..., Model]

BRIEF = Brief("You work on files.")
QUESTION = [{"role": "user", "content": "What is in a.txt?"}]
TITLES = {"anthropic": "Anthropic", "openai": "OpenAI"}


def body(provider: str) -> bytes:
    return json.dumps(REPLIES[provider]([text("Ä.")], None), ensure_ascii=False).encode()


def failure(model: Model) -> str:
    with pytest.raises(ModelError) as caught:
        model.ask(QUESTION, BRIEF)
    return str(caught.value)


@pytest.mark.parametrize("status", [200, 400])
class TestAnswers:
    def test_one_that_comes_byte_by_byte(self, provider: str, connected: Connect, status: int) -> None:
        with ProviderServer([Reply(status, b" " * 1000, pause=0.05)]) as server:
            started = time.monotonic()
            said = failure(connected(server, timeout=0.4))
            seconds = time.monotonic() - started
        assert said == f"{TITLES[provider]}'s answer did not end in 0.4 s; try again"
        assert seconds < 5

    def test_a_large_one(self, provider: str, connected: Connect, status: int) -> None:
        with ProviderServer([Reply(status, b" " * (MAX_ANSWER_BYTES + 1))]) as server:
            said = failure(connected(server))
        assert said == f"{TITLES[provider]}'s answer has over 1000000 bytes; try again"

    def test_a_packed_one(self, provider: str, connected: Connect, status: int) -> None:
        packed = Reply(status, gzip.compress(body(provider)), {"content-encoding": "gzip"})
        with ProviderServer([packed]) as server:
            said = failure(connected(server))
        assert said == f"{TITLES[provider]}'s answer is packed ('gzip'), and none was asked for; try again"
        assert server.requests[0].headers["accept-encoding"] == "identity"


def test_an_answer_of_the_greatest_size(provider: str, connected: Connect) -> None:
    answer = body(provider)
    with ProviderServer([Reply(200, answer + b" " * (MAX_ANSWER_BYTES - len(answer)))]) as server:
        message = connected(server).ask(QUESTION, BRIEF)
    assert message["content"] == [text("Ä.")]


@pytest.mark.parametrize("charset", ["zlib", "rot13", "utf-16", "latin-1"])
def test_an_answer_is_utf_8_whatever_its_headers_say(provider: str, connected: Connect, charset: str) -> None:
    headers = {"content-type": f"application/json; charset={charset}"}
    with ProviderServer(
        [Reply(200, body(provider), headers), Reply(400, b'{"error": "\xc3\xa4"}', headers)]
    ) as server:
        model = connected(server)
        assert model.ask(QUESTION, BRIEF)["content"] == [text("Ä.")]
        assert "answered with status 400, 'ä'" in failure(model)


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "121"},
        {"retry-after": "Thu, 31 Dec 2099 23:59:59 GMT"},
        {"retry-after": "Fri, 01 Jan 99999999999 00:00:00 GMT"},
        {"retry-after-ms": "121000"},
        {"retry-after-ms": "inf"},
    ],
    ids=lambda headers: next(iter(headers.values())),
)
def test_a_long_pause_is_not_slept_through(
    provider: str, connected: Connect, headers: dict[str, str]
) -> None:
    with ProviderServer(lambda *_: Reply(429, {}, headers)) as server:
        assert "answered with status 429" in failure(connected(server, max_retries=1))
    assert len(server.requests) == 1


@pytest.mark.parametrize("asked", ["soon", "-1", "Mon, 01 Jan 2001 00:00:00 GMT"])
def test_after_another_pause_it_is_tried_again(
    provider: str, connected: Connect, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{provider}._base_client.MAX_RETRY_DELAY", 0.0)
    with ProviderServer([Reply(429, {}, {"retry-after": asked}), Reply(200, body(provider))]) as server:
        assert connected(server, max_retries=1).ask(QUESTION, BRIEF)["content"] == [text("Ä.")]
    assert len(server.requests) == 2

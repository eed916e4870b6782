"""What a live run needs, and what a person is told before it."""

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.models import AnthropicModel, OpenAIModel
from ctxlab.practice.live import consent, live_models, most

VARIABLES = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL")


@pytest.fixture(autouse=True)
def no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("provider", "kind", "key"),
    [("anthropic", AnthropicModel, VARIABLES[0]), ("openai", OpenAIModel, VARIABLES[1])],
)
def test_one_model_in_three_places(
    monkeypatch: pytest.MonkeyPatch, provider: str, kind: type, key: str
) -> None:
    monkeypatch.setenv(key, "test-key")
    models = live_models(provider, "some-model")
    assert isinstance(models.parent, kind)
    assert models.parent is models.sub_agent is models.summarizer
    assert models.parent.name == "some-model"


def test_the_key_comes_first_then_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CtxlabError, match="needs a key in the environment variable OPENAI_API_KEY"):
        live_models("openai", None)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    with pytest.raises(CtxlabError, match="OPENAI_API_KEY"):
        live_models("openai", "m")  # the key of the other one is of no use
    with pytest.raises(CtxlabError, match="--live anthropic needs --model NAME"):
        live_models("anthropic", "")


def test_the_consent_says_what_is_sent_to_whom_and_how_much() -> None:
    text = consent("openai", "some-model", 4800, 1)
    requests, tokens_in, tokens_out = most(4800, 1)
    for words in (
        "requests for the model some-model to OpenAI.",
        "the teaching files made for the run",
        "nothing else of this machine",
        f"At most {requests} requests",
        f"about {tokens_in:,} tokens in and {tokens_out:,} out",
        "The price depends on the model.",
    ):
        assert words in text
    assert max(map(len, text.splitlines())) <= 110


def test_the_consent_names_another_receiver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert "to OpenAI, by way of http://127.0.0.1:1/v1 (OPENAI_BASE_URL)." in consent("openai", "m", 4800, 1)
    assert "127.0.0.1" not in consent("anthropic", "m", 4800, 1)


def test_the_figures_follow_from_the_limits() -> None:
    # 20 of the parent, twice 8 of the sub-agent, and the summaries; 1024 tokens for each answer.
    assert most(4800, 1)[0] == 37
    assert most(4800, 3)[0] == 39
    assert most(4800, 1)[2] == 37 * 1024
    # 20 histories at the limit are 24,000 tokens at 4 bytes each; the rest is what goes with them.
    assert 24_000 < most(4800, 1)[1] < 150_000
    assert most(9600, 1)[1] >= most(4800, 1)[1] + 24_000

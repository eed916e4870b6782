"""What the tests of both providers share."""

from collections.abc import Callable

import pytest
from provider_server import KEY, MODEL, ProviderServer

from ctxlab.models import AnthropicModel, Model, OpenAIModel

CLASSES = {"anthropic": AnthropicModel, "openai": OpenAIModel}


@pytest.fixture(params=["anthropic", "openai"])
def provider(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(autouse=True)
def no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, address or proxy of whoever runs the tests is used."""
    for name in ("API_KEY", "BASE_URL", "CUSTOM_HEADERS"):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)
        monkeypatch.delenv(f"OPENAI_{name}", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def connected(provider: str) -> Callable[..., Model]:
    """Make the provider's model for a server: connected(server, max_retries=1)."""

    def connect(server: ProviderServer, *, name: str = MODEL, key: str = KEY, **options: object) -> Model:
        settings = {"timeout": 5.0, "max_retries": 0} | options
        return CLASSES[provider](name, api_key=key, base_url=server.base_urls[provider], **settings)

    return connect

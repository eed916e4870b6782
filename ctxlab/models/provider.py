"""What the models of all providers have in common: how a request is sent, and what may come of it."""

from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any, ClassVar

from ctxlab.models.failures import (
    answer_object,
    found_key,
    missing_sdk,
    request_failure,
    usable_answer,
    usable_summary,
)
from ctxlab.models.interface import Brief, History, Message
from ctxlab.models.summary import INSTRUCTION, transcript


class ProviderModel(ABC):
    """The model `name` of a provider, or at a server that speaks its protocol under `base_url`.

    The key is `api_key`, else that in the provider's environment variable. `timeout` is in seconds: in each
    attempt for the answer to begin, and again for it to end. The SDK tries again up to `max_retries` times,
    with growing pauses, after the statuses 408, 409, 429, 500 and more, a timeout, and a broken connection;
    not where the server asks for a wait of over two minutes. `max_tokens` limits each answer. Raises
    ModelError where there is no key or no SDK.
    """

    provider: ClassVar[str]
    package: ClassVar[str]  # the SDK
    client: ClassVar[str]  # the class of its client
    error: ClassVar[str]  # the base class of its exceptions
    key: ClassVar[str]  # the environment variable
    answer_ends: ClassVar[tuple[str, ...]]
    summary_ends: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        name: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 4,
        max_tokens: int = 1024,
    ) -> None:
        self.name = name
        self._max_tokens = max_tokens
        self._timeout = timeout
        self._client_options: dict[str, Any] = {
            "api_key": found_key(api_key, self.key),
            "base_url": base_url,
            "timeout": timeout,
            "max_retries": max_retries,
        }
        try:
            # Importing this package imports no SDK; and a missing one is known before the first request.
            self._sdk = import_module(self.package)
        except ImportError as error:
            raise missing_sdk(self.package) from error

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def ask(self, messages: History, brief: Brief) -> Message:
        """Send one request and return the assistant's message. Raises ModelError for any failure."""
        answer = self._answer(messages, brief, self.answer_ends)
        return usable_answer(self.provider, answer, len(messages))

    def summarize(self, messages: History) -> str:
        """Send `messages` as plain text and return a summary. Raises ModelError for any failure."""
        request = [{"role": "user", "content": transcript(messages)}]
        answer = self._answer(request, Brief(INSTRUCTION), self.summary_ends)
        return usable_summary(self.provider, usable_answer(self.provider, answer, 1))

    def _answer(self, messages: History, brief: Brief, ends: tuple[str, ...]) -> Message:
        """Send one request and return its answer in block form, if it ended in one of these ways."""
        from ctxlab.models.limits import event_hooks  # needs the HTTP client of the SDKs

        sdk, request = self._sdk, self._request(messages, brief)
        try:
            http = sdk.DefaultHttpxClient(
                headers={"accept-encoding": "identity"},
                event_hooks=event_hooks(self.provider, self._timeout),
            )
            # A client for each request: nothing stays open in between, so nothing has to be closed later.
            with getattr(sdk, self.client)(**self._client_options, http_client=http) as client:
                # The SDK's own classes take a body of any shape, so the body is read here.
                response = self._endpoint(client).with_raw_response.create(**request)
                text = response.http_response.text
        except (getattr(sdk, self.error), ValueError) as error:
            raise request_failure(self.provider, error) from error
        return self._message(answer_object(self.provider, text), ends)

    @abstractmethod
    def _endpoint(self, client: Any) -> Any:
        """Return the part of the SDK's client that has the method `create`."""

    @abstractmethod
    def _request(self, messages: History, brief: Brief) -> dict[str, Any]:
        """Return the arguments of `create`."""

    @abstractmethod
    def _message(self, body: dict[str, Any], ends: tuple[str, ...]) -> Message:
        """Return the message of an answer in block form. Raises ModelError where it did not end normally."""

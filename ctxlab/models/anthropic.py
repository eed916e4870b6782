"""Anthropic's models, through the Messages API and Anthropic's own SDK."""

from dataclasses import asdict
from typing import Any

from ctxlab.models.failures import (
    answer_object,
    check_end,
    found_key,
    missing_sdk,
    request_failure,
    usable_answer,
    usable_summary,
)
from ctxlab.models.interface import Brief, History, Message, ModelError
from ctxlab.models.summary import INSTRUCTION, transcript

PROVIDER = "Anthropic"
ANSWER_ENDS = ("end_turn", "tool_use", "stop_sequence")
SUMMARY_ENDS = ("end_turn",)
FIELDS = {"text": ("type", "text"), "tool_use": ("type", "id", "name", "input")}


class AnthropicModel:
    """The model `name` at Anthropic.

    The key is `api_key`, else that in ANTHROPIC_API_KEY. `timeout` is in seconds: in each attempt for the
    answer to begin, and again for it to end. The SDK tries again up to `max_retries` times, with growing
    pauses, after the statuses 408, 409, 429, 500 and more, a timeout, and a broken connection; not where the
    server asks for a wait of over two minutes. `max_tokens` limits each answer.

    Thinking is switched off: its blocks have to go back unchanged in an unchanged history, and changing the
    history is what is studied here. A model that cannot answer without thinking refuses each request.
    """

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
            "api_key": found_key(api_key, "ANTHROPIC_API_KEY"),
            "base_url": base_url,
            "timeout": timeout,
            "max_retries": max_retries,
        }
        try:
            import anthropic  # noqa: F401 - so that a missing SDK is known before the first request
        except ImportError as error:
            raise missing_sdk("anthropic") from error

    def __repr__(self) -> str:
        return f"AnthropicModel({self.name!r})"

    def ask(self, messages: History, brief: Brief) -> Message:
        """Send one request and return the assistant's message. Raises ModelError for any failure."""
        body = self._send(messages, brief)
        check_end(PROVIDER, body.get("stop_reason"), ANSWER_ENDS)
        return usable_answer(PROVIDER, _message(body), len(messages))

    def summarize(self, messages: History) -> str:
        """Send `messages` as plain text and return a summary. Raises ModelError for any failure."""
        body = self._send([{"role": "user", "content": transcript(messages)}], Brief(INSTRUCTION))
        check_end(PROVIDER, body.get("stop_reason"), SUMMARY_ENDS)
        return usable_summary(PROVIDER, usable_answer(PROVIDER, _message(body), 1))

    def _send(self, messages: History, brief: Brief) -> dict[str, Any]:
        """Return the body of the answer to one request, as plain JSON."""
        import anthropic

        from ctxlab.models.limits import event_hooks

        request: dict[str, Any] = {
            "model": self.name,
            "max_tokens": self._max_tokens,
            "system": [{"type": "text", "text": text} for text in brief.system_texts()],
            "messages": messages,
            "thinking": {"type": "disabled"},
        }
        if brief.tools:
            request["tools"] = [asdict(tool) for tool in brief.tools]
        try:
            http = anthropic.DefaultHttpxClient(
                headers={"accept-encoding": "identity"}, event_hooks=event_hooks(PROVIDER, self._timeout)
            )
            # A client for each request: nothing stays open in between, so nothing has to be closed later.
            with anthropic.Anthropic(**self._client_options, http_client=http) as client:
                # The SDK's own classes take a body of any shape, so the body is read here.
                response = client.messages.with_raw_response.create(**request)
                text = response.http_response.text
        except (anthropic.AnthropicError, ValueError) as error:
            raise request_failure(PROVIDER, error) from error
        return answer_object(PROVIDER, text)


def _message(body: dict[str, Any]) -> Message:
    """Return the assistant's message of an answer, with the fields of the block form only."""
    content = body.get("content")
    if not isinstance(content, list):
        raise ModelError(f"{PROVIDER}'s answer has no list of blocks; try again")
    blocks = []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(kind, str) or kind not in FIELDS:
            raise ModelError(
                f"{PROVIDER}'s answer has a block of the type {kind!r}, which the history here cannot hold; "
                "take a model that answers in text and tool_use blocks alone"
            )
        # A blank text says nothing, and would be refused in the next request.
        if kind == "tool_use" or str(block.get("text")).strip():
            blocks.append({field: block.get(field) for field in FIELDS[kind]})
    return {"role": "assistant", "content": blocks}

"""OpenAI's models, through Chat Completions and OpenAI's own SDK."""

from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.openai_chat import from_openai_chat, to_openai_chat
from ctxlab.models.failures import (
    DECLINED,
    answer_object,
    check_end,
    found_key,
    missing_sdk,
    request_failure,
    usable_answer,
    usable_summary,
)
from ctxlab.models.interface import Brief, History, Message, ModelError, ToolSpec
from ctxlab.models.summary import INSTRUCTION, transcript

PROVIDER = "OpenAI"
ANSWER_ENDS = ("stop", "tool_calls")
SUMMARY_ENDS = ("stop",)


class OpenAIModel:
    """The model `name` at OpenAI, or at a server that speaks the same protocol under `base_url`.

    The key is `api_key`, else that in OPENAI_API_KEY. `timeout` is in seconds: in each attempt for the answer
    to begin, and again for it to end. The SDK tries again up to `max_retries` times, with growing pauses,
    after the statuses 408, 409, 429, 500 and more, a timeout, and a broken connection; not where the server
    asks for a wait of over two minutes. `max_tokens` limits each answer, including what the model thinks
    before it.
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
            "api_key": found_key(api_key, "OPENAI_API_KEY"),
            "base_url": base_url,
            "timeout": timeout,
            "max_retries": max_retries,
        }
        try:
            import openai  # noqa: F401 - so that a missing SDK is known before the first request
        except ImportError as error:
            raise missing_sdk("openai") from error

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r})"

    def ask(self, messages: History, brief: Brief) -> Message:
        """Send one request and return the assistant's message. Raises ModelError for any failure."""
        message = self._send(messages, brief, ANSWER_ENDS)
        return usable_answer(PROVIDER, message, len(messages))

    def summarize(self, messages: History) -> str:
        """Send `messages` as plain text and return a summary. Raises ModelError for any failure."""
        request = [{"role": "user", "content": transcript(messages)}]
        message = self._send(request, Brief(INSTRUCTION), SUMMARY_ENDS)
        return usable_summary(PROVIDER, usable_answer(PROVIDER, message, 1))

    def _send(self, messages: History, brief: Brief, normal_ends: tuple[str, ...]) -> Message:
        """Return the message of the answer to one request, in block form."""
        import openai

        from ctxlab.models.limits import event_hooks

        system = [{"role": "system", "content": text} for text in brief.system_texts()]
        request: dict[str, Any] = {
            "model": self.name,
            "max_completion_tokens": self._max_tokens,
            "messages": [*system, *to_openai_chat(messages)],
        }
        if brief.tools:
            request["tools"] = [_function(tool) for tool in brief.tools]
        try:
            http = openai.DefaultHttpxClient(
                headers={"accept-encoding": "identity"}, event_hooks=event_hooks(PROVIDER, self._timeout)
            )
            # A client for each request: nothing stays open in between, so nothing has to be closed later.
            with openai.OpenAI(**self._client_options, http_client=http) as client:
                # The SDK's own classes take a body of any shape, so the body is read here.
                response = client.chat.completions.with_raw_response.create(**request)
                text = response.http_response.text
        except (openai.OpenAIError, ValueError) as error:
            raise request_failure(PROVIDER, error) from error
        return _message(answer_object(PROVIDER, text), normal_ends)


def _function(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}


def _message(body: dict[str, Any], normal_ends: tuple[str, ...]) -> Message:
    """Return the message of an answer that ended normally, in block form."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise ModelError(f"{PROVIDER}'s answer has no message; try again")
    check_end(PROVIDER, choice.get("finish_reason"), normal_ends)
    # A refusal ends as normally as an answer does; only this field tells them apart.
    if choice["message"].get("refusal"):
        raise ModelError(f"{PROVIDER}'s answer is a refusal: {DECLINED}")
    try:
        return from_openai_chat(choice["message"])
    except Refusal as refusal:
        raise ModelError(f"{PROVIDER}'s answer cannot be used: {refusal}; try again") from refusal

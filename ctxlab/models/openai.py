"""OpenAI's models, through Chat Completions and OpenAI's own SDK."""

from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.openai_chat import from_openai_chat, to_openai_chat
from ctxlab.models.failures import DECLINED, check_end
from ctxlab.models.interface import Brief, History, Message, ModelError, ToolSpec
from ctxlab.models.provider import ProviderModel


class OpenAIModel(ProviderModel):
    """A model of OpenAI's; the key is in OPENAI_API_KEY. Its `max_tokens` include what it thinks first."""

    provider = "OpenAI"
    package = "openai"
    client = "OpenAI"
    error = "OpenAIError"
    key = "OPENAI_API_KEY"
    answer_ends = ("stop", "tool_calls")
    summary_ends = ("stop",)

    def _endpoint(self, client: Any) -> Any:
        return client.chat.completions

    def _request(self, messages: History, brief: Brief) -> dict[str, Any]:
        system = [{"role": "system", "content": text} for text in brief.system_texts()]
        request: dict[str, Any] = {
            "model": self.name,
            "max_completion_tokens": self._max_tokens,
            "messages": [*system, *to_openai_chat(messages)],
        }
        if brief.tools:
            request["tools"] = [_function(tool) for tool in brief.tools]
        return request

    def _message(self, body: dict[str, Any], ends: tuple[str, ...]) -> Message:
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
            raise ModelError(f"{self.provider}'s answer has no message; try again")
        check_end(self.provider, choice.get("finish_reason"), ends)
        # A refusal ends as normally as an answer does; only this field tells them apart.
        if choice["message"].get("refusal"):
            raise ModelError(f"{self.provider}'s answer is a refusal: {DECLINED}")
        try:
            return from_openai_chat(choice["message"])
        except Refusal as refusal:
            raise ModelError(f"{self.provider}'s answer cannot be used: {refusal}; try again") from refusal


def _function(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}

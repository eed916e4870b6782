"""Anthropic's models, through the Messages API and Anthropic's own SDK."""

from dataclasses import asdict
from typing import Any

from ctxlab.models.failures import check_end
from ctxlab.models.interface import Brief, History, Message, ModelError
from ctxlab.models.provider import ProviderModel

FIELDS = {"text": ("type", "text"), "tool_use": ("type", "id", "name", "input")}


class AnthropicModel(ProviderModel):
    """A model of Anthropic's; the key is in ANTHROPIC_API_KEY.

    Thinking is switched off: its blocks have to go back unchanged in an unchanged history, and changing the
    history is what is studied here. A model that cannot answer without thinking refuses each request.
    """

    provider = "Anthropic"
    package = "anthropic"
    client = "Anthropic"
    error = "AnthropicError"
    key = "ANTHROPIC_API_KEY"
    answer_ends = ("end_turn", "tool_use", "stop_sequence")
    summary_ends = ("end_turn",)

    def _endpoint(self, client: Any) -> Any:
        return client.messages

    def _request(self, messages: History, brief: Brief) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.name,
            "max_tokens": self._max_tokens,
            "system": [{"type": "text", "text": text} for text in brief.system_texts()],
            "messages": messages,
            "thinking": {"type": "disabled"},
        }
        if brief.tools:
            request["tools"] = [asdict(tool) for tool in brief.tools]
        return request

    def _message(self, body: dict[str, Any], ends: tuple[str, ...]) -> Message:
        check_end(self.provider, body.get("stop_reason"), ends)
        content = body.get("content")
        if not isinstance(content, list):
            raise ModelError(f"{self.provider}'s answer has no list of blocks; try again")
        blocks = []
        for block in content:
            kind = block.get("type") if isinstance(block, dict) else None
            if not isinstance(kind, str) or kind not in FIELDS:
                raise ModelError(
                    f"{self.provider}'s answer has a block of the type {kind!r}, which the history here "
                    "cannot hold; take a model that answers in text and tool_use blocks alone"
                )
            # A blank text says nothing, and would be refused in the next request.
            if kind == "tool_use" or str(block.get("text")).strip():
                # The fields of the block form only.
                blocks.append({field: block.get(field) for field in FIELDS[kind]})
        return {"role": "assistant", "content": blocks}

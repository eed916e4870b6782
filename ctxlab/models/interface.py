"""What a caller and a model exchange. Histories are in the block form of the Anthropic Messages API."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ctxlab.errors import CtxlabError

Message = dict[str, Any]
History = list[Message]


class ModelError(CtxlabError):
    """A model that gave no usable answer. One line of text says what came back, and what to do."""


@dataclass(frozen=True)
class ToolSpec:
    """A tool as a model is told of it. `input_schema` is the JSON Schema of the call's input, an object."""

    name: str
    description: str
    input_schema: dict[str, Any]


@dataclass(frozen=True)
class Brief:
    """What a request carries besides the history. None of it is ever in the history.

    `plan` is called afresh for each request, so the model always reads the plan as it stands.
    """

    system: str
    tools: tuple[ToolSpec, ...] = ()
    plan: Callable[[], str] | None = None

    def system_texts(self) -> list[str]:
        """Return the system text, then the plan as it is now: what does not change comes first.

        Blank texts are left out; providers refuse them.
        """
        texts = [self.system] if self.plan is None else [self.system, self.plan()]
        return [text for text in texts if text.strip()]


class Model(Protocol):
    """A model that can be asked. Neither method changes the history that it is given."""

    def ask(self, messages: History, brief: Brief) -> Message:
        """Send one request and return the assistant's message, of text and tool_use blocks.

        Raises ModelError for any failure, and for an answer that did not end normally: a call that was cut
        off must not be carried out.
        """
        ...

    def summarize(self, messages: History) -> str:
        """Send one request of its own, without tools, and return a summary of `messages`.

        Raises ModelError for any failure, and for a summary that did not end normally.
        """
        ...

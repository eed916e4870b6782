"""A model behind the systems of the reference whose histories are in OpenAI's Chat form."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ctxlab.messages.conversion import chat_to_anthropic
from ctxlab.messages.openai_chat import to_openai_chat
from ctxlab.models.interface import Brief, History, Message, Model

NO_BRIEF = Brief("")


def chat_asker(model: Model, brief: Brief = NO_BRIEF) -> Callable[[History], Message]:
    """Return the `ask(messages)` of folding and planning: a Chat history in, the assistant's message out.

    Leading system messages are sent behind the system text of `brief`. Asking raises ModelError for any
    failure, and for an answer that did not end normally; it refuses `not_a_history` what is no Chat history.
    """

    def ask(messages: History) -> Message:
        converted = chat_to_anthropic(messages)
        texts = [brief.system, *_texts(converted.system)]
        system = "\n\n".join(text for text in texts if text.strip())
        answer = model.ask(converted.messages, replace(brief, system=system))
        (message,) = to_openai_chat([answer])
        return message

    return ask


def text_asker(model: Model, brief: Brief = NO_BRIEF) -> Callable[[str], str]:
    """Return the `summarize(request)` of shrinking and policy: a text in, the text of the answer out.

    Asking raises ModelError for any failure, and for an answer that did not end normally.
    """
    ask = chat_asker(model, brief)

    def summarize(request: str) -> str:
        return ask([{"role": "user", "content": request}])["content"] or ""

    return summarize


def _texts(system: Any) -> list[str]:
    """Return the texts of a converted system field."""
    if isinstance(system, str):
        return [system]
    return [block["text"] for block in system or []]

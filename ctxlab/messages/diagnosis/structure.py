"""Faults in the form of a history. What all shapes share is here, the rest in one module for each shape."""

import os
from collections.abc import Callable, Iterator
from typing import Any

from ctxlab.messages.diagnosis.anthropic_form import anthropic_form
from ctxlab.messages.diagnosis.chat_form import chat_form
from ctxlab.messages.diagnosis.finding import Finding, at_history, at_message
from ctxlab.messages.diagnosis.responses_form import responses_form
from ctxlab.messages.shapes import Api
from ctxlab.messages.view import View
from ctxlab.messages.wording import type_words

FORMS: dict[Api, Callable[[View], Iterator[Finding]]] = {
    "anthropic-messages": anthropic_form,
    "openai-chat": chat_form,
    "openai-responses": responses_form,
}


def structure_findings(messages: Any, view: View) -> Iterator[Finding]:
    """Yield what is wrong with the form of a history and its messages."""
    if not isinstance(messages, list):
        words = f"a history is a list of messages, not {type_words(messages)}"
        hint = "; ctxlab.Diagnosis(path) reads a file" if isinstance(messages, (str, os.PathLike)) else ""
        yield at_history("not_a_history", f"{words}{hint}")
        return
    if not messages:
        yield at_history("empty_history", "the history is empty, and a request needs at least one message")
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            yield at_message("not_a_message", index, f"is {type_words(message)}, not an object")
    yield from FORMS[view.api](view)

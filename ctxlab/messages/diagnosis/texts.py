"""Faults in texts: an empty one, and a space at the very end."""

from collections.abc import Iterator

from ctxlab.messages.diagnosis.finding import Finding, at_part
from ctxlab.messages.parts import Part, text_of
from ctxlab.messages.view import View
from ctxlab.messages.wording import shown


def text_findings(view: View) -> Iterator[Finding]:
    """Yield what is wrong with texts. Only Anthropic Messages forbid an empty one and a space at the end."""
    if view.api == "anthropic-messages":
        yield from _empty(view)
        yield from _space_at_the_end(view)


def _is_prefill(view: View, part: Part) -> bool:
    """Say whether `part` is the whole content of a final assistant's message, which the model continues."""
    return part.role == "assistant" and part.block is None and part.message == len(view.messages) - 1


def _empty(view: View) -> Iterator[Finding]:
    """Find texts that are empty or hold white space alone.

    The API answers 400, "text content blocks must be non-empty" or "must contain non-whitespace text"
    (anthropics/anthropic-sdk-python#461, home-assistant/core#175637). A string is short for one text block;
    the string of a final assistant's message may be empty.
    """
    for part in view.parts:
        text = text_of(part)
        if text is not None and not text.strip() and not _is_prefill(view, part):
            yield at_part("empty_text", part, f"is the text {shown(text)}; a text must not be empty or blank")


def _space_at_the_end(view: View) -> Iterator[Finding]:
    """Find a final assistant's message whose last text ends in white space.

    The API answers 400, "final assistant content cannot end with trailing whitespace"
    (langchain-ai/langchain#35071, crewAIInc/crewAI#4413).
    """
    if not view.parts:
        return
    last = view.parts[-1]
    text = text_of(last)
    if last.role != "assistant" or last.message != len(view.messages) - 1 or not text:
        return
    if text[-1].isspace() and (text.strip() or _is_prefill(view, last)):
        words = f"ends in white space, {shown(text[-20:])}, and is the last text of the history"
        yield at_part("trailing_whitespace_final_assistant", last, words)

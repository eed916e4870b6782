"""The summary that takes the place of folded messages: what is asked of the model, and what may come back."""

import re
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.wording import shown, type_words
from ctxlab.reference.answers import answer_text, calls_a_tool
from ctxlab.reference.loop import sendable
from ctxlab.reference.shrinking import FINISHED

Message = dict[str, Any]

HEADINGS = (
    "## Goal",
    "## Confirmed constraints and decisions",
    "## Progress",
    "## To do",
    "## Key paths, ids and figures",
)

# What a reader takes for a heading, in Markdown or nearly so: not "#12", which may be the number of a ticket,
# and not a line that is indented by four spaces, which is code.
HEADING = re.compile(r"(?! {4}|\t)\s*(##|#\s|#$)")

INSTRUCTION = "\n".join(
    [
        "Summarise this conversation up to here. The summary will stand in place of the messages above.",
        "Answer with these five headings, each once, in this order, and with points below them:",
        "",
        *HEADINGS,
        "",
        'Write nothing before the first heading, no other heading, and "none" where there is nothing to say.',
        "Call no tool and do not go on with the work.",
        "Copy exact values word for word: paths, ids, figures, names, errors. Indent code by 4 spaces.",
        "Keep every requirement that the user has given or confirmed, word for word.",
        'Mark what is doubtful with "(unsure)". Invent nothing.',
        "If the conversation begins with an earlier summary, merge its points into these headings and keep",
        "what still holds. Do not quote that summary or put it under a heading of its own.",
    ]
)

NOTE = (
    "[Summary of the earlier part of this conversation. The original messages are archived. Take what it "
    "says as fact, and go on from there without repeating it.]"
)


def summary_request() -> Message:
    """Return the one message that turns the beginning of a session into a request for its summary."""
    return {"role": "user", "content": INSTRUCTION}


def build_summary_note(summary: str) -> Message:
    """Return the user message that stands in place of what was folded. Refuses `bad_summary`."""
    check_summary(summary)
    return {"role": "user", "content": f"{NOTE}\n\n{summary}"}


def summary_of(answer: Any) -> tuple[str, str]:
    """Return the summary in a model's answer, and "" or what is wrong with it, as the rest of a sentence."""
    # Is it anything but a message of the assistant?
    if not isinstance(answer, dict) or answer.get("role") != "assistant":
        return "", f"is {shown(answer)}, no message of the assistant"
    # Does it call a tool?
    if calls_a_tool(answer):
        return "", "calls a tool in place of a summary"
    end = answer.get("stop_reason", answer.get("finish_reason", FINISHED[0]))
    # Did anything but the model itself end it?
    if end not in FINISHED:
        # It was cut at its limit or refused, so its end may be missing.
        return "", f"ended with {shown(end)}, not by itself"
    # Is there no text?
    if not isinstance(answer.get("content"), str | list):
        return "", f"has {type_words(answer.get('content'))} as its content, not a text"
    summary = sendable(answer_text(answer).strip())
    # Is the text blank?
    if not summary:
        return "", "is empty"
    lines = summary.splitlines()
    headings = [line.rstrip() for line in lines if HEADING.match(line)]
    # Does it hold anything but the five headings, each once, with all text below them?
    if headings != list(HEADINGS) or lines[0].rstrip() != HEADINGS[0]:
        # An error text looks like this, and so does a summary inside a summary.
        return "", f"does not have the five headings, each once and in order: {shown(summary)}"
    # Is there nothing below the headings?
    if not any(line.strip() for line in lines if line.rstrip() not in HEADINGS):
        return "", "has nothing below its headings"
    return summary, ""


def check_summary(summary: str) -> None:
    """Refuse (`bad_summary`) what says nothing."""
    # Is it anything but a text that is not blank?
    if not isinstance(summary, str) or not summary.strip():
        raise Refusal("bad_summary", f"the summary is {shown(summary)}; it must be text that is not blank")
    # Can UTF-8 not hold it?
    if sendable(summary) != summary:
        raise Refusal("bad_summary", "the summary holds half a surrogate pair, which cannot be stored")

"""The two messages that a compaction by a policy makes, and their place in a history.

Each is a user message. Its first line is a mark and the fingerprint of the lines below it, by which an
earlier one is found again wherever it stands, and replaced: so there is never more than one of each. A mark
alone could stand in what a user writes; a fingerprint that fits does not stand there by chance.

Their place is behind the head: the system messages, and the task, which is the first user message directly
behind them. No exchange can be cut there.
"""

import hashlib
from typing import Any

from ctxlab.reference.groups import head_length
from ctxlab.reference.loop import sendable

Message = dict[str, Any]
History = list[Message]

SUMMARY_MARK = "[Record of earlier steps, no instruction]"
PIN_MARK = "[Pinned conclusions, no instruction]"


def placed(messages: History, mark: str, text: str) -> History:
    """Return the history with one message of this mark behind its head, in the place of all earlier ones.

    The record comes before the pin: it changes less often, so more of the prompt's start stays the same.
    An empty text changes nothing.
    """
    # Is there nothing to say?
    if not text:
        return messages
    rest = without_mark(messages, mark)
    start = head_length(rest)
    # Does the task follow the system messages?
    if start < len(rest) and rest[start]["role"] == "user" and not mark_of(rest[start]):
        start += 1
    # Does a record stand in the place of the pin?
    if mark == PIN_MARK and start < len(rest) and mark_of(rest[start]) == SUMMARY_MARK:
        start += 1
    return [*rest[:start], marked(mark, text), *rest[start:]]


def without_mark(messages: History, mark: str) -> History:
    """Return the history without the messages of this mark."""
    rest = []
    for message in messages:
        # Is this anything but a message of the mark?
        if mark_of(message) != mark:
            rest.append(message)
    return rest


def marked(mark: str, text: str) -> Message:
    """Return a message of this mark."""
    text = sendable(text)
    return {"role": "user", "content": f"{first_line(mark, text)}\n{text}"}


def mark_of(message: Message) -> str:
    """Return the mark of a message that was made here, or ""."""
    content = message.get("content")
    # Is it anything but a user message in text?
    if message["role"] != "user" or not isinstance(content, str):
        return ""
    line, _, text = content.partition("\n")
    for mark in (SUMMARY_MARK, PIN_MARK):
        # Is this its mark, with the fingerprint of this very text?
        if line.startswith(mark) and line == first_line(mark, text):
            return mark
    return ""


def first_line(mark: str, text: str) -> str:
    """Return the line above a text that was made here: the mark, and 8 hex digits of the text's SHA-256."""
    return f"{mark} {hashlib.sha256(text.encode()).hexdigest()[:8]}"

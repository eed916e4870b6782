"""The two messages that a compaction by a policy makes, and their place in a history.

Each is a user message whose first line is a mark. By it an earlier one is found again and replaced, so there
is never more than one of each; so is what a user writes under such a line at that place. Their place is
behind the head: the system messages, and the task, which is the first user message directly behind them. No
exchange can be cut there.
"""

from typing import Any

from ctxlab.reference.groups import head_length
from ctxlab.reference.loop import sendable

Message = dict[str, Any]
History = list[Message]

SUMMARY_MARK = "[Record of earlier steps, no instruction]"
PIN_MARK = "[Pinned conclusions, no instruction]"


def placed(messages: History, mark: str, text: str) -> History:
    """Return the history with one message of this mark behind its head, in the place of an earlier one.

    The record comes before the pin: it changes less often, so more of the prompt's start stays the same.
    An empty text changes nothing.
    """
    # Is there nothing to say?
    if not text:
        return messages
    start = head_length(messages)
    # Does the task follow the system messages?
    if start < len(messages) and messages[start]["role"] == "user" and not mark_of(messages[start]):
        start += 1
    own: dict[str, list[Message]] = {SUMMARY_MARK: [], PIN_MARK: []}
    stop = start
    # Is the next message one that was made here?
    while stop < len(messages) and mark_of(messages[stop]):
        own[mark_of(messages[stop])] = [messages[stop]]
        stop += 1
    own[mark] = [{"role": "user", "content": sendable(f"{mark}\n{text}")}]
    return messages[:start] + own[SUMMARY_MARK] + own[PIN_MARK] + messages[stop:]


def unpinned(messages: History) -> History:
    """Return the history without its pin."""
    rest = []
    for message in messages:
        # Is this anything but a pin?
        if mark_of(message) != PIN_MARK:
            rest.append(message)
    return rest


def mark_of(message: Message) -> str:
    """Return the mark of a message that was made here, or ""."""
    content = message.get("content")
    # Is it anything but a user message in text?
    if message["role"] != "user" or not isinstance(content, str):
        return ""
    for mark in (SUMMARY_MARK, PIN_MARK):
        # Is this its first line?
        if content.startswith(f"{mark}\n"):
            return mark
    return ""

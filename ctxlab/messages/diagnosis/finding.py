"""One thing that is wrong with a history, and where."""

from dataclasses import dataclass

from ctxlab.messages.diagnosis.remedies import REMEDIES
from ctxlab.messages.parts import Part
from ctxlab.messages.wording import shown


@dataclass(frozen=True)
class Finding:
    """What is wrong at one place of a history. All positions are counted from 0.

    `message` is the index of the message or item, None where the fault is not in one. `block` is the index of
    the content block or of the entry in `tool_calls`; None for items, tool messages and whole messages. `id`
    is the id of the call, the result or the reasoning item, where there is one. `text` names the place and
    says what is wrong, `fix` what a careful repair would be and what it must not do.
    """

    code: str
    message: int | None
    block: int | None
    id: str | None
    text: str
    fix: str


def at_part(code: str, part: Part, words: str, fix: str | None = None) -> Finding:
    """Return a finding at `part`; `words` go on from the name of its place."""
    text = f"{place(part.message, part.block)} {words}"
    return Finding(code, part.message, part.block, part.id, text, fix or REMEDIES[code])


def at_message(code: str, message: int, words: str) -> Finding:
    """Return a finding about message or item `message` as a whole."""
    return Finding(code, message, None, None, f"{place(message, None)} {words}", REMEDIES[code])


def at_history(code: str, text: str) -> Finding:
    """Return a finding that is in no message."""
    return Finding(code, None, None, None, text, REMEDIES[code])


def place(message: int, block: int | None) -> str:
    """Return the name of a place, such as "message 3, block 0"."""
    return f"message {message}" if block is None else f"message {message}, block {block}"


def place_of(part: Part) -> str:
    """Return the name of the place of `part`."""
    return place(part.message, part.block)


def named(part: Part) -> str:
    """Return the id of `part` as it is shown in a text."""
    return shown(part.id)

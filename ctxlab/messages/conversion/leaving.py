"""What a conversion gives: the messages in the other form, and what that form could not take."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from ctxlab.messages.wording import shown

Message = dict[str, Any]
Block = dict[str, Any]


class Place(NamedTuple):
    """A place in the history that is converted. Message None is the system text, which is no message."""

    message: int | None
    block: int | None = None
    kind: str = "block"
    part: int | None = None

    def __str__(self) -> str:
        words = "the system text" if self.message is None else f"message {self.message}"
        if self.block is not None:
            words += f", {self.kind} {self.block}"
        if self.part is not None:
            words += f", part {self.part}"
        return words

    def inside(self, number: int, kind: str = "block") -> "Place":
        """Return the place of item `number` in this message, or of part `number` in this block."""
        if self.block is None:
            return Place(self.message, number, kind)
        return self._replace(part=number)


@dataclass(frozen=True)
class Left:
    """Something that the other form cannot say.

    `message` and `block` are its place in the history that was given, counted from 0. `message` is None for
    the system text beside the messages; `block` is the index of the content block or of the call in
    `tool_calls`, and None where the whole message is meant. `text` names the place, and says what is missing
    or what stands in its stead.
    """

    message: int | None
    block: int | None
    text: str


@dataclass(frozen=True)
class Conversion:
    """A history in the other form.

    `system` is the value for the request's own `system` field, where the form has one: None, a text or a list
    of text blocks. `left` lists what could not be taken along, in the order of the messages.
    """

    messages: list[Message]
    left: list[Left]
    system: str | list[Block] | None = None


class Leavings:
    """Collects what is left behind in one conversion to the form `other`."""

    def __init__(self, other: str) -> None:
        self.other = other
        self.found: list[Left] = []

    def in_order(self) -> list[Left]:
        """Return what was noted, in the order of the messages, the system text first."""
        return sorted(self.found, key=lambda left: -1 if left.message is None else left.message)

    def add(self, place: Place, text: str) -> None:
        """Note `text`, a clause that says what is missing at `place`."""
        self.found.append(Left(place.message, place.block, f"{place}: {text}"))

    def add_block(self, place: Place, block: Block) -> None:
        """Note a block that has no counterpart."""
        self.add(
            place, f"a block of type {shown(block.get('type'))} is left out; {self.other} have none there"
        )

    def add_message(self, place: Place) -> None:
        """Note a message of which nothing is left."""
        self.add(place, f"the message is left out: nothing of it can be said in {self.other}")

    def add_fields(self, place: Place, value: dict[str, Any], known: tuple[str, ...]) -> None:
        """Note the fields of `value` that are not among the known ones and hold something."""
        names = [name for name, held in value.items() if name not in known and held not in (None, [], {})]
        if names:
            listed = ", ".join(shown(name) for name in names)
            self.add(place, f"left out: {listed}; {self.other} have no such field there")

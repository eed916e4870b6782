"""What a reader hands over, and the draft that it fills."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ctxlab.messages.diagnosis.finding import Finding
from ctxlab.messages.shapes import Api


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a message stands in its file.

    `place` says it in words, such as "line 3", "item 0 (line 2)" or "row 12". Lines count from 1 as in an
    editor, items from 0, and rows have the id that their table gives them. `lines` are the lines, in order;
    empty where the file has none, as a database, or where they are not known.
    """

    place: str
    lines: tuple[int, ...] = ()


class Record(NamedTuple):
    """One JSON value of a file and its place."""

    value: Any
    origin: Origin


@dataclass(frozen=True)
class Transcript:
    """The history in a file, as it would be sent to a model next.

    `format` names what was read. `messages` are in the shape `api`, and `origin` has one entry for each.
    `system` is the system text or instructions beside them and `tools` the list of tools, both as the file
    has them, None where it has none. `skipped` counts, by kind, the records that are no part of the history;
    `notes` are sentences on what was joined, left out or not there. `findings` are faults of the file itself
    (`torn_record`); `diagnose` finds those of the messages.
    """

    format: str
    messages: list[Any]
    api: Api
    system: Any
    tools: list[Any] | None
    origin: list[Origin]
    skipped: dict[str, int]
    notes: list[str]
    findings: list[Finding]


@dataclass(frozen=True)
class Torn:
    """A place that holds no whole record, such as a line. `text` goes on from `place`.

    `line` is its number where it is a line, and `recovered` says whether a record was read from it all the
    same.
    """

    place: str
    text: str
    line: int | None = None
    recovered: bool = False


@dataclass
class Draft:
    """A transcript while a reader fills it."""

    format: str = ""
    messages: list[Any] = field(default_factory=list)
    origin: list[Origin] = field(default_factory=list)
    api: Api | None = None
    system: Any = None
    tools: list[Any] | None = None
    skipped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    torn: list[Torn] = field(default_factory=list)

    def add(self, message: Any, origin: Origin) -> None:
        """Append a message of the history."""
        self.messages.append(message)
        self.origin.append(origin)


def at_lines(numbers: list[int]) -> Origin:
    """Return the origin of a message that stands on these lines."""
    lines = tuple(sorted(set(numbers)))
    words = "line" if len(lines) == 1 else "lines"
    return Origin(f"{words} {listed(lines)}", lines)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as "1 message" or "3 messages"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(numbers: tuple[int, ...]) -> str:
    """Return numbers in order as words, such as "3" or "3, 5 and 6"; of more than six only the ends."""
    texts = [str(number) for number in numbers]
    if len(texts) > 6:
        return f"{texts[0]} to {texts[-1]}"
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def kind_of(value: Any, key: str = "type") -> str:
    """Return the name under which a record is counted: its type and, where it has one, its subtype."""
    if not isinstance(value, dict):
        return "value that is no object"
    kind, subtype = value.get(key), value.get("subtype")
    if not isinstance(kind, str) or not kind:
        return "record without a type"
    return f"{kind}/{subtype}" if isinstance(subtype, str) else kind

"""A JSON list or object, read whole, with the line on which each message begins."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from ctxlab.errors import HistoryError
from ctxlab.messages.readers.json_lines import decoder
from ctxlab.messages.readers.transcript import Origin, Record, Torn

SPACE = re.compile(r"[ \t\n\r]*")

# Where an object holds its messages; the lines of these lists are kept.
LISTS = ("messages", "input")


@dataclass
class Whole:
    """The value of a text, with the place of each item of a list of messages.

    Reading raises JSONDecodeError, except where the text only breaks off: then `value` holds what came
    before, and `torn` says where the file ends.
    """

    text: str
    name: str
    torn: list[Torn]
    value: Any = None
    records: dict[str, list[Record]] = field(default_factory=dict)
    _line: int = 1
    _counted: int = 0

    def read(self) -> None:
        """Read the text. The records of a list stand under "", those in an object under their key."""
        try:
            at = self._space(0)
            if self.text[at : at + 1] == "[":
                self.value = []
                end = self._list(at, "", self.value)
            else:
                end = self._object(at)
            if self._space(end) < len(self.text):
                raise json.JSONDecodeError("Extra data", self.text, self._space(end))
        except json.JSONDecodeError as error:
            if not _cut(error) or not any(self.records.values()):
                raise
            line = self.text.count("\n") + 1
            words = f"the file breaks off here ({error.msg}); what came before is read"
            self.torn.append(Torn(f"line {line}", words, line))
        except RecursionError as error:
            raise HistoryError(f"{self.name}: nested too deeply to be read; no model takes that") from error
        except ValueError as error:
            raise HistoryError(f"{self.name}: not usable as JSON: {error}") from error

    def _object(self, at: int) -> int:
        """Read the object that starts at `at` and return its end; the lists in LISTS get their lines."""
        self.value = {}
        at = self._space(at + 1)
        while self.text[at : at + 1] != "}":
            key, at = self._key(at)
            if key in LISTS and self.text[at : at + 1] == "[":
                self.value[key] = []
                at = self._list(at, key, self.value[key])
            else:
                self.value[key], at = decoder.raw_decode(self.text, at)
            at = self._next(at, "}")
        return at + 1

    def _key(self, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] != '"':
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", self.text, at)
        key, at = decoder.raw_decode(self.text, at)
        at = self._space(at)
        if self.text[at : at + 1] != ":":
            raise json.JSONDecodeError("Expecting ':' delimiter", self.text, at)
        return key, self._space(at + 1)

    def _list(self, at: int, key: str, values: list[Any]) -> int:
        """Read the list that starts at `at` into `values` and its records, and return its end."""
        found = self.records[key] = []
        at = self._space(at + 1)
        while self.text[at : at + 1] != "]":
            start = at
            value, at = decoder.raw_decode(self.text, at)
            line = self._line_at(start)
            values.append(value)
            found.append(Record(value, Origin(f"item {len(found)} (line {line})", (line,))))
            at = self._next(at, "]")
        return at + 1

    def _next(self, at: int, end: str) -> int:
        """Return the start of the next entry, or the place of `end`."""
        at = self._space(at)
        if self.text[at : at + 1] == end:
            return at
        if self.text[at : at + 1] != ",":
            raise json.JSONDecodeError("Expecting ',' delimiter", self.text, at)
        at = self._space(at + 1)
        if self.text[at : at + 1] == end:
            raise json.JSONDecodeError("Illegal trailing comma before end", self.text, at)
        return at

    def _space(self, at: int) -> int:
        found = SPACE.match(self.text, at)
        return found.end() if found else at

    def _line_at(self, at: int) -> int:
        self._line += self.text.count("\n", self._counted, at)
        self._counted = at
        return self._line


def _cut(error: json.JSONDecodeError) -> bool:
    """Tell whether the text ends too early, which is no mistake inside it."""
    rest = error.doc[error.pos :].strip()
    if not rest or error.msg.startswith("Unterminated string"):
        return True
    # The start of true, false, null, a number or an escape.
    return len(rest) < 6 and rest[-1] not in ']},:"'

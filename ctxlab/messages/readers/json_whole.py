"""A JSON list or object, read whole, with the line on which each message begins."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from ctxlab.errors import HistoryError
from ctxlab.messages.readers.json_lines import decoder, unusable
from ctxlab.messages.readers.request_body import LISTS, MAX_WRAPPERS, WRAPPERS
from ctxlab.messages.readers.transcript import Origin, Record, Torn

SPACE = re.compile(r"[ \t\n\r]*")


@dataclass
class Whole:
    """The value of a text, with the place of each item of a list of messages.

    Reading raises JSONDecodeError, except where the text only breaks off: then `value` holds what came
    before, and `torn` says where the file ends. `lists` has each list that may hold the messages, with its
    records: the outermost, or those under the names that requests and what is around them have.
    """

    text: str
    name: str
    torn: list[Torn]
    value: Any = None
    lists: list[tuple[list[Any], list[Record]]] = field(default_factory=list)
    _line: int = 1
    _counted: int = 0

    def read(self) -> None:
        """Read the text."""
        try:
            at = self._space(0)
            if self.text[at : at + 1] == "[":
                self.value = []
                end = self._list(at, self.value)
            else:
                self.value = {}
                end = self._object(at, self.value)
            if self._space(end) < len(self.text):
                raise json.JSONDecodeError("Extra data", self.text, self._space(end))
        except json.JSONDecodeError as error:
            if not is_cut(error) or not any(records for _, records in self.lists):
                raise
            line = self.text.count("\n") + 1
            words = f"the file breaks off here ({error.msg}); what came before is read"
            self.torn.append(Torn(f"line {line}", words, line))
        except (RecursionError, ValueError) as error:
            raise HistoryError(f"{self.name}, from line {self._line} on: {unusable(error)}") from error

    def records_of(self, values: Any) -> list[Record] | None:
        """Return the records of this very list, None where its lines are not known."""
        return next((records for found, records in self.lists if found is values), None)

    def _object(self, at: int, values: dict[str, Any], depth: int = 1) -> int:
        """Read the object that starts at `at` into `values` and return its end.

        The lists in it that may hold the messages get their lines, and so do those in its wrappers.
        """
        at = self._space(at + 1)
        while self.text[at : at + 1] != "}":
            key, at = self._key(at)
            start = self.text[at : at + 1]
            self._line_at(at)
            if key in LISTS and start == "[":
                values[key] = []
                at = self._list(at, values[key])
            elif key in WRAPPERS and start == "{" and depth < MAX_WRAPPERS:
                values[key] = {}
                at = self._object(at, values[key], depth + 1)
            else:
                values[key], at = decoder.raw_decode(self.text, at)
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

    def _list(self, at: int, values: list[Any]) -> int:
        """Read the list that starts at `at` into `values` and its records, and return its end."""
        found: list[Record] = []
        self.lists.append((values, found))
        at = self._space(at + 1)
        while self.text[at : at + 1] != "]":
            line = self._line_at(at)
            value, at = decoder.raw_decode(self.text, at)
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


def is_cut(error: json.JSONDecodeError) -> bool:
    """Tell whether the text ends too early, which is no mistake inside it."""
    rest = error.doc[error.pos :].strip()
    if not rest or error.msg.startswith("Unterminated string"):
        return True
    # The start of true, false, null, a number or an escape.
    return len(rest) < 6 and rest[-1] not in ']},:"'

"""JSON lines, read one line at a time, so that no more than one is in memory besides the records.

A writer that dies leaves a line that breaks off. The next writer goes on behind it, on the same line, which
then is two records glued together. Both are reported as torn, and what is whole is read.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from ctxlab.errors import HistoryError
from ctxlab.messages.readers.transcript import Origin, Record, Torn

MAX_LINE_BYTES = 100_000_000
# A place where a record can begin is tried only so often on one broken line: each try may read all of it.
MAX_TRIES = 100
BOM = b"\xef\xbb\xbf"
REPLACED = "\ufffd"
# What may stand between two records: space, and the zero bytes that a crash can leave.
FILLING = " \t\r\n\0"

FORMS = "a transcript holds one JSON record a line, or is one JSON list or object"

decoder = json.JSONDecoder()


class Piece(NamedTuple):
    """A JSON object in a broken line, and where it stands there."""

    start: int
    end: int
    value: Any


@dataclass
class Lines:
    """The records on the lines of a file, in order; `torn` and `whole` grow while they are read.

    `is_record` tells a record from a part of one, which a broken line may leave whole. Raises HistoryError
    for a line that is not UTF-8 or that Python cannot read.
    """

    file: BinaryIO
    name: str
    is_record: Callable[[Any], bool]
    torn: list[Torn]
    whole: int = 0

    def __iter__(self) -> Iterator[Record]:
        number = 0
        while line := self.file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise HistoryError(
                    f"{self.name}, line {number}: over {MAX_LINE_BYTES} bytes long; shorten that record"
                )
            if number == 1:
                line = line.removeprefix(BOM)
            if line.strip():
                for value in self._values(line, number):
                    yield Record(value, Origin(f"line {number}", (number,)))

    def _values(self, line: bytes, number: int) -> list[Any]:
        try:
            value = parsed(line.decode("utf-8"), f"{self.name}, line {number}")
        except UnicodeDecodeError as error:
            return self._of_half_characters(line, number, error)
        except json.JSONDecodeError as error:
            text = line.decode("utf-8")
            return self._of_broken(text, number, self._records_in(text), f"{error.msg}, column {error.colno}")
        self.whole += 1
        return [value]

    def _of_half_characters(self, line: bytes, number: int, error: UnicodeDecodeError) -> list[Any]:
        """Return the records beside a character that was cut in two; refuse a file in another encoding."""
        text = line.decode("utf-8", "replace")
        found = [piece for piece in self._records_in(text) if REPLACED not in text[piece.start : piece.end]]
        if found or error.end == len(line):
            return self._of_broken(text, number, found, "a character is cut in two")
        words = "binary data, no text" if b"\0" in line else "not UTF-8; save the file as UTF-8"
        raise HistoryError(f"{self.name}, line {number}: {words}; {FORMS}") from error

    def _records_in(self, text: str) -> list[Piece]:
        return [piece for piece in _side_by_side(list(_pieces(text)), text) if self.is_record(piece.value)]

    def _of_broken(self, text: str, number: int, found: list[Piece], problem: str) -> list[Any]:
        """Report a broken line and return the values of the records found in it."""
        columns = [piece.start + 1 for piece in found]
        ends = [0, *(piece.end for piece in found)]
        starts = [*(piece.start for piece in found), len(text)]
        lost = any(text[end:start].strip() for end, start in zip(ends, starts, strict=True))
        self.whole += len(found)
        if not found:
            words = f"the record breaks off or is not JSON ({problem}) and is not read"
        elif lost:
            words = (
                "a record breaks off and another begins on the same line; what begins at column "
                f"{_words(columns)} is read, the rest of the line is lost"
            )
        else:
            words = f"{len(found)} records stand on one line; they begin at column {_words(columns)}"
        self.torn.append(Torn(f"line {number}", words, number, found != []))
        return [piece.value for piece in found]


def parsed(text: str, place: str) -> Any:
    """Return the JSON value of `text`. Raises JSONDecodeError; HistoryError for what Python cannot hold."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise HistoryError(f"{place}: {unusable(error)}") from error


def unusable(error: RecursionError | ValueError) -> str:
    """Say why Python cannot hold what is JSON all the same: nesting without an end, or an endless number."""
    if isinstance(error, RecursionError):
        return "nested too deeply to be read; no model takes such a history"
    return "a whole number of some thousand digits cannot be read; write it as a text"


def _pieces(text: str) -> Iterator[Piece]:
    """Yield the JSON objects in a broken line that are whole."""
    at = tries = 0
    while tries < MAX_TRIES and (start := text.find('{"', at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            tries += 1
        else:
            yield Piece(start, at, value)


def _side_by_side(pieces: list[Piece], text: str) -> list[Piece]:
    """Return the pieces that follow one another from the start of the line, or up to its end.

    Anything else is a part of a torn record: something of that record still follows it.
    """
    first, start = 0, 0
    while first < len(pieces) and not text[start : pieces[first].start].strip(FILLING):
        start = pieces[first].end
        first += 1
    last, end = len(pieces), len(text)
    while last > first and not text[pieces[last - 1].end : end].strip(FILLING):
        last -= 1
        end = pieces[last].start
    return pieces[:first] + pieces[last:]


def _words(columns: list[int]) -> str:
    return " and ".join(map(str, columns[:5])) + (" and more" if len(columns) > 5 else "")

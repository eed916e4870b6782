"""The heap of a recording, replayed: what every container held at a moment, row by row."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from ctxlab.messages.responses_parts import is_item_type
from ctxlab.tracer.heap import DEEPEST, Cell, Cells, expand
from ctxlab.tracer.objects import class_name, is_object

Nested = tuple[Any, ...]

# Messages stand in a list, or in exchanges in a list; lists deeper than that are no history.
DEEPEST_LIST = 3
# Parts that are shared over and over, each in several places, could make a message endlessly large.
MOST_PARTS = 10_000


class _NoMessageError(Exception):
    """A message contains itself, or is too large or too deep to be written out as a message."""


def is_container(cell: Cell) -> bool:
    """Say whether a cell refers to a container (an even number; True and False are not numbers here)."""
    return type(cell) is int and cell % 2 == 0


def _is_text(cell: Cell) -> bool:
    return type(cell) is int and cell % 2 == 1


class Replay:
    """Applies heap rows in order. `pooled` gives a message, as nested cells, its place in the pool."""

    def __init__(self, pool: list[Any], strings: list[str], pooled: Callable[[Nested], int]) -> None:
        self.pool = pool
        self.strings = strings
        self.pooled = pooled
        self.changed_at: dict[int, int] = {}  # for each message, the step that gave it its present value
        self._cells: dict[int, Cells] = {}
        self._whole: dict[int, int] = {}
        self._starts: list[int] = []  # the numbers of all fresh messages, ascending
        self._sizes: dict[int, int] = {}  # how many containers a pool message has
        self._parents: dict[int, set[int]] = {}
        self._held: set[int] = set()
        self._indices: dict[int, int | None] = {}

    def apply(self, number: int, cells: Any, cause: int) -> set[int]:
        """Apply one row. Returns the number of every container that differs now, itself or below."""
        if isinstance(cells, int):
            self._whole[number] = cells
            self._starts.append(number)
            self.changed_at[number] = cause
            return {number}
        if cells[0] == "+":
            self.cells(number).extend(cells[2:])
            self._adopt(number, cells[2:])
        elif cells[0] == "=":
            self.cells(number)[1 + cells[1]] = cells[2]
            self._adopt(number, cells[2:])
        elif cells[0] == "-":
            self.cells(number)[1 + cells[1] : 1 + cells[1] + cells[2]] = cells[3:]
            self._adopt(number, cells[3:])
        else:
            self._expand_around(number)
            self._cells[number] = list(cells)
            self._adopt(number, cells[1:])
        differing = self._with_ancestors(number)
        for one in differing:
            self._indices.pop(one, None)
            self.changed_at[one] = cause
        return differing

    def cells(self, number: int) -> Cells:
        """Return the present cells of a container."""
        if number not in self._cells:
            self._expand_around(number)
        return self._cells[number]

    def message(self, cell: Cell) -> int | None:
        """Return the pool index of the message that a cell refers to, or None when it is no message."""
        if not is_container(cell):
            return None
        number = cell // 2
        if number in self._whole:
            return self._whole[number]
        if number not in self._indices:
            self._indices[number] = self._pool_index(number)
        return self._indices[number]

    def is_held(self, number: int) -> bool:
        """Say whether a container has stood inside another one; to be a field of an object does not count."""
        return number in self._held

    def messages(self, cell: Cell, depth: int = 0) -> list[int] | None:
        """Return the numbers of the messages of a history, a list of messages or of exchanges; else None."""
        if not is_container(cell) or self.message(cell) is not None or depth == DEEPEST_LIST:
            return None
        kind, *items = self.cells(cell // 2)
        if kind not in ("l", "t"):
            return None
        found: list[int] = []
        for item in items:
            if self.message(item) is not None:
                found.append(item // 2)
            else:
                inner = self.messages(item, depth + 1)
                if inner is None:
                    return None
                found.extend(inner)
        return found

    def parts(self, cell: Cell) -> list[int] | None:
        """Return the numbers of the messages in a result: a history, or a dict of messages and histories."""
        found = self.messages(cell)
        if found is not None or not is_container(cell):
            return found
        kind, *items = self.cells(cell // 2)
        if kind != "d":
            return None
        collected: list[int] = []
        for value in items[1::2]:
            inner = [value // 2] if self.message(value) is not None else self.messages(value)
            if inner is None:
                return None
            collected.extend(inner)
        return collected

    def _expand_around(self, number: int) -> None:
        """If `number` is a part of a fresh message, give each part of that message its own cells."""
        position = bisect_right(self._starts, number) - 1
        start = self._starts[position] if position >= 0 else -1
        if start in self._whole and number < start + self._size(self._whole[start]):
            after = expand(self.pool[self._whole.pop(start)], start, self._cells)
            for part in range(start, after):
                self._adopt(part, self._cells[part][1:])

    def _size(self, index: int) -> int:
        if index not in self._sizes:
            self._sizes[index] = expand(self.pool[index], 0, {})
        return self._sizes[index]

    def _adopt(self, parent: int, cells: Cells) -> None:
        is_field = is_object(self._cells[parent][0])
        for cell in cells:
            if is_container(cell):
                self._parents.setdefault(cell // 2, set()).add(parent)
                if not is_field:
                    self._held.add(cell // 2)

    def _with_ancestors(self, number: int) -> set[int]:
        found = {number}
        todo = [number]
        while todo:
            new = self._parents.get(todo.pop(), set()) - found
            found |= new
            todo.extend(new)
        return found

    def _pool_index(self, number: int) -> int | None:
        if not self._is_message(self.cells(number)):
            return None
        try:
            return self.pooled(self._nested(number, count()))
        except _NoMessageError:
            return None

    def _is_message(self, cells: Cells) -> bool:
        """Say of the cells of a container what `is_message` says of its value."""
        if cells[0] != "d":
            return False
        for key, value in zip(cells[1::2], cells[2::2], strict=True):
            if not (_is_text(key) and _is_text(value)):
                continue
            name = self.strings[key // 2]
            if name == "role" or (name == "type" and is_item_type(self.strings[value // 2])):
                return True
        return False

    def _nested(self, number: int, parts: Iterator[int], depth: int = 0) -> Any:
        """Return the nested cells of a container in a message; an object there is its label."""
        if depth > DEEPEST or next(parts) > MOST_PARTS:
            raise _NoMessageError
        cells = self.cells(number)
        if is_object(cells[0]):
            return f"<{class_name(cells[0])}>"
        return tuple(
            self._nested(cell // 2, parts, depth + 1) if is_container(cell) else cell for cell in cells
        )

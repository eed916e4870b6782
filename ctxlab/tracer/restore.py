"""Containers of the heap as Python values again."""

from typing import Any

from ctxlab.errors import TraceError
from ctxlab.tracer.heap import Cell, Cells
from ctxlab.tracer.objects import class_name, has_names, is_object
from ctxlab.tracer.replay import is_container
from ctxlab.tracer.values import scalar_value


class Fields(dict[str, Any]):
    """The fields of an object by name, and the name of its class."""

    def __init__(self, class_name: str) -> None:
        super().__init__()
        self.class_name = class_name

    def __repr__(self) -> str:
        return f"<{self.class_name} {super().__repr__()}>"


def value_of(cell: Cell, contents: dict[int, Cells], strings: list[str]) -> Any:
    """Return the value of a cell. `contents[number]` are the cells of a container; one that stands twice is
    one object.

    An object comes back as its Fields, what is not data as its label; a long text that only a variable held
    as its first characters and "…".
    """
    return _Restorer(contents, strings).value(cell)


def reachable(cell: Cell, contents: dict[int, Cells]) -> list[int]:
    """Return the number of every container that a cell refers to or that stands below it."""
    found: dict[int, None] = {}
    waiting = [cell]
    while waiting:
        item = waiting.pop()
        if is_container(item) and item // 2 not in found:
            found[item // 2] = None
            waiting.extend(contents[item // 2][1:])
    return list(found)


class _Restorer:
    """Works without recursion: a value may be nested deeper than Python can follow, or contain itself."""

    def __init__(self, contents: dict[int, Cells], strings: list[str]) -> None:
        self.contents = contents
        self.strings = strings
        self.made: dict[int, Any] = {}

    def value(self, cell: Cell) -> Any:
        numbers = reachable(cell, self.contents)
        # What can be changed later is made empty first, so that everything else finds it.
        for number in numbers:
            kind = self.contents[number][0]
            if has_names(kind):
                self.made[number] = Fields(class_name(kind)) if is_object(kind) else {}
            elif kind == "l":
                self.made[number] = []
        for number in numbers:
            self.make_fixed(number)
        for number in numbers:
            kind, *cells = self.contents[number]
            if kind == "l":
                self.made[number].extend(self.part(item) for item in cells)
            elif has_names(kind):
                keys = (_hashable(self.part(key)) for key in cells[::2])
                self.made[number].update(zip(keys, map(self.part, cells[1::2]), strict=True))
        return self.part(cell)

    def make_fixed(self, number: int) -> None:
        """Make a tuple or set, after the tuples and sets that it holds."""
        waiting = [number]
        begun: set[int] = set()
        while waiting:
            number = waiting[-1]
            kind, *cells = self.contents[number]
            missing = [item // 2 for item in cells if is_container(item) and item // 2 not in self.made]
            if number in self.made or not missing:
                waiting.pop()
                if number not in self.made:
                    parts = map(self.part, cells)
                    self.made[number] = tuple(parts) if kind == "t" else set(map(_hashable, parts))
            elif number in begun:
                raise TraceError(f"the trace is damaged: container {number}, a tuple or set, contains itself")
            else:
                begun.add(number)
                waiting.extend(missing)

    def part(self, cell: Cell) -> Any:
        if is_container(cell):
            return self.made[cell // 2]
        if isinstance(cell, (list, tuple)) and cell[0] == "~":
            return f"{cell[1]}…"
        return scalar_value(cell, self.strings)


def _hashable(value: Any) -> Any:
    """Return the value as a key or as an item of a set: a set there can only have been a frozen one.

    An object there is its label: it was told from others by what it is, not by its fields.
    """
    if isinstance(value, Fields):
        return f"<{value.class_name}>"
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, (list, dict)):
        raise TraceError("the trace is damaged: a list or dict stands as a key or in a set; record it again")
    return tuple(map(_hashable, value)) if isinstance(value, tuple) else value

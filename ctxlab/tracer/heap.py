"""The versioned heap: what every list, dict, tuple and set of a run held, and from which step on.

A container is encoded when it is first met, and again, shallowly, only after something that could change it. So the
record grows with what happens, not with steps times size. Values are written as cells:

    2 * n        container number n             [number]            a small whole number
    2 * n + 1    string number n                ["#", text]         any other number, as Python prints it
    null, true, false                           ["~", start, size]  a long string that only a variable holds
    "label"      something that is not data

A row holds all cells of a container, or a small change of a list: ["+", size, cell...] when a list of that size grew,
["=", index, cell] when one item was replaced. Numbers start at 1, so that no reference is equal to True or False. A fresh message is one row that names its place in
the pool of distinct messages; its containers take the next numbers in depth-first order.
"""

import types
from collections import Counter, OrderedDict, defaultdict, deque
from itertools import chain
from typing import Any

KINDS = {
    dict: "d",
    defaultdict: "d",
    OrderedDict: "d",
    Counter: "d",
    list: "l",
    deque: "l",
    tuple: "t",
    set: "s",
    frozenset: "s",
}
NAMED = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
LARGEST_INT = 2**53
LONG = 1000
PREVIEW = 60

Cell = Any
Cells = list[Any]


class _SharedError(Exception):
    """A part of a would-be fresh message is already known under a number of its own."""


def scalar(value: Any) -> Cell:
    """Return the cell of a value that is neither a string nor a container."""
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is int and -LARGEST_INT <= value <= LARGEST_INT:
        return (value,)
    if kind in (int, float, complex):
        return ("#", _number_text(value))
    return label(value)


def _number_text(value: float | complex) -> str:
    try:
        return repr(value)
    except ValueError:  # Python refuses to print an int of more than some thousand digits
        return f"an int of {int(value).bit_length()} bits"


def label(value: Any) -> str:
    """Return the text that stands for something that is not data, without asking the value itself."""
    if isinstance(value, type):
        return value.__name__
    kind = type(value).__name__
    return f"<{kind} {value.__name__}>" if isinstance(value, NAMED) else f"<{kind}>"


def is_message(value: Any) -> bool:
    """Say whether `value` looks like a message: a dict with a role."""
    return type(value) is dict and type(value.get("role")) is str


class Heap:
    """Every container of a run, with its versions.

    `step` is the number of the next step: rows written now show from there on. `cause` is the step whose statement is
    running. `rows` holds (step, number, cells or pool index); `causes` the cause of each row.
    """

    def __init__(self) -> None:
        self.step = 0
        self.cause = 0
        self.strings: list[str] = [""]
        self.pool: list[tuple[Any, ...]] = []
        self.rows: list[tuple[int, int, Any]] = []
        self.causes: list[int] = []
        self._string_refs: dict[str, int] = {}
        self._pool_index: dict[Any, int] = {}
        # By number: the object (kept alive, so that its id cannot be used again), and what it held last: its own cells,
        # or the number of the fresh message that it still is a part of.
        self._objects: list[Any] = [None]
        self._numbers: dict[int, int] = {}
        self._last: list[Cells | int] = [[]]
        self._whole: dict[int, int] = {}
        self._owned: set[int] = set()

    # Values to cells

    def string(self, text: str) -> int:
        ref = self._string_refs.get(text)
        if ref is None:
            ref = self._string_refs[text] = 2 * len(self.strings) + 1
            self.strings.append(text)
        return ref

    def cell(self, value: Any) -> Cell:
        """Return the cell of a value inside a container or an operand; a new container is recorded."""
        kind = type(value)
        if kind is str:
            return self.string(value)
        if kind in KINDS:
            return 2 * (self._numbers.get(id(value)) or self._add(value))
        return scalar(value)

    def variable(self, value: Any) -> Cell:
        """Return the cell of a variable's value: a long string that no container holds is only previewed."""
        kind = type(value)
        if kind is str:
            ref = self._string_refs.get(value)
            if ref is None and len(value) > LONG:
                return ("~", value[:PREVIEW], len(value))
            return ref or self.string(value)
        if kind in KINDS:
            return 2 * (self._numbers.get(id(value)) or self._add(value))
        return scalar(value)

    # Recording

    def touch(self, value: Any) -> None:
        """Record `value` again if it differs from its last version. Looks at the container itself only."""
        number = self._numbers.get(id(value))
        if number is None:
            self._add(value)
            return
        cells = self._encode(value)
        if cells != self._cells(number):
            self._last[number] = cells
            self._owned.discard(number)
            self._write(number, cells)

    def grew(self, value: Any) -> None:
        """Record that the list `value` may have got new items at its end, and nothing else."""
        number = self._numbers.get(id(value))
        if number is None:
            self._add(value)
            return
        last = self._cells(number)
        size = len(last) - 1
        if len(value) <= size:
            return
        added = [self.cell(item) for item in value[size:]]
        self._own(number).extend(added)
        self._write(number, ["+", size, *added])

    def replaced(self, value: Any, index: int) -> None:
        """Record that one item of the list `value` may have been replaced, and nothing else."""
        number = self._numbers.get(id(value))
        last = self._cells(number) if number else []
        if not number or len(value) != len(last) - 1 or not -len(value) <= index < len(value):
            self.touch(value)
            return
        index %= len(value)
        cell = self.cell(value[index])
        if cell != last[1 + index]:
            self._own(number)[1 + index] = cell
            self._write(number, ["=", index, cell])

    def rescan(self, root: Any) -> None:
        """Record every container below `root` that differs from its last version: unknown code may have changed it."""
        seen: set[int] = set()
        todo = [root]
        while todo:
            value = todo.pop()
            if type(value) not in KINDS or id(value) in seen:
                continue
            seen.add(id(value))
            if self._is_unchanged_message(value):
                continue
            self.touch(value)
            todo.extend(_children(value))

    def recheck(self) -> int:
        """Compare every known container with its record; record and count the differences that nobody reported."""
        before = len(self.rows)
        for number in range(1, len(self._objects)):
            value = self._objects[number]
            if number in self._whole:
                if not self._is_unchanged_message(value):
                    self.rescan(value)
            elif not isinstance(self._last[number], int):
                self.touch(value)
        return len(self.rows) - before

    def _own(self, number: int) -> Cells:
        """Return the last cells of a list for changing: a row that was written must stay as it is."""
        if number not in self._owned:
            self._last[number] = self._cells(number)[:]
            self._owned.add(number)
        return self._cells(number)

    def _write(self, number: int, cells: Any) -> None:
        self.rows.append((self.step, number, cells))
        self.causes.append(self.cause)

    def _encode(self, value: Any) -> Cells:
        return [KINDS[type(value)], *map(self.cell, _children(value))]

    def _add(self, root: Any) -> int:
        """Record a container that is not known yet, with everything new below it. Returns its number."""
        first = len(self._objects)
        if is_message(root) and self._add_message(root):
            return first
        self._register(root)
        # Children are only registered here and encoded in turn, so that deep nesting needs no deep recursion.
        todo = [root]
        while todo:
            value = todo.pop()
            for child in _children(value):
                if type(child) in KINDS and id(child) not in self._numbers:
                    if is_message(child) and self._add_message(child):
                        continue
                    self._register(child)
                    todo.append(child)
            number = self._numbers[id(value)]
            cells = self._last[number] = self._encode(value)
            self._write(number, cells)
        return first

    def _register(self, value: Any) -> None:
        self._numbers[id(value)] = len(self._objects)
        self._objects.append(value)
        self._last.append([])

    # Fresh messages

    def _add_message(self, message: dict[str, Any]) -> bool:
        """Record a message of which no part is known yet as one row. Returns False when that is not possible."""
        first = len(self._objects)
        try:
            nested = self._nested(message, first)
        except (_SharedError, RecursionError):
            for value in self._objects[first:]:
                del self._numbers[id(value)]
            del self._objects[first:], self._last[first:]
            return False
        self._whole[first] = index = self.pooled(nested)
        self._write(first, index)
        return True

    def _nested(self, value: Any, first: int) -> tuple[Any, ...]:
        """Register `value` and what it holds as parts of the message `first`; return their nested cells."""
        if id(value) in self._numbers:
            raise _SharedError
        self._numbers[id(value)] = len(self._objects)
        self._objects.append(value)
        self._last.append(first)
        refs = self._string_refs
        cells: Cells = [KINDS[type(value)]]
        add = cells.append
        for item in _children(value):
            kind = type(item)
            if kind is str:
                add(refs.get(item) or self.string(item))
            elif kind in KINDS:
                add(self._nested(item, first))
            else:
                add(scalar(item))
        return tuple(cells)

    def pooled(self, nested: tuple[Any, ...]) -> int:
        """Return the place of a message in the pool, given its nested cells."""
        index = self._pool_index.get(nested)
        if index is None:
            index = self._pool_index[nested] = len(self.pool)
            self.pool.append(nested)
        return index

    def _is_unchanged_message(self, value: Any) -> bool:
        number = self._numbers.get(id(value), 0)
        return number in self._whole and self._after_same(value, self.pool[self._whole[number]], number) > 0

    def _after_same(self, value: Any, nested: Any, number: int) -> int:
        """Compare container `number` of a fresh message with its record.

        Returns the number after its last part, or 0 when something differs.
        """
        if self._numbers.get(id(value)) != number:
            return 0
        children = _children(value)
        if len(children) != len(nested) - 1:
            return 0
        refs = self._string_refs
        after = number + 1
        position = 0
        for item in children:
            position += 1
            kind = type(item)
            if kind is str:
                if refs.get(item) != nested[position]:
                    return 0
            elif kind in KINDS:
                after = self._after_same(item, nested[position], after)
                if not after:
                    return 0
            elif scalar(item) != nested[position]:
                return 0
        return after

    def _cells(self, number: int) -> Cells:
        """Return the last cells of container `number`; if it was a part of a fresh message, it is no longer."""
        last = self._last[number]
        if isinstance(last, int):
            expand(self.pool[self._whole.pop(last)], last, self._last)
            last = self._last[number]
        assert not isinstance(last, int)
        return last


def expand(nested: Any, first: int, versions: Any) -> int:
    """Write the cells of a pool message whose containers are numbered from `first` into `versions`, by number.

    Returns the number after the last one.
    """
    after = first + 1
    cells = [nested[0]]
    for cell in nested[1:]:
        if isinstance(cell, (list, tuple)) and cell and cell[0] in ("d", "l", "t", "s"):
            cells.append(2 * after)
            after = expand(cell, after, versions)
        else:
            cells.append(cell)
    versions[first] = cells
    return after


def _children(value: Any) -> Any:
    """Return the contents of a container in the order in which they are written."""
    kind = type(value)
    if kind is list or kind is tuple:
        return value
    if isinstance(value, dict):
        return list(chain.from_iterable(value.items()))
    # The order of a set depends on the process, that of a recording must not.
    return sorted(value, key=_sort_key) if isinstance(value, (set, frozenset)) else value


def _sort_key(value: Any) -> tuple[str, str]:
    return type(value).__name__, repr(value)

"""The versioned heap: what every list, dict, tuple and set of a run held, and from which step on.

A container is encoded when it is first met, and again, shallowly, only after something that could change it.
So the record grows with what happens, not with steps times size. Values are written as cells:

    2 * n        container number n             [number]            a small whole number
    2 * n + 1    string number n                ["#", text]         any other number, as Python prints it
    null, true, false                           ["~", start, size]  a long string that only a variable holds
    "label"      something that is not data

A row holds all cells of a container, or a small change: ["+", size, cell...] when a list or dict with that
many items got new ones at its end, ["=", index, cell] when one cell was replaced, and
["-", index, removed, cell...] when so many items of a list gave way to others. Numbers start at 1, so that
no reference is equal to True or False. A fresh message is one row that names its place in the pool of
distinct messages; its containers take the next numbers in depth-first order.
"""

import types
from collections import Counter, OrderedDict, defaultdict, deque
from itertools import chain
from typing import Any

from ctxlab.messages.responses_parts import is_item_type

KINDS: dict[type, str] = {
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
NAMED = (types.FunctionType, types.BuiltinFunctionType)
LARGEST_INT = 2**53
LONG = 1000
PREVIEW = 60
# A message that is nested deeper is recorded container by container.
DEEPEST = 100
# Keys whose hash and equality are Python's own, so that looking one up asks nobody.
PLAIN_KEYS = (str, int, float, bool, type(None))

Cell = Any
Cells = list[Any]


class _NotFreshError(Exception):
    """A part of a would-be fresh message has a number of its own already, or stands too deep in it."""


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
        assert isinstance(value, int)
        return f"an int of {value.bit_length()} bits"


def label(value: Any) -> str:
    """Return the text that stands for something that is not data, without asking the value itself."""
    # By its type alone: isinstance may ask an object for its __class__.
    kind = type(value)
    name = name_of(value)
    if issubclass(kind, type):
        return name
    return f"<{kind.__name__} {name}>" if name else f"<{kind.__name__}>"


def name_of(value: Any) -> str:
    """Return the name of a function, a method or a class, and "" for anything else."""
    kind = type(value)
    if kind is types.MethodType:
        return name_of(value.__func__)
    return str(value.__name__) if kind in NAMED or issubclass(kind, type) else ""


def is_message(value: Any) -> bool:
    """Say whether `value` looks like a message: a dict with a role, or an item of the Responses API."""
    return type(value) is dict and (type(value.get("role")) is str or is_item_type(value.get("type")))


class Heap:
    """Every container of a run, with its versions.

    `step` is the number of the next step: rows written now show from there on. `cause` is the step whose
    statement is running. `rows` holds (step, number, cells or pool index); `causes` the cause of each row.
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
        # By number: the object (kept alive, so that its id cannot be used again), and what it held last: its
        # own cells, or the number of the fresh message that it still is a part of.
        self._objects: list[Any] = [None]
        self._numbers: dict[int, int] = {}
        self._last: list[Cells | int] = [[]]
        self._whole: dict[int, int] = {}
        # Dicts that may get a key when one is only asked for.
        self.growing: list[defaultdict[Any, Any]] = []
        self._owned: set[int] = set()
        self._key_places: dict[
            int, dict[Cell, int]
        ] = {}  # for some dicts, where among the cells each key stands

    # Values to cells

    def string(self, text: str) -> int:
        """Return the cell of a string, which is kept whole."""
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
        cells, last = self._encode(value), self._cells(number)
        if cells == last:
            return
        self._last[number] = cells
        self._owned.discard(number)
        self._key_places.pop(number, None)
        self._write(number, _change(last, cells))

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

    def look_at_growing(self, cause: int) -> None:
        """Record the dicts that got a key when one was asked for, by the statement of step `cause`."""
        self.cause = cause
        for value in self.growing:
            if len(value) != _items(self._cells(self._numbers[id(value)])):
                self.touch(value)

    def stored(self, value: Any, key: Any) -> None:
        """Record that the item of the list or dict `value` at `key` may have been set, and nothing else."""
        number = self._numbers.get(id(value))
        place = self._place_of(number, value, key) if number else None
        if not number or place is None:
            self.touch(value)
            return
        cell = self.cell(item_at(value, key))
        if place == len(self._cells(number)):
            added = [self.cell(key), cell]
            self._key_places[number][added[0]] = place
            self._own(number).extend(added)
            self._write(number, ["+", len(value) - 1, *added])
        elif cell != self._cells(number)[place]:
            self._own(number)[place] = cell
            self._write(number, ["=", place - 1, cell])

    def _place_of(self, number: int, value: Any, key: Any) -> int | None:
        """Return where among the cells of a container the item at `key` stands; just after them for a new key
        of a dict.

        None when that cannot be told without looking at all of it.
        """
        last = self._cells(number)
        if type(value) is list and type(key) is int:
            known = len(value) == len(last) - 1 and -len(value) <= key < len(value)
            return 1 + key % len(value) if known else None
        if KINDS.get(type(value)) != "d" or type(key) not in PLAIN_KEYS:
            return None
        places = self._key_places.get(number)
        if places is None:
            places = self._key_places[number] = {cell: at for at, cell in enumerate(last) if at % 2}
        place = places.get(self.cell(key))
        if place is not None:
            return place + 1 if len(value) == _items(last) else None
        return len(last) if len(value) == _items(last) + 1 and next(reversed(value)) is key else None

    def rescan(self, root: Any) -> None:
        """Record every container below `root` that differs from its last version: unknown code had it."""
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
        """Compare every known container with its record; record and count what differs unreported."""
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
        if type(value) is defaultdict:
            self.growing.append(value)

    # Fresh messages

    def _add_message(self, message: dict[str, Any]) -> bool:
        """Record a message of which no part is known yet as one row. Returns False if that is impossible."""
        first = len(self._objects)
        try:
            nested = self._nested(message, first)
        except (_NotFreshError, RecursionError):
            for value in self._objects[first:]:
                del self._numbers[id(value)]
            del self._objects[first:], self._last[first:]
            return False
        self._whole[first] = index = self.pooled(nested)
        self._write(first, index)
        return True

    def _nested(self, value: Any, first: int, depth: int = 0) -> tuple[Any, ...]:
        """Register `value` and what it holds as parts of the message `first`; return their nested cells."""
        if id(value) in self._numbers or depth > DEEPEST:
            raise _NotFreshError
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
                add(self._nested(item, first, depth + 1))
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
        for position, item in enumerate(children, 1):
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
        """Return the last cells of container `number`; a part of a fresh message is none from then on."""
        last = self._last[number]
        if isinstance(last, int):
            expand(self.pool[self._whole.pop(last)], last, self._last)
            last = self._last[number]
        assert not isinstance(last, int)
        return last


def _items(cells: Cells) -> int:
    """Return how many items the cells of a container make."""
    return (len(cells) - 1) // (2 if cells[0] == "d" else 1)


def item_at(value: Any, key: Any) -> Any:
    """Return the item of a list or dict at an index or a plain key, or None; no method is asked."""
    if type(value) is list:
        return value[key] if type(key) is int and -len(value) <= key < len(value) else None
    plain = KINDS.get(type(value)) == "d" and type(key) in PLAIN_KEYS
    return dict.get(value, key) if plain else None


def expand(nested: Any, first: int, versions: Any) -> int:
    """Write the cells of a pool message whose containers are numbered from `first` into `versions`, by
    number.

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


def _change(last: Cells, cells: Cells) -> Cells:
    """Return the shortest row that says how a container's cells have changed: what is new, or all of them."""
    if cells[0] not in ("d", "l"):
        return cells
    if cells[: len(last)] == last:
        return ["+", _items(last), *cells[len(last) :]]
    if cells[0] == "d":
        return cells
    start = common_start(last, cells)
    tail = common_start(last[start:][::-1], cells[start:][::-1])
    row = ["-", start - 1, len(last) - start - tail, *cells[start : len(cells) - tail]]
    return row if len(row) < len(cells) else cells


def common_start(left: list[Any], right: list[Any]) -> int:
    """Count the items that two lists have in common at their start."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


def _children(value: Any) -> Any:
    """Return the contents of a container in the order in which they are written."""
    kind = type(value)
    if kind is list or kind is tuple:
        return value
    if isinstance(value, dict):
        return list(chain.from_iterable(value.items()))
    # The order of a set depends on the process, that of a recording must not.
    return sorted(value, key=_sort_key) if isinstance(value, (set, frozenset)) else value


def _sort_key(value: Any) -> tuple[str, Any]:
    """Order the items of a set by type and value; objects are not asked for a text of theirs."""
    kind = type(value)
    if kind in (tuple, frozenset):
        return kind.__name__, [_sort_key(item) for item in _children(value)]
    return kind.__name__, value if kind is str else _number_text(value) if kind in (
        bool,
        int,
        float,
        complex,
    ) else ""

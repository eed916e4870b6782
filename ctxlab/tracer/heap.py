"""The versioned heap: what every list, dict, tuple and set of a run held, and from which step on.

A container is encoded when it is first met, and again, shallowly, only after something that could change it.
So the record grows with what happens, not with steps times size. Values are written as cells:

    2 * n        container number n             [number]            a small whole number
    2 * n + 1    string number n                ["#", text]         any other number, as Python prints it
    null, true, false                           ["~", start, size]  a long string that only a variable holds
    "label"      something that is not data

The cells of a container begin with its kind: "d", "l", "t" or "s", or "o:" and the name of its class for an
object that is shown with its fields (see `objects`); names and values follow as in a dict.

A row holds all cells of a container, or a small change: ["+", size, cell...] when a list, dict or object with
that many items got new ones at its end, ["=", index, cell] when one cell was replaced, and
["-", index, removed, cell...] when so many items of a list gave way to others. Numbers start at 1, so that
no reference is equal to True or False. A fresh message is one row that names its place in the pool of
distinct messages; its containers take the next numbers in depth-first order.
"""

import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from enum import Enum
from itertools import chain
from typing import Any

from ctxlab.messages.responses_parts import is_item_type
from ctxlab.tracer.objects import OBJECT, dict_of, fields_of, has_names, is_object

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
NAMED = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.MethodDescriptorType,
)
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
    """A part of a would-be fresh message has a number already, stands too deep in it, or is an object."""


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
    if issubclass(kind, Enum):
        return f"{kind.__name__}.{object.__getattribute__(value, '_name_')}"
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
    `shows(class)` says whether an object of that class is shown with its fields.
    """

    def __init__(self, shows: Callable[[type], bool] = lambda _: False) -> None:
        self.kinds = dict(KINDS)  # the kind of each type of container, classes of objects included
        self._shows = shows
        self._shown: dict[type, bool] = {}  # for each type that was met, what `shows` says
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
        # By the id of its `__dict__`, each object: a program may change the one by way of the other.
        self.owners: dict[int, Any] = {}
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
        if kind in self.kinds:
            return 2 * (self._numbers.get(id(value)) or self._add(value))
        cell = scalar(value)
        return 2 * self._add(value) if type(cell) is str and self.is_object(kind) else cell

    def variable(self, value: Any) -> Cell:
        """Return the cell of a variable's value: a long string that no container holds is only previewed."""
        kind = type(value)
        if kind is str:
            ref = self._string_refs.get(value)
            if ref is None and len(value) > LONG:
                return ("~", value[:PREVIEW], len(value))
            return ref or self.string(value)
        if kind in self.kinds:
            return 2 * (self._numbers.get(id(value)) or self._add(value))
        cell = scalar(value)
        return 2 * self._add(value) if type(cell) is str and self.is_object(kind) else cell

    def is_object(self, kind: type) -> bool:
        """Say whether values of this type are objects that are shown with their fields."""
        if kind not in self._shown:
            self._shown[kind] = self._shows(kind)
            if self._shown[kind]:
                self.kinds[kind] = f"{OBJECT}{kind.__name__}"
        return self._shown[kind]

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

    def touch_other_face(self, value: Any) -> None:
        """Record again the object whose `__dict__` this is, or the `__dict__` of this object."""
        face = self.owners.get(id(value)) if type(value) in KINDS else dict_of(value)
        if id(face) in self._numbers:
            self.touch(face)

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
            if type(value) not in self.kinds or id(value) in seen:
                continue
            seen.add(id(value))
            if self._is_unchanged_message(value):
                continue
            self.touch(value)
            kinds = self._kinds_in(value)
            todo.extend(child for child in _children(value) if type(child) in kinds)

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
        kind = self.kinds.get(type(value))
        if kind is None:  # an object that has become one of another class since it was met
            kind = self.kinds[type(value)] = f"{OBJECT}{type(value).__name__}"
        return [kind, *map(self._cell_in_set if kind == "s" else self.cell, _children(value))]

    def _kinds_in(self, value: Any) -> dict[type, str]:
        """Return the types of those containers in a container that have rows of their own."""
        return KINDS if type(value) in (set, frozenset) else self.kinds

    def _cell_in_set(self, value: Any) -> Cell:
        # Objects have no order of their own: in a set they are labels, or each run would number them anew.
        return label(value) if self.is_object(type(value)) else self.cell(value)

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
            kinds = self._kinds_in(value)
            for child in _children(value):
                if type(child) in kinds and id(child) not in self._numbers:
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
        elif type(value) not in KINDS:
            held = dict_of(value)
            if held is not None:
                self.owners[id(held)] = value

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
                cell = scalar(item)
                if type(cell) is str and self.is_object(kind):
                    raise _NotFreshError  # the pool has no objects
                add(cell)
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
    return (len(cells) - 1) // (2 if has_names(cells[0]) else 1)


def item_at(value: Any, key: Any) -> Any:
    """Return the item of a list or dict at an index or a plain key, or None; no method is asked.

    Of an object, that is a field.
    """
    if type(value) is list:
        return value[key] if type(key) is int and -len(value) <= key < len(value) else None
    if type(key) not in PLAIN_KEYS:
        return None
    if type(value) not in KINDS:
        return fields_of(value).get(key)
    return dict.get(value, key) if KINDS[type(value)] == "d" else None


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
    if cells[0] in ("t", "s"):
        return cells
    if cells[: len(last)] == last:
        return ["+", _items(last), *cells[len(last) :]]
    if is_object(cells[0]) and len(cells) == len(last):
        differing = [at for at, (old, new) in enumerate(zip(last, cells, strict=True)) if old != new]
        return cells if len(differing) > 1 else ["=", differing[0] - 1, cells[differing[0]]]
    if cells[0] != "l":
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
    # By its type, since isinstance may ask an object for its __class__.
    if issubclass(kind, dict):
        return list(chain.from_iterable(value.items()))
    if issubclass(kind, (set, frozenset)):
        # The order of a set depends on the process, that of a recording must not.
        return sorted(value, key=_sort_key)
    return value if kind is deque else list(chain.from_iterable(fields_of(value).items()))


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

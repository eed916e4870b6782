"""The versioned heap: what a row holds, and that only what changed is written again."""

import types
from collections import Counter, defaultdict
from enum import Enum

import pytest

from ctxlab.tracer.heap import DEEPEST, LARGEST_INT, Heap, expand, item_at, label, scalar


def said(text):
    return {"role": "user", "content": text}


def rows(heap):
    return [(number, cells) for _, number, cells in heap.rows]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, None),
        (True, True),
        (5, (5,)),
        (LARGEST_INT, (LARGEST_INT,)),
        (LARGEST_INT + 1, ("#", str(LARGEST_INT + 1))),
        (-0.0, ("#", "-0.0")),
        (float("nan"), ("#", "nan")),
        (1j, ("#", "1j")),
        (b"x", "<bytes>"),
        (range(3), "<range>"),
        (len, "<builtin_function_or_method len>"),
        (said, "<function said>"),
        ([].append, "<builtin_function_or_method append>"),
        (int, "int"),
        (types.SimpleNamespace(), "<SimpleNamespace>"),
    ],
)
def test_values_that_are_no_containers(value, cell):
    assert scalar(value) == cell


def test_a_method_of_a_callable_object_has_a_label():
    class Odd:
        def __call__(self, other):
            return other

        def method(self):
            return self

    assert label(types.MethodType(Odd(), 1)) == "<method>"
    assert label(Odd().method) == "<method method>"


class Colour(Enum):
    RED = 1


class Thing:
    __slots__ = ("__dict__", "first")

    def __init__(self, **fields):
        self.__dict__.update(fields)


def test_an_object_is_recorded_with_its_fields_where_its_class_is_shown():
    heap = Heap(lambda kind: kind is Thing)
    thing = Thing(a=1, b=Colour.RED)
    assert heap.cell([thing, types.SimpleNamespace()]) == 2
    assert rows(heap) == [
        (2, ["o:Thing", 3, (1,), 5, "Colour.RED"]),
        (1, ["l", 4, "<SimpleNamespace>"]),
    ]
    thing.a = 2
    heap.touch(thing)
    thing.first = 0
    heap.touch(thing)
    thing.c = [thing]
    thing.a = 3
    heap.touch(thing)
    assert rows(heap)[2:] == [
        (2, ["=", 1, (2,)]),
        (2, ["o:Thing", 7, (0,), 3, (2,), 5, "Colour.RED"]),
        (3, ["l", 4]),
        (2, ["o:Thing", 7, (0,), 3, (3,), 5, "Colour.RED", 9, 6]),
    ]
    thing.d = None
    heap.touch(thing)
    assert rows(heap)[-1] == (2, ["+", 4, 11, None])


def test_an_object_in_a_set_or_in_a_message_of_the_pool_is_a_label():
    heap = Heap(lambda kind: kind is Thing)
    heap.cell({Thing(), Thing()})
    assert rows(heap) == [(1, ["s", "<Thing>", "<Thing>"])]
    heap.rescan({Thing()})
    assert rows(heap)[1:] == [(2, ["s", "<Thing>"])]
    heap.cell(said([Thing(a=1)]))
    assert heap.pool == []
    assert rows(heap)[-1] == (5, ["o:Thing", heap.string("a"), (1,)])


def test_a_fresh_message_is_one_row_and_equal_ones_share_a_place():
    heap = Heap()
    history = [said([{"type": "text"}]), said([{"type": "text"}])]
    heap.cell(history)
    assert [cells for _, cells in rows(heap) if isinstance(cells, int)] == [0, 0]
    assert len(heap.pool) == 1
    number = next(number for number, cells in rows(heap) if cells == 0)
    parts = {}
    assert expand(heap.pool[0], number, parts) == number + 3
    assert parts[number + 1] == ["l", 2 * (number + 2)]


def test_a_message_whose_parts_are_known_is_written_part_by_part():
    heap = Heap()
    content = [1]
    heap.cell(content)
    heap.cell(said(content))
    assert heap.pool == []
    assert rows(heap)[-1][1][0] == "d"


def test_a_message_that_is_too_deep_is_written_part_by_part():
    heap = Heap()
    content = []
    for _ in range(DEEPEST + 1):
        content = [content]
    heap.cell(said(content))
    assert heap.pool == []
    assert len(heap.rows) == DEEPEST + 3


@pytest.mark.parametrize(
    ("change", "row"),
    [
        (lambda items: items.append(3), ["+", 2, (3,)]),
        (lambda items: items.extend([3, 4]), ["+", 2, (3,), (4,)]),
        (lambda items: items.insert(0, 3), ["l", (3,), (1,), (2,)]),
        (lambda items: items.clear(), ["l"]),
        (lambda items: None, None),
    ],
)
def test_touching_a_list_writes_what_changed(change, row):
    heap = Heap()
    items = [1, 2]
    heap.cell(items)
    change(items)
    heap.touch(items)
    heap.touch(items)
    assert [cells for _, cells in rows(heap)][1:] == ([] if row is None else [row])


def test_a_row_that_was_written_stays_as_it_was():
    heap = Heap()
    items = [1]
    heap.cell(items)
    for number in (2, 3):
        items.append(number)
        heap.grew(items)
    items[0] = 9
    heap.stored(items, 0)
    items[-1] = 8
    heap.stored(items, -1)
    items.pop()
    heap.touch(items)
    items.append(7)
    heap.grew(items)
    assert [cells for _, cells in rows(heap)] == [
        ["l", (1,)],
        ["+", 1, (2,)],
        ["+", 2, (3,)],
        ["=", 0, (9,)],
        ["=", 2, (8,)],
        ["l", (9,), (2,)],
        ["+", 2, (7,)],
    ]


def test_storing_in_a_dict_writes_one_item():
    heap = Heap()
    table = {"a": 1}
    heap.cell(table)
    for key, value in (("b", 2), ("a", 3), ("b", 2), (5, None), (True, 1)):
        table[key] = value
        heap.stored(table, key)
    a, b = heap.string("a"), heap.string("b")
    assert [cells for _, cells in rows(heap)] == [
        ["d", a, (1,)],
        ["+", 1, b, (2,)],
        ["=", 1, (3,)],
        ["+", 2, (5,), None],
        ["+", 3, True, (1,)],
    ]


def test_storing_after_something_else_changed_writes_all_of_it():
    heap = Heap()
    table, items = {"a": 1, "b": 2}, [1, 2, 3]
    heap.cell([table, items])
    written = len(heap.rows)
    del table["a"]
    table["c"] = 3
    heap.stored(table, "c")
    items.pop(0)
    items[0] = 5
    heap.stored(items, 0)
    last = [cells for _, cells in rows(heap)][written:]
    assert last == [["d", heap.string("b"), (2,), heap.string("c"), (3,)], ["l", (5,), (3,)]]


def test_storing_in_a_container_that_is_not_known_records_it():
    heap = Heap()
    items = [1]
    heap.stored(items, 0)
    heap.stored(deque_like := Counter("a"), "a")
    assert item_at(deque_like, "a") == 1
    assert [cells[0] for _, cells in rows(heap)] == ["l", "d"]


def test_a_rescan_looks_below_and_a_touch_does_not():
    heap = Heap()
    inner = [1]
    outer = [{"k": inner}]
    heap.cell(outer)
    inner.append(2)
    heap.touch(outer)
    assert len(heap.rows) == 3
    heap.rescan(outer)
    assert rows(heap)[-1][1] == ["+", 1, (2,)]


def test_the_last_check_finds_and_counts_what_nobody_reported():
    heap = Heap()
    messages = [said("a"), said("b")]
    heap.cell(messages)
    messages[1]["content"] = "c"
    messages.append(said("d"))
    assert heap.recheck() == 3
    assert heap.recheck() == 0


def test_an_object_that_is_gone_keeps_its_number():
    heap = Heap()
    numbers = {heap.cell([index]) for index in range(100)}
    assert len(numbers) == 100


def test_a_set_is_written_in_an_order_of_its_own():
    heap = Heap()
    heap.cell({3, "b", "a", None, (2, "x"), (1, "y")})
    strings = {heap.string(text): text for text in "abxy"}
    cells = next(cells for _, cells in rows(heap) if cells[0] == "s")
    assert [strings.get(cell, cell) for cell in cells[1:] if type(cell) is not int or cell % 2] == [
        None,
        (3,),
        "a",
        "b",
    ]


def test_a_default_dict_that_grew_when_it_was_asked():
    heap = Heap()
    table = defaultdict(list)
    heap.cell(table)
    table["new"]
    heap.look_at_growing(7)
    assert rows(heap)[-1][1][:2] == ["+", 0]
    assert heap.causes[-1] == 7


def test_a_long_text_is_previewed_until_a_container_holds_it():
    heap = Heap()
    text = "x" * 5000
    assert heap.variable(text) == ("~", "x" * 60, 5000)
    heap.cell([text])
    assert heap.variable(text) == heap.string(text)


def test_item_at_asks_no_method_of_a_subclass():
    class Loud(dict):
        def __getitem__(self, key):
            raise AssertionError(key)

    assert item_at(Loud(a=1), "a") is None
    assert item_at([1, 2], -1) == 2
    assert item_at([1, 2], 5) is None
    assert item_at({"a": 1}, "b") is None

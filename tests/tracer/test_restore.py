"""Values made again from cells: aliases, cycles, depth, and everything that may be a key."""

import pytest

from ctxlab.errors import TraceError
from ctxlab.tracer.heap import Heap
from ctxlab.tracer.restore import value_of
from ctxlab.tracer.traces import Moments


def again(value):
    heap = Heap()
    cell = heap.cell(value)
    steps, numbers, cells = ([row[column] for row in heap.rows] for column in range(3))
    deltas = [after - before for before, after in zip([0, *numbers], numbers, strict=False)]
    columns = {"step": steps, "object": deltas, "cells": cells}
    contents = Moments({"messages": heap.pool, "heap": columns}).at(0)
    return value_of(cell, contents, heap.strings)


@pytest.mark.parametrize(
    "value",
    [
        [1, 2.5, None, True, "text", "", -3, 2**70],
        {"a": {"b": [1]}, 1: (2, (3, ())), None: set(), (1, "x"): {2, "y"}, 2.5: [], False: 1.0},
        {frozenset({1, 2}): "frozen", (frozenset({3}), 4): {(5, 6)}},
        {frozenset({frozenset({1})})},
        [{"role": "user", "content": [{"type": "text", "text": "\ud800"}]}],
    ],
)
def test_values_come_back_as_they_were(value):
    assert again(value) == value


def test_what_stood_twice_is_one_object():
    inner, pair = [1], ([2],)
    back = again([inner, inner, pair, pair, {"k": inner}])
    assert back[0] is back[1] is back[4]["k"]
    assert back[2] is back[3]
    assert isinstance(back[3], tuple)


def test_values_that_contain_themselves():
    items = [1]
    items.append(items)
    back = again(items)
    assert back[1] is back
    held = []
    pair = (held, {"pair": held})
    held.append((pair, 5))
    back = again(pair)
    assert back[0][0][0] is back
    assert back[1]["pair"] is back[0]


def test_deep_values():
    deep, fixed = [], ()
    for _ in range(5000):
        deep, fixed = [deep], (fixed,)
    for value, kind in ((again(deep), list), (again(fixed), tuple)):
        depth = 0
        while value:
            value = value[0]
            depth += 1
            assert isinstance(value, kind)
        assert depth == 5000


def test_objects_come_back_as_their_labels():
    assert again([len, object(), int, b"x"]) == [
        "<builtin_function_or_method len>",
        "<object>",
        "int",
        "<bytes>",
    ]


def test_a_tuple_that_contains_itself_is_refused():
    with pytest.raises(TraceError, match="container 1, a tuple or set, contains itself"):
        value_of(2, {1: ["t", 2]}, [])
    with pytest.raises(TraceError, match="contains itself"):
        value_of(2, {1: ["t", 4], 2: ["s", 2]}, [])


@pytest.mark.parametrize("contents", [{1: ["d", 4, 3], 2: ["l"]}, {1: ["s", 4], 2: ["d"]}])
def test_a_key_that_can_be_changed_is_refused(contents):
    with pytest.raises(TraceError, match="a list or dict stands as a key or in a set"):
        value_of(2, contents, ["", "x"])

"""Histories that objects keep in their fields: where they are, while a recording is replayed."""

from collections import deque
from collections.abc import Iterator

from ctxlab.tracer.heap import Cell
from ctxlab.tracer.objects import is_object
from ctxlab.tracer.replay import Replay, is_container

# The number of an object, and the name of one of its fields.
Field = tuple[int, Cell]


def is_object_cell(replay: Replay, cell: Cell) -> bool:
    """Say whether a cell refers to an object."""
    return is_container(cell) and is_object(replay.cells(cell // 2)[0])


def values_of(replay: Replay, cell: Cell) -> list[Cell]:
    """Return what the fields of an object hold; [] for anything else."""
    return replay.cells(cell // 2)[2::2] if is_object_cell(replay, cell) else []


def value_of_field(replay: Replay, field: Field) -> Cell:
    """Return what a field holds now, or None."""
    number, name = field
    cells = replay.cells(number)
    return next((value for key, value in zip(cells[1::2], cells[2::2], strict=True) if key == name), None)


def history_field(replay: Replay, cell: Cell, but: Cell = None) -> Field | None:
    """Return the first field of an object, or of one that it holds, with a history that is not empty.

    `but` is a history that does not count.
    """
    for number, name, value in _fields_below(replay, cell):
        if value != but and replay.messages(value):
            return number, name
    return None


def _fields_below(replay: Replay, cell: Cell) -> Iterator[tuple[int, Cell, Cell]]:
    """Yield object, name and value of each field of an object, then of the objects in its fields."""
    seen = set()
    waiting = deque([cell])
    while waiting:
        cell = waiting.popleft()
        if cell in seen or not is_object_cell(replay, cell):
            continue
        seen.add(cell)
        names, values = replay.cells(cell // 2)[1::2], values_of(replay, cell)
        for name, value in zip(names, values, strict=True):
            yield cell // 2, name, value
        waiting.extend(values)

"""Cells back to values, and values as a reader sees them."""

import json
from typing import Any

from ctxlab.messages.wording import visible
from ctxlab.tracer.heap import Cell, Cells
from ctxlab.tracer.objects import class_name, is_object

SHOWN_CHARS = 40
SHOWN_ITEMS = 3
# What a run returned has a place of its own, with more room.
RESULT_CHARS = 200
RESULT_ITEMS = 6
RESULT_DEPTH = 2  # of lists in a dict


def message_value(nested: Any, strings: list[str]) -> Any:
    """Return the value of a message in the pool. What is not data stands as its label."""
    kind, *cells = nested
    values = [_nested_value(cell, strings) for cell in cells]
    return dict(zip(map(_key, values[::2]), values[1::2], strict=True)) if kind == "d" else values


def _nested_value(cell: Cell, strings: list[str]) -> Any:
    if isinstance(cell, (list, tuple)) and cell and cell[0] in ("d", "l", "t", "s"):
        return message_value(cell, strings)
    return scalar_value(cell, strings)


def scalar_value(cell: Cell, strings: list[str]) -> Any:
    """Return the value of a cell that is no container."""
    if type(cell) is int:
        return strings[cell // 2]
    if isinstance(cell, (list, tuple)):
        return _number(cell[1]) if cell[0] == "#" else cell[0]
    return cell


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _key(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def described_result(cell: Cell, strings: list[str], contents: dict[int, Cells]) -> str:
    """Return what a run returned in words: as `describe` does, but a dict of plain values and lists whole."""
    kind, *cells = _held(cell, contents)
    has_dicts = any(_held(part, contents)[0] == "d" for part in cells)
    if kind != "d" or not 0 < len(cells) <= 2 * RESULT_ITEMS or has_dicts:
        return describe(cell, strings, contents)
    words = [_of_result(part, strings, contents, RESULT_DEPTH) for part in cells]
    return f"{{{', '.join(f'{key}: {value}' for key, value in zip(words[::2], words[1::2], strict=True))}}}"


def _held(cell: Cell, contents: dict[int, Cells]) -> Cells:
    """Return the kind and the cells of a container; [""] for any other cell."""
    return contents[cell // 2] if type(cell) is int and cell % 2 == 0 else [""]


def _of_result(cell: Cell, strings: list[str], contents: dict[int, Cells], depth: int) -> str:
    """Return a part of a result: texts with more room, and short lists and tuples down to `depth` in full."""
    kind, *cells = _held(cell, contents)
    if kind in ("l", "t") and len(cells) <= RESULT_ITEMS and depth:
        inner = ", ".join(_of_result(part, strings, contents, depth - 1) for part in cells)
        return f"[{inner}]" if kind == "l" else f"({inner})"
    if type(cell) is int and cell % 2:
        text = strings[cell // 2]
        return quoted(text, len(text), RESULT_CHARS)
    return describe(cell, strings, contents)


def describe(cell: Cell, strings: list[str], contents: "dict[int, Cells] | Any") -> str:
    """Return a value in the words of a sentence: numbers and short texts in full, containers by their length.

    `contents[number]` are the cells of a container.
    """
    if cell is None or cell is True or cell is False:
        return str(cell)
    if type(cell) is str:
        return cell
    if type(cell) is int:
        if cell % 2:
            return quoted(strings[cell // 2], len(strings[cell // 2]))
        return _container(contents[cell // 2], strings)
    if cell[0] == "~":
        return quoted(cell[1], cell[2])
    return str(cell[1] if cell[0] == "#" else cell[0])


def _container(held: Cells, strings: list[str]) -> str:
    """Return a short list or object of numbers and texts in full, any other container by its length."""
    kind, *cells = held
    if is_object(kind):
        return _object(visible(class_name(kind)), cells, strings)
    holds_containers = any(type(cell) is int and cell % 2 == 0 for cell in cells)
    if kind != "d" and 0 < len(cells) <= SHOWN_ITEMS and not holds_containers:
        inner = ", ".join(describe(cell, strings, {}) for cell in cells)
        if len(inner) <= SHOWN_CHARS:
            return {"l": f"[{inner}]", "t": f"({inner})", "s": f"{{{inner}}}"}[kind]
    name = {"d": "dict", "l": "list", "t": "tuple", "s": "set"}[kind]
    return f"a {name} of {len(cells) // 2 if kind == 'd' else len(cells)}"


def _object(name: str, cells: Cells, strings: list[str]) -> str:
    """Return an object of few short fields in full, as its class is called; any other by their number."""
    size = len(cells) // 2
    if size <= SHOWN_ITEMS and not any(type(cell) is int and cell % 2 == 0 for cell in cells):
        values = (describe(cell, strings, {}) for cell in cells[1::2])
        keys = (visible(strings[cell // 2]) for cell in cells[::2])
        shown = ", ".join(f"{key}={value}" for key, value in zip(keys, values, strict=True))
        if len(shown) <= SHOWN_CHARS:
            return f"{name}({shown})"
    return f"{name} with {size} field{'' if size == 1 else 's'}"


def quoted(text: str, length: int, most: int = SHOWN_CHARS) -> str:
    """Return the start of a text of `length` characters in double quotes, with unseen characters escaped."""
    shown = visible(json.dumps(text[:most], ensure_ascii=False))
    return shown if length <= most else f'{shown[:-1]}…" ({length} characters)'

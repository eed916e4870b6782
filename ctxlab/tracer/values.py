"""Cells back to values, and values as a reader sees them."""

import json
from typing import Any

from ctxlab.tracer.heap import Cell, Cells

SHOWN_CHARS = 40
SHOWN_ITEMS = 3
# What a run returned has a place of its own, with more room.
RESULT_CHARS = 200
RESULT_ITEMS = 6

ESCAPES = {"\n": "\\n", "\t": "\\t"}


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
    """Return what a run returned in words: as `describe` does, but a dict of plain values in full."""
    if type(cell) is int and cell % 2 == 0:
        kind, *cells = contents[cell // 2]
        pairs = [(cells[at], cells[at + 1]) for at in range(0, len(cells), 2)] if kind == "d" else []
        if 0 < len(pairs) <= RESULT_ITEMS and not any(type(part) is int and part % 2 == 0 for part in cells):
            items = (": ".join(_plain(part, strings) for part in pair) for pair in pairs)
            return f"{{{', '.join(items)}}}"
    return describe(cell, strings, contents)


def _plain(cell: Cell, strings: list[str]) -> str:
    if type(cell) is int:
        text = strings[cell // 2]
        return quoted(text, len(text), RESULT_CHARS)
    return describe(cell, strings, {})


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
    """Return a short list of numbers and texts in full, any other container by its length."""
    kind, *cells = held
    holds_containers = any(type(cell) is int and cell % 2 == 0 for cell in cells)
    if kind != "d" and 0 < len(cells) <= SHOWN_ITEMS and not holds_containers:
        inner = ", ".join(describe(cell, strings, {}) for cell in cells)
        if len(inner) <= SHOWN_CHARS:
            return {"l": f"[{inner}]", "t": f"({inner})", "s": f"{{{inner}}}"}[kind]
    name = {"d": "dict", "l": "list", "t": "tuple", "s": "set"}[kind]
    return f"a {name} of {len(cells) // 2 if kind == 'd' else len(cells)}"


def quoted(text: str, length: int, most: int = SHOWN_CHARS) -> str:
    """Return the start of a text of `length` characters in double quotes, with unseen characters escaped."""
    shown = visible(json.dumps(text[:most], ensure_ascii=False))
    return shown if length <= most else f'{shown[:-1]}…" ({length} characters)'


def visible(text: str) -> str:
    """Return `text` on one line; characters that are not seen, or turn the text around, become escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ESCAPES.get(char, f"\\u{ord(char):04x}") for char in text)

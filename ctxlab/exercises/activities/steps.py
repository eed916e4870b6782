"""The numbered steps of a function, in its own words, and what each of them needs before it."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeGuard

from ctxlab.tracer.source import LABEL, find_source


@dataclass(frozen=True)
class Need:
    """An earlier step that must come first, by its index, and why (a sentence, or "")."""

    step: int
    why: str


@dataclass(frozen=True)
class Step:
    """A step: its label without the number, and its needs, those that say most first."""

    text: str
    needs: tuple[Need, ...]


def steps_of(function: Callable[..., Any]) -> list[Step]:
    """Return the steps of a function, whose source numbers them in comments such as `# 1. Split.`."""
    assert isinstance(function, FunctionType)
    source = find_source(function)
    last_line = source.node.end_lineno or source.first_line
    labels = {
        line: text
        for line, text in source.comments.own.items()
        if source.first_line <= line <= last_line and LABEL.match(text)
    }
    starts = list(labels)
    ends = [*(line - 1 for line in starts[1:]), last_line]
    parts = [_Part(source.node, *lines) for lines in zip(starts, ends, strict=True)]
    return [
        Step(_without_number(text), tuple(_needs(parts, index))) for index, text in enumerate(labels.values())
    ]


def _without_number(label: str) -> str:
    text = LABEL.sub("", label, count=1)
    return text if text.endswith("...") else text.removesuffix(".")


class _Part:
    """The lines of one step: which names they read, set and change, and whether they can end the function."""

    def __init__(self, function: ast.FunctionDef, first: int, last: int) -> None:
        nodes = [node for node in ast.walk(function) if first <= getattr(node, "lineno", 0) <= last]
        names = [node for node in nodes if isinstance(node, ast.Name)]
        self.sets = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        self.reads = [name.id for name in names if isinstance(name.ctx, ast.Load)]
        self.changes = {
            node.value.id for node in nodes if _puts_in(node) and isinstance(node.value, ast.Name)
        }
        self.can_end = any(isinstance(node, (ast.Return, ast.Raise)) for node in nodes)


def _puts_in(node: ast.AST) -> TypeGuard[ast.Subscript | ast.Attribute]:
    """Say whether something is put into a value here: `items[0] = ...`, or `items.append`."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("append", "extend")
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)


def _needs(parts: list[_Part], index: int) -> list[Need]:
    """Return every earlier step with the best reason why it comes first, the best reasons at the front."""
    before = range(index - 1, -1, -1)
    used: dict[int, list[str]] = {}
    for name in dict.fromkeys(parts[index].reads):
        maker = next((step for step in before if name in parts[step].sets), None)
        if maker is not None:
            used.setdefault(maker, []).append(name)
    makes = [
        Need(step, f"It makes {' and '.join(used[step])}, which this step uses.")
        for step in before
        if step in used
    ]
    changed = {step: sorted(parts[step].changes & set(parts[index].reads)) for step in before}
    changes = [
        Need(step, f"It changes {' and '.join(changed[step])}, which this step uses.")
        for step in before
        if changed[step] and step not in used
    ]
    others = [step for step in before if step not in used and not changed[step]]
    ends = [
        Need(step, "The run can end there, and then this step must not run.")
        for step in others
        if parts[step].can_end
    ]
    return [*makes, *changes, *ends, *(Need(step, "") for step in others if not parts[step].can_end)]

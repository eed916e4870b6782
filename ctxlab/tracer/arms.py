"""What a condition decides about: the lines of an `if`, a `while` or a `case`, and those of its `else`."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Arm:
    """The lines that run after one of the answers.

    `plain`: they only give values to variables, or they are what is left when an early return was not taken.
    """

    lines: range
    plain: bool


@dataclass(frozen=True)
class Branch:
    """A statement that decides: what runs after a yes and after a no, and whether it asks again and again."""

    yes: Arm
    no: Arm
    loop: bool


def branches(source: dict[str, Any]) -> dict[tuple[int, str], Branch]:
    """Return the branches of a source of trace data, by the line and the text of their conditions.

    A condition inside an expression decides about no lines and is left out, and so is every condition of a
    text that cannot be read.
    """
    text, first_line = source["text"], source["first_line"]
    if text[:1].isspace():
        # A text in it that begins further to the left has kept the function from being moved to the margin.
        text, first_line = f"class _:\n{text}", first_line - 1
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    shift = first_line - 1
    found = {}
    otherwise = dict(_after_early_returns(tree))
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.While)):
            key = node.test.lineno + shift, ast.unparse(node.test)
            loop = isinstance(node, ast.While)
            no = _arm(node.orelse, shift)
            if node in otherwise:
                no = replace(_arm(otherwise[node], shift), plain=True)
            found[key] = Branch(_arm(node.body, shift), no, loop)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                pattern = f"match {ast.unparse(node.subject)}: case {ast.unparse(case.pattern)}"
                key = case.pattern.lineno + shift, pattern
                found[key] = Branch(_arm(case.body, shift), _arm([], shift), loop=False)
    return found


def _after_early_returns(tree: ast.AST) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    """Yield each `if` that may return early, and the statements after it in its block."""
    blocks = [
        block
        for node in ast.walk(tree)
        for _, block in ast.iter_fields(node)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt)
    ]
    for block in blocks:
        for place, statement in enumerate(block):
            if isinstance(statement, ast.If) and not statement.orelse and _returns(statement.body):
                yield statement, block[place + 1 :]


def _returns(statements: list[ast.stmt]) -> bool:
    return isinstance(statements[-1], ast.Return)


def _arm(statements: list[ast.stmt], shift: int) -> Arm:
    if not statements:
        return Arm(range(0), plain=True)
    last = statements[-1]
    lines = range(statements[0].lineno + shift, (last.end_lineno or last.lineno) + shift + 1)
    return Arm(lines, all(map(_is_plain, statements)))


def _is_plain(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, ast.Name) for target in statement.targets)
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        return isinstance(statement.target, ast.Name)
    return isinstance(statement, ast.Pass)

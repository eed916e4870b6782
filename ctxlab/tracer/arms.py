"""What a condition decides about: the lines of an `if`, a `while` or a `case`, and those of its `else`."""

import ast
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Arm:
    """The lines that run after one of the answers. `plain`: they only give values to variables."""

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
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.While)):
            key = node.test.lineno + shift, ast.unparse(node.test)
            loop = isinstance(node, ast.While)
            found[key] = Branch(_arm(node.body, shift), _arm(node.orelse, shift), loop)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                pattern = f"match {ast.unparse(node.subject)}: case {ast.unparse(case.pattern)}"
                key = case.pattern.lineno + shift, pattern
                found[key] = Branch(_arm(case.body, shift), _arm([], shift), loop=False)
    return found


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

"""The canonical form of a condition, so that two ways of writing the same question can be known as one.

`not` and the negated operators are folded: `a > b` is the opposite of `a <= b`, `a or b` that of
`not a and not b`. The order of what is joined, and of the sides of `==` and `is`, does not count. Neither
does the way in which one asks whether something is empty (`not x`, `len(x) == 0`) or whether a number is
even.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ctxlab.tracer.instrument import OPERATORS
from ctxlab.tracer.values import quoted

# Each of these is the opposite of the other.
OPPOSITES = {"!=": "==", ">": "<=", ">=": "<", "is not": "is", "not in": "in"}
SYMMETRIC = ("==", "is")
# Whether something is empty is whether it is false, however its length is asked for.
FILLED = {
    "len(_) == 0": False,
    "0 == len(_)": False,
    "len(_) <= 0": False,
    "len(_) < 1": False,
    "0 < len(_)": True,
    "1 <= len(_)": True,
}


@dataclass(frozen=True)
class Operand:
    """A side of a comparison, or an expression taken as true or false.

    Its value is that at `slot` in the values of the decision, `words` if it is a constant, else unknown.
    """

    text: str
    slot: int | None = None
    words: str | None = None


@dataclass(frozen=True)
class Atom:
    """A condition without `and`, `or` and `not`. `positive`: it speaks for a yes of the whole condition.

    With two operands `operator` is <, <=, ==, is or in. With one it is the name of the function that was
    called, or "".
    """

    operator: str
    operands: tuple[Operand, ...]
    positive: bool


@dataclass(frozen=True)
class Condition:
    """All of `terms` together, if `positive`, else the opposite of that; and the atoms that it is made of."""

    terms: tuple[str, ...]
    positive: bool
    atoms: tuple[Atom, ...]

    def opposite(self) -> "Condition":
        """Return the condition that holds when this one does not."""
        atoms = tuple(replace(atom, positive=not atom.positive) for atom in self.atoms)
        return Condition(self.terms, not self.positive, atoms)


def condition(site: dict[str, Any]) -> Condition:
    """Return the canonical form of the condition at a site of trace data.

    A case of `match`, and a text that does not fit its parts, is taken as it is.
    """
    parts = site["parts"]
    try:
        tree = ast.parse(site["source"], mode="eval").body
        texts = [ast.unparse(leaf) for leaf in _leaves(tree)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        texts = []
    if texts != [part["source"] for part in parts]:
        whole = Operand(parts[0]["source"], 1 if len(parts[0]["pieces"]) > 1 else None)
        return Condition((site["source"],), True, (Atom(site["source"], (whole,), True),))
    return _read(tree, _slots(parts))


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of a condition that are evaluated on their own, in their order."""
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _leaves(value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _leaves(node.operand)
    else:
        yield node


def _slots(parts: list[dict[str, Any]]) -> Iterator[Iterator[int]]:
    """Yield, for each part, the places of its operands; the place before them is that of its truth."""
    first = 1
    for part in parts:
        count = sum(isinstance(piece, int) for piece in part["pieces"])
        yield iter(range(first, first + count))
        first += 1 + count


def _read(node: ast.expr, slots: Iterator[Iterator[int]]) -> Condition:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _read(node.operand, slots).opposite()
    if isinstance(node, ast.BoolOp):
        joined = [_read(value, slots) for value in node.values]
        if isinstance(node.op, ast.And):
            return _all_of(joined)
        return _all_of(part.opposite() for part in joined).opposite()
    own = next(slots)
    if not isinstance(node, ast.Compare):
        return _truth(node, next(own, None))
    nodes = [node.left, *node.comparators]
    operands = [_operand(side, own) for side in nodes]
    # a < b < c asks two things.
    return _all_of(
        _comparison(OPERATORS[type(operator)], nodes[at : at + 2], operands[at : at + 2])
        for at, operator in enumerate(node.ops)
    )


def _all_of(conditions: Iterable[Condition]) -> Condition:
    joined = list(conditions)
    if len(joined) == 1:
        return joined[0]
    terms: set[str] = set()
    for one in joined:
        terms.update(one.terms if one.positive else [f"not ({' and '.join(one.terms)})"])
    return Condition(tuple(sorted(terms)), True, tuple(atom for one in joined for atom in one.atoms))


def _operand(node: ast.expr, slots: Iterator[int]) -> Operand:
    if isinstance(node, ast.Constant):
        return Operand(ast.unparse(node), None, _words(node.value))
    return Operand(_text(node), next(slots, None))


def _text(node: ast.expr) -> str:
    """Return an expression as written, without the name that it gives to its value."""
    return ast.unparse(node.value if isinstance(node, ast.NamedExpr) else node)


def _words(constant: Any) -> str:
    """Return a constant as the value of an operand is described."""
    return quoted(constant, len(constant)) if isinstance(constant, str) else repr(constant)


def _truth(node: ast.expr, slot: int | None) -> Condition:
    operand = Operand(_text(node), slot)
    if _is_parity(node):
        return _equal(operand, Operand("0", None, "0")).opposite()
    return _single(operand.text, Atom(_called(node), (operand,), True))


def _called(node: ast.expr) -> str:
    """Return the name of the function or method that an expression calls, or ""."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _comparison(symbol: str, nodes: list[ast.expr], operands: list[Operand]) -> Condition:
    if symbol in OPPOSITES:
        return _comparison(OPPOSITES[symbol], nodes, operands).opposite()
    left, right = operands
    sides = ["len(_)" if _is_length(node) else _text(node) for node in nodes]
    filled = FILLED.get(f"{sides[0]} {symbol} {sides[1]}")
    if filled is not None:
        length = next(node for node in nodes if isinstance(node, ast.Call))
        # Of the container itself no value was recorded.
        found = _truth(length.args[0], None)
        return found if filled else found.opposite()
    if symbol == "==" and _is_parity(nodes[0]) and right.text == "1":
        return _equal(left, Operand("0", None, "0")).opposite()
    if symbol in SYMMETRIC:
        return _equal(left, right, symbol)
    if symbol == "<":
        # As a term, the opposite of <=; as an atom, strictness counts: it is what a slip changes.
        return Condition((f"{right.text} <= {left.text}",), False, (Atom("<", (left, right), True),))
    return _single(f"{left.text} {symbol} {right.text}", Atom(symbol, (left, right), True))


def _equal(left: Operand, right: Operand, symbol: str = "==") -> Condition:
    first, second = sorted((left.text, right.text))
    return _single(f"{first} {symbol} {second}", Atom(symbol, (left, right), True))


def _single(term: str, atom: Atom) -> Condition:
    return Condition((term,), True, (atom,))


def _is_length(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
        and len(node.args) == 1
    )


def _is_parity(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and isinstance(node.right, ast.Constant)
        and node.right.value == 2
    )

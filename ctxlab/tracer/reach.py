"""Which functions are traced: the entry function, functions of its own module or notebook that it names, and
those of the reference package. Everything else is opaque: its calls are recorded, its lines are not."""

import ast
import types
from typing import Any

from ctxlab.errors import TraceError
from ctxlab.tracer.instrument import Traced, assigned_names
from ctxlab.tracer.source import find_source

TRACED_PACKAGE = "ctxlab.reference"


def reachable(entry: types.FunctionType) -> tuple[list[Traced], list[str]]:
    """Return the functions to trace, the entry first, and notes on those that cannot be traced."""
    found: dict[types.FunctionType, Traced] = {entry: Traced(entry, find_source(entry), {})}
    notes: list[str] = []
    skipped: set[str] = set()
    todo = [entry]
    for function in todo:
        traced = found[function]
        own = assigned_names(traced.source)
        for name in _named(traced.source.node):
            callee = None if name in own else _resolved(function, name)
            if not isinstance(callee, types.FunctionType) or not _is_ours(callee, entry) or name in skipped:
                continue
            if callee not in found:
                try:
                    if hasattr(callee, "__wrapped__"):
                        raise TraceError(f"{name}: a decorated function is called as it is")
                    found[callee] = Traced(callee, find_source(callee), {})
                    todo.append(callee)
                except TraceError as error:
                    skipped.add(name)
                    notes.append(f"not traced: {error}")
                    continue
            traced.callees[name] = list(found).index(callee)
    return list(found.values()), notes


def _named(function: ast.FunctionDef) -> list[str]:
    """Return the names that the body of a function reads, in the order of their first use."""
    nodes = [
        node for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.Name)
    ]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(node.id for node in nodes if isinstance(node.ctx, ast.Load)))


def _resolved(function: types.FunctionType, name: str) -> Any:
    """Return what a name means to a function, or None."""
    closure = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if name in closure:
        try:
            return closure[name].cell_contents
        except ValueError:  # not bound yet
            return None
    return function.__globals__.get(name)


def _is_ours(function: types.FunctionType, entry: types.FunctionType) -> bool:
    module = function.__module__ or ""
    return function.__globals__ is entry.__globals__ or f"{module}.".startswith(f"{TRACED_PACKAGE}.")

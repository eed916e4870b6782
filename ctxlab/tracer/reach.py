"""Which functions are traced: the entry function, functions of its own module or notebook that it names, and
those of the reference package, also where one is an argument of the call. Everything else is opaque: its
calls are recorded, its lines are not."""

import ast
import types
from collections.abc import Iterable
from typing import Any

from ctxlab.errors import TraceError
from ctxlab.tracer.instrument import Traced, assigned_names
from ctxlab.tracer.source import find_source

TRACED_PACKAGE = "ctxlab.reference"
# Writing snapshots is the work of the disk, which like a model stands outside of what is studied.
OUTSIDE = frozenset({"ctxlab.reference.archive"})


def reachable(entry: types.FunctionType, arguments: Iterable[Any] = ()) -> tuple[list[Traced], list[str]]:
    """Return the functions to trace, the entry first, and notes on those that cannot be traced.

    Of the `arguments` of the call, those that are functions of the reference package are traced too.
    """
    found: dict[types.FunctionType, Traced] = {entry: Traced(entry, find_source(entry), {})}
    notes: list[str] = []
    skipped: set[str] = set()
    todo = [entry]

    def is_found(function: types.FunctionType, name: str) -> bool:
        """Say whether a function is traced; one met for the first time is found, or skipped with a note."""
        if function not in found:
            try:
                if hasattr(function, "__wrapped__"):
                    raise TraceError(f"{name}: a decorated function is called as it is")
                found[function] = Traced(function, find_source(function), {})
                todo.append(function)
            except TraceError as error:
                skipped.add(name)
                notes.append(f"not traced: {error}")
        return function in found

    for argument in arguments:
        if is_reference(argument):
            is_found(argument, argument.__name__)
    for function in todo:
        traced = found[function]
        own = assigned_names(traced.source)
        for name in _named(traced.source.node):
            callee = None if name in own else _resolved(function, name)
            if not isinstance(callee, types.FunctionType) or name in skipped:
                continue
            # What a function of the reference was given by someone else stays opaque, as any argument does.
            is_own = callee.__globals__ is entry.__globals__ is function.__globals__
            if (is_own or is_reference(callee)) and is_found(callee, name):
                traced.callees[name] = list(found).index(callee)
    return list(found.values()), notes


def is_reference(value: Any) -> bool:
    """Say whether a value is a function of the reference package that works on a history in memory."""
    # By its type, since isinstance may ask an object for its __class__.
    if type(value) is not types.FunctionType:
        return False
    module = value.__module__ or ""
    return f"{module}.".startswith(f"{TRACED_PACKAGE}.") and module not in OUTSIDE


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

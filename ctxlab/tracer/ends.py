"""The ways in which a traced function can end, as its source names them: the options of a prediction.

A function may say by a word how it ended: it returns a text, or a dict with a text under "status". Where its
source writes that word down, each word is an end of its own.
"""

import ast
from typing import Any

from ctxlab.tracer.diagram import called_as, diagrams, function_tree, is_method
from ctxlab.tracer.traces import Trace

RETURNS = "returns"
LONGEST_WORD = 40
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def ends(trace: Trace) -> list[str]:
    """Return the ways in which the entry function can end, without doubles.

    First "returns", or "returns: word" for each word, then "refuses: code" or "raises Type" for each refusal
    of the entry function and of the traced functions that it reaches, in the order of the sources. A function
    that ends with a word makes one of what is raised inside a `try`, so there no refusal is an end.
    """
    words = returned_words(trace)
    returns = [RETURNS] if not words or None in words.values() else []
    returns += [f"{RETURNS}: {word}" for word in words.values() if word is not None]
    made = diagrams(trace)
    reached = _reached_unguarded(trace.data["sources"]) if words else range(len(made))
    labels = [node.label for number in reached for node in made[number].nodes if node.kind == "refusal"]
    named = [label for label in labels if label not in ("refuses", "raises")]
    return list(dict.fromkeys([*returns, *named]))


def ending(trace: Trace) -> str:
    """Return how the run ended, in the words of `ends`; it is one of those unless no source names it."""
    outcome = trace.data["outcome"]
    if outcome["kind"] == "returned":
        value = trace.value(outcome["value"], len(trace.data["steps"]["place"]))
        word = value.get("status") if isinstance(value, dict) else value
        is_named = isinstance(word, str) and word in returned_words(trace).values()
        return f"{RETURNS}: {word}" if is_named else RETURNS
    return {
        "refused": f"refuses: {outcome['code']}",
        "error": f"raises {outcome['type']}",
        "step_limit": "reaches the step limit",
    }[outcome["kind"]]


def returned_words(trace: Trace) -> dict[int, str | None]:
    """Return for the line of each `return` of the entry function the word that it returns, or None.

    It is empty where none of them has a word. The end of the function counts as a return of None.
    """
    source, *others = trace.data["sources"]
    function = function_tree(source)
    if function is None:
        return {}
    helpers = {other["name"]: tree for other in others if (tree := function_tree(other))}
    words = {node.lineno: _word(node.value, helpers) for node in _returns(function)}
    words |= {node.line: None for node in diagrams(trace)[0].nodes if node.kind == "end"}
    return words if any(words.values()) else {}


def _reached_unguarded(sources: list[dict[str, Any]]) -> list[int]:
    """Return the places of the entry function and of those that it reaches by calls outside of a `try`."""
    named = [(source["name"], place) for place, source in reversed([*enumerate(sources)])]
    functions = {called_as(name): place for name, place in named if not is_method(name)}
    methods = {called_as(name): place for name, place in named if is_method(name)}
    found = {0}
    waiting: list[Any] = [function_tree(sources[0])]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Try, ast.TryStar)) and node.handlers:
            waiting += [*node.handlers, *node.orelse, *node.finalbody]
            continue
        called = node.func if isinstance(node, ast.Call) else None
        place = functions.get(called.id, 0) if isinstance(called, ast.Name) else 0
        if isinstance(called, ast.Attribute):
            place = methods.get(called.attr, 0)
        if place not in found:
            found.add(place)
            waiting.append(function_tree(sources[place]) or ast.Pass())
        waiting += ast.iter_child_nodes(node)
    return sorted(found)


def _returns(function: ast.FunctionDef) -> list[ast.Return]:
    """Return the returns of a function in the order of the source, without those of functions in it."""
    found: list[ast.Return] = []
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Return):
            found.append(node)
        elif not isinstance(node, NESTED):
            waiting.extend(ast.iter_child_nodes(node))
    return sorted(found, key=lambda node: node.lineno)


def _word(value: ast.expr | None, helpers: dict[str, ast.FunctionDef]) -> str | None:
    """Return the word that a returned expression is or has under "status", as far as the source says it.

    The dict may be made by a function that gets the word as an argument and does nothing else.
    """
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        is_word = 0 < len(value.value) <= LONGEST_WORD and value.value.isprintable()
        return value.value if is_word else None
    if isinstance(value, ast.Dict):
        return _word(_status(value), {})
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in helpers:
        helper = helpers[value.func.id]
        made = [statement for statement in helper.body if not isinstance(statement, ast.Expr)]
        only = made[0] if len(made) == 1 else None
        status = _status(only.value) if isinstance(only, ast.Return) else None
        return _word(_given(value, helper, status), {}) if isinstance(status, ast.Name) else None
    return None


def _status(value: Any) -> ast.expr | None:
    """Return the expression under "status" in a dict that is written out, or None."""
    if not isinstance(value, ast.Dict):
        return None
    pairs = zip(value.keys, value.values, strict=True)
    return next(
        (item for key, item in pairs if isinstance(key, ast.Constant) and key.value == "status"), None
    )


def _given(call: ast.Call, helper: ast.FunctionDef, parameter: ast.Name) -> ast.expr | None:
    """Return what a call gives for a parameter of the function that it calls, or None."""
    names = [argument.arg for argument in (*helper.args.posonlyargs, *helper.args.args)]
    given = dict(zip(names, call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    return given.get(parameter.id)

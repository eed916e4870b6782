"""Where what ended a run was raised: by a statement of the run, or by a call that it made."""

import ast
import re
from itertools import pairwise

from ctxlab.tracer.diagram import function_tree
from ctxlab.tracer.traces import Trace


def raised_at(trace: Trace) -> int | None:
    """Return the step at which what ended the run was raised, or None if the run ended of itself.

    That is in the innermost of the traced functions. It ended the run if it left the entry function, or if
    that caught it and decided nothing more.
    """
    if trace.outcome.kind in ("refused", "error"):
        return _first_raise(trace, len(trace.steps))
    if trace.outcome.kind != "returned":
        return None
    caught = _caught_last(trace)
    if caught is None:
        return None
    before, handling = caught
    raised = _first_raise(trace, handling)
    return before if raised is None else raised


def _caught_last(trace: Trace) -> tuple[int, int] | None:
    """Return the step of the entry function that led to the `except` with which the run ended, and the first
    step in that; None where the run went on from it to a decision, or back to lines before it."""
    handlers = _handlers(trace)
    own = [step for step in range(len(trace.steps)) if trace.frame_at[step] == 0]
    found = None
    for before, step in pairwise(own):
        event, line = trace.steps[step].event, trace.steps[step].line
        if event == "decision" or (found and line < trace.steps[found[1]].line):
            found = None
        elif any(line in lines and trace.steps[before].line not in lines for lines in handlers):
            found = before, step
    return found


def is_raise_statement(trace: Trace, step: int) -> bool:
    """Say whether the line of a step is a statement that raises, and not one whose call did."""
    return re.match(r"raise\b", code_at(trace, step)) is not None


def code_at(trace: Trace, step: int) -> str:
    """Return the line of source at which a step stands, without the space around it."""
    _, function, line, _ = trace.data["places"][trace.data["steps"]["place"][step]]
    source = trace.data["sources"][function]
    code: str = source["text"].splitlines()[line - source["first_line"]]
    return code.strip()


def _first_raise(trace: Trace, end: int) -> int | None:
    """Return the first of the calls that were left, one after the other, right before a step; or None."""
    found = None
    for step in range(end - 1, -1, -1):
        if trace.steps[step].event != "raise":
            break
        found = step
    return found


def _handlers(trace: Trace) -> list[range]:
    """Return the lines of each `except` of the entry function, its own among them."""
    function = function_tree(trace.data["sources"][0])
    if function is None:
        return []
    handlers = (node for node in ast.walk(function) if isinstance(node, ast.ExceptHandler))
    return [range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in handlers]

"""Running a function under the recorder."""

import functools
import inspect
import os
import types
from collections.abc import Callable
from typing import Any

from ctxlab.errors import TraceError
from ctxlab.messages.wording import shown
from ctxlab.scenarios import Scenario, SystemScenario, load_scenario
from ctxlab.tracer.heap import name_of
from ctxlab.tracer.reach import reachable
from ctxlab.tracer.record import record
from ctxlab.tracer.traces import Trace

STEP_LIMIT = 100_000


def trace(
    fn: Callable[..., Any],
    *args: Any,
    scenario: str | os.PathLike[str] | Scenario | SystemScenario | None = None,
    step_limit: int = STEP_LIMIT,
    **kwargs: Any,
) -> Trace:
    """Run `fn` for real and return the record of the run. A refusal or an error is a recorded outcome.

    `scenario`, a name, a path or a Scenario, fills the parameters that are not given, by their names
    (messages, question, state, archive, summarize, receipt, budget, keep_recent, max_chars, ask, tools,
    prepare, count, system, tool_definitions, window, max_output, per_message); a first parameter of another
    name gets the messages. A scenario of a system fills the parameters of that system's functions.

    `fn` may be a method. What it calls is traced where it stands in the module or notebook of `fn` or in
    `ctxlab.reference`: functions that are named there, methods of classes from there, and an argument that is
    a function of `ctxlab.reference`. After `step_limit` steps the run is stopped. Raises TraceError when the
    function cannot be traced or an argument is missing, ScenarioError when the scenario cannot be used.
    """
    if type(step_limit) is not int or step_limit < 1:
        raise TraceError(f"step_limit is {shown(step_limit)}; it must be an int of at least 1")
    called: Any = fn
    if isinstance(called, types.MethodType):
        called, args = called.__func__, (called.__self__, *args)
    function, notes = _plain(called)
    found = (
        scenario
        if scenario is None or isinstance(scenario, Scenario | SystemScenario)
        else load_scenario(scenario)
    )
    positional, named = _filled(function, args, kwargs, found)
    functions, more = reachable(function, [*positional, *named.values()])
    recording = record(functions, (positional, named), step_limit)
    return Trace.of(recording, found, [*notes, *more])


def _plain(fn: Any) -> tuple[types.FunctionType, list[str]]:
    """Return the function itself, without its decorators, and a note if there are any."""
    inner = inspect.unwrap(fn) if callable(fn) else fn
    if isinstance(inner, functools.partial) or not isinstance(inner, types.FunctionType):
        given = f"{type(fn).__name__} {name_of(fn)}".strip()
        raise TraceError(f"{given}: only a function written in Python with def can be traced")
    if inspect.isgeneratorfunction(inner):
        raise TraceError(
            f"{inner.__name__}: a generator runs only as it is read; trace the function that reads it"
        )
    return inner, [] if inner is fn else [f"{inner.__name__}: its decorators were left out of this run."]


def _filled(
    function: types.FunctionType,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    found: Scenario | SystemScenario | None,
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of the call, completed from the scenario."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind_partial(*args, **kwargs)
        if found is not None:
            offered = found.arguments()
            for position, (name, parameter) in enumerate(signature.parameters.items()):
                if name in bound.arguments or parameter.kind in (
                    parameter.VAR_POSITIONAL,
                    parameter.VAR_KEYWORD,
                ):
                    continue
                if name in offered:
                    bound.arguments[name] = offered[name]
                elif position == 0 and isinstance(found, Scenario):
                    bound.arguments[name] = offered["messages"]
        full = signature.bind(*bound.args, **bound.kwargs)
    except TypeError as error:
        takes = ", ".join(signature.parameters) or "no arguments"
        missing = "missing" in str(error)
        remedy = "give it, or a scenario that has it" if missing else f"it takes {takes}"
        raise TraceError(f"{function.__name__}: {error}; {remedy}") from error
    return list(full.args), dict(full.kwargs)

"""The runs of solution and function on one input, recorded, and where they part."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxlab.exercises.guard import guarded, namespace_of
from ctxlab.exercises.inputs import Input, Log
from ctxlab.exercises.observing import Observation, Trial
from ctxlab.exercises.plain import plain_value, same
from ctxlab.exercises.verdict import NAMES
from ctxlab.messages.wording import visible
from ctxlab.tracer.divergence import divergence, explain
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

STEP_LIMIT = 5000


@dataclass(frozen=True)
class BothRuns:
    """The two traces, or None, and the sentences that say where they part or why there are none."""

    traces: tuple[Trace, Trace] | None
    sentences: tuple[str, ...]


CHANGING = BothRuns(
    None,
    (
        "Run once more on an input that it had before, it came out differently: it keeps something from call "
        "to call, or it depends on a clock or on chance.",
    ),
)


def both_runs(
    solution: Callable[..., Any],
    function: Callable[..., Any],
    trial: Trial,
    names: Sequence[str],
    seconds: float,
) -> BothRuns:
    """Record both functions on the input of a trial, each for at most `seconds`."""
    left, _ = _recorded(solution, trial.given, names, seconds)
    right, problem = _recorded(function, trial.given, names, seconds)
    if left is None or right is None:
        return _none(problem)
    if not _ended_alike(right, trial.got):
        # A function may look at itself, at the depth of its calls or at the time that they take.
        return _none(
            "the function is decorated, and what its decorators do is not recorded"
            if _decorated(function)
            else "while the function is recorded, it does not come out as it did"
        )
    found = divergence(left, right)
    if found is None or found.kind == "result":
        return BothRuns((left, right), ())
    return BothRuns((left, right), tuple(explain(left, right, found, names=NAMES)))


def _none(problem: str) -> BothRuns:
    return BothRuns(None, (f"The two runs cannot be shown side by side: {problem}.",))


def _decorated(function: Callable[..., Any]) -> bool:
    return inspect.unwrap(function) is not function


def _recorded(
    function: Callable[..., Any], given: Input, names: Sequence[str], seconds: float
) -> tuple[Trace | None, str]:
    """Return the trace of a run, or None and why there is none."""

    def run() -> Trace:
        scenario = replace(given.scenario, promise="")  # it promises what the reference functions do
        return trace(function, scenario=scenario, step_limit=STEP_LIMIT, **given.arguments(names, Log()))

    ended = guarded(run, seconds, namespace_of(function))
    if ended.failure:
        return None, ended.failure.message
    return ended.value, "recording one of them took too long"


def _ended_alike(run: Trace, got: Observation) -> bool:
    outcome = run.outcome
    match outcome.kind:
        case "step_limit":
            return True  # it was cut off, whatever the run before did
        case "returned":
            return got.kind == "returned" and same(plain_value(outcome.value), got.value)
        case "refused":
            return (got.kind, got.name) == ("refused", visible(outcome.code or ""))
        case _:
            return got.failure is not None and got.failure.type == outcome.type

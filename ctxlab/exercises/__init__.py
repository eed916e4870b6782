"""Learning by doing: what the lessons ask, exercises that are checked, hints, and what has been done so far.

Each function is loaded when it is first used: some bring in hypothesis, others widgets.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab.exercises.activities.explain import explain as explain
    from ctxlab.exercises.activities.order import order as order
    from ctxlab.exercises.activities.prediction import predict as predict
    from ctxlab.exercises.activities.recall import recall as recall
    from ctxlab.exercises.activities.spot import spot as spot
    from ctxlab.exercises.checking import check as check
    from ctxlab.exercises.hints import hint as hint
    from ctxlab.exercises.hints import solution as solution
    from ctxlab.exercises.overview import progress as progress
    from ctxlab.exercises.overview import reset as reset

HOMES = {
    "check": "ctxlab.exercises.checking",
    "explain": "ctxlab.exercises.activities.explain",
    "hint": "ctxlab.exercises.hints",
    "order": "ctxlab.exercises.activities.order",
    "predict": "ctxlab.exercises.activities.prediction",
    "progress": "ctxlab.exercises.overview",
    "recall": "ctxlab.exercises.activities.recall",
    "reset": "ctxlab.exercises.overview",
    "solution": "ctxlab.exercises.hints",
    "spot": "ctxlab.exercises.activities.spot",
}

__all__ = ["check", "explain", "hint", "order", "predict", "progress", "recall", "reset", "solution", "spot"]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"ctxlab.exercises has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

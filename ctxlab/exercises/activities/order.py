"""Order: the steps of a function, to be put in the order in which it takes them (a Parsons problem)."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import traitlets

from ctxlab.exercises.activities.lesson import lesson
from ctxlab.exercises.activities.steps import Step, steps_of
from ctxlab.exercises.activities.widget import Activity, module
from ctxlab.player.runs import SUBJECTS

FUNCTIONS = {subject.function.__name__: subject.function for subject in SUBJECTS.values()}


class Order(Activity):
    """The steps of `function`, which start in an order that is always the same and never right.

    `steps` stand in the right order; `places` are their indices as they are arranged. `checked` says that
    the arrangement has been checked as it is, `tries` how often it was wrong, `given_up` that the order was
    shown.
    """

    _esm = module("order.js")
    activity = "order"
    kept = ("places", "checked", "tries", "given_up")

    task = traitlets.Unicode().tag(sync=True)
    steps: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    start: "traitlets.List[int]" = traitlets.List().tag(sync=True)
    places: "traitlets.List[int]" = traitlets.List().tag(sync=True)
    checked = traitlets.Bool(False).tag(sync=True)
    tries = traitlets.Int(0).tag(sync=True)
    given_up = traitlets.Bool(False).tag(sync=True)

    def __init__(self, number: str, function: Callable[..., Any]) -> None:
        steps = steps_of(function)
        start = shuffled(steps)
        super().__init__(
            number,
            task=f"Put the steps of {function.__name__} in the order in which it takes them.",
            steps=[asdict(step) for step in steps],
            start=start,
            places=start,
        )

    def given(self) -> bool:
        """Say whether the arrangement has been checked, or the order shown."""
        return self.checked or self.given_up

    def fits(self, answer: dict[str, Any]) -> bool:
        """Say whether a kept answer arranges these steps."""
        places = answer["places"]
        return (
            isinstance(places, list)
            and all(type(place) is int for place in places)
            and sorted(places) == list(range(len(self.steps)))
            and type(answer["tries"]) is int
            and all(type(answer[name]) is bool for name in ("checked", "given_up"))
        )

    def asked(self) -> list[tuple[str, list[str]]]:
        """Return the task with the shuffled steps."""
        return [(self.task, [self.steps[index]["text"] for index in self.start])]


def shuffled(steps: list[Step]) -> list[int]:
    """Return the indices of the steps by the alphabet, which tells nothing; backwards, if that is right."""
    order = sorted(range(len(steps)), key=lambda index: steps[index].text)
    return order if order != list(range(len(steps))) else order[::-1]


def order(number: str) -> Order:
    """Ask for the order of the steps that a lesson ("01") is about. Raises CtxlabError for another number."""
    return Order(number, FUNCTIONS[lesson(number).order.function])

"""What a function is checked on: a scenario, written or generated, and what is seen of its stand-ins."""

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ctxlab.errors import Refusal
from ctxlab.exercises.plain import plain_value, shared
from ctxlab.reference import split_history
from ctxlab.scenarios import Scenario, load_scenario

History = list[dict[str, Any]]

GENERATED = "a generated input"
MOST_CALLS = 100  # whose arguments are kept


class Call(NamedTuple):
    """A call of a stand-in: its name, what it was given, and whether parts of that are the input itself."""

    name: str
    given: Any
    shared: bool


class Log:
    """The calls of the stand-ins in one run, in order, and whether one of them raised."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.raised = False

    def logged(self, name: str, stand_in: Callable[[Any], Any], own: History) -> Callable[[Any], Any]:
        """Return the stand-in, so that its calls are written down here. `own` is the function's input."""

        def call(messages: Any) -> Any:
            # A function that never ends may call it as often; then the number of calls says enough.
            if len(self.calls) < MOST_CALLS:
                self.calls.append(Call(name, plain_value(messages), bool(shared(messages, own))))
            else:
                self.calls.append(Call(name, None, False))
            try:
                return stand_in(messages)
            except Exception:
                self.raised = True
                raise

        call.__name__ = call.__qualname__ = name
        return call


@dataclass(frozen=True)
class Input:
    """One input of a check: a scenario, written or generated.

    `odd` names the setting or stand-in that an exercise need not deal with, unless its solution refuses it.
    `no_receipt`: the archive returns an empty text. `alone`: where two things are wrong, the same input with
    each of them alone.
    """

    scenario: Scenario
    odd: str | None = None
    no_receipt: bool = False
    alone: tuple["Input", ...] = ()

    @property
    def generated(self) -> bool:
        """Whether it was generated."""
        return self.scenario.name == GENERATED

    def arguments(self, names: Container[str], log: Log) -> dict[str, Any]:
        """Return new values for these parameters. The calls of the stand-ins go into `log`."""
        offered = self.scenario.arguments()
        own = offered["messages"]
        archive = _no_receipt if self.no_receipt else offered["archive"]
        offered["archive"] = log.logged("archive", archive, own)
        offered["summarize"] = log.logged("summarize", offered["summarize"], own)
        return {name: value for name, value in offered.items() if name in names}

    @cached_property
    def fault(self) -> str:
        """The code with which the history is refused, or "" where it is sound."""
        try:
            split_history(self.scenario.history)
        except Refusal as refusal:
            return refusal.code
        return ""


def _no_receipt(_messages: History) -> str:
    return ""


def named(scenario: str) -> Input:
    """Return the input that a scenario of this name or path makes. Raises ScenarioError."""
    return Input(load_scenario(scenario))

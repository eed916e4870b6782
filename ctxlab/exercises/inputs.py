"""What a function is checked on: a scenario, written or generated, and what is seen of its stand-ins."""

from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from ctxlab.errors import Refusal
from ctxlab.exercises.exercise import Exercise
from ctxlab.exercises.plain import plain_value, shared
from ctxlab.exercises.stand_ins import OUTCOMES, PREPARES, TOOL, Interruption, answer_of, tool_of
from ctxlab.reference import split_history
from ctxlab.scenarios import Scenario, load_history

History = list[dict[str, Any]]

GENERATED = "a generated input"
MOST_CALLS = 100  # whose arguments are kept


class Call(NamedTuple):
    """A call of a stand-in: its name, what it was given, and whether parts of that are the input itself.

    What a tool was given is a dict of its arguments; any other stand-in takes a history.
    """

    name: str
    given: Any
    shared: bool

    @property
    def what(self) -> str:
        """The word for what it was given."""
        return "arguments" if isinstance(self.given, dict) else "messages"


class Log:
    """What the stand-ins see in one run.

    calls    their calls, in order
    held     the values that passed through them, which they may keep: (what to call it, the value itself)
    raised   whether one of them raised
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.held: list[tuple[str, Any]] = []
        self.raised = False

    def logged(self, name: str, stand_in: Callable[[Any], Any], own: History) -> Callable[[Any], Any]:
        """Return the stand-in, so that its calls are written down here. `own` is the function's input."""

        def call(messages: Any) -> Any:
            with self._noted(name, messages, own):
                returned = stand_in(messages)
            self._hold(f"{name}(...)", returned)
            return returned

        call.__name__ = call.__qualname__ = name
        return call

    def logged_tool(self, name: str, tool: Callable[..., Any], own: History) -> Callable[..., Any]:
        """Return the tool, so that its calls are written down here."""

        def call(**given: Any) -> Any:
            with self._noted(name, given, own):
                return tool(**given)

        call.__name__ = call.__qualname__ = name
        return call

    @contextmanager
    def _noted(self, name: str, given: Any, own: History) -> Iterator[None]:
        # A function that never ends may call it as often; then the number of calls says enough.
        if len(self.calls) < MOST_CALLS:
            call = Call(name, plain_value(given), bool(shared(given, own)))
            self.calls.append(call)
            if not call.shared:
                self._hold(f"{name}'s {call.what}", given)
        else:
            self.calls.append(Call(name, None, False))
        try:
            yield
        except (Exception, Interruption):
            self.raised = True
            raise

    def _hold(self, label: str, value: Any) -> None:
        if len(self.held) < MOST_CALLS:
            self.held.append((label, value))


@dataclass(frozen=True)
class Input:
    """One input of a check: a scenario, written or generated.

    odd          the setting or stand-in that an exercise need not deal with, unless its solution refuses it
    no_receipt   whether the archive returns an empty text
    alone        where two things are wrong, the same input with each of them alone
    prepare      what `prepare` does, one of PREPARES; "" for prepare_context with what the scenario holds
    answer       what stands in the answer of `ask`, and what comes of its calls
    """

    scenario: Scenario
    odd: str | None = None
    no_receipt: bool = False
    alone: tuple["Input", ...] = ()
    prepare: str = ""
    answer: tuple[str, ...] = ("works",)

    @property
    def generated(self) -> bool:
        """Whether it was generated."""
        return self.scenario.name == GENERATED

    @property
    def place(self) -> str:
        """What a named input is called: its scenario, and what its stand-ins do that others do not."""
        words = f"the scenario {self.scenario.name}"
        if self.prepare:
            return f"{words}, where prepare {self.prepare}"
        if self.answer != Input.answer:
            parts = ["a text" if part == "text" else f"a call that {OUTCOMES[part]}" for part in self.answer]
            return f"{words}, where the answer holds {' and '.join(parts)}"
        return words

    def arguments(self, names: Container[str], log: Log) -> dict[str, Any]:
        """Return new values for these parameters. The calls of the stand-ins go into `log`."""
        offered = self.scenario.arguments()
        own = offered["messages"]
        archive = _no_receipt if self.no_receipt else offered["archive"]
        offered["archive"] = log.logged("archive", archive, own)
        offered["summarize"] = log.logged("summarize", offered["summarize"], own)
        prepare = PREPARES[self.prepare] if self.prepare else offered["prepare"]
        offered["prepare"] = log.logged("prepare", prepare, own)
        offered["ask"] = log.logged("ask", lambda _: answer_of(self.answer), own)
        offered["tools"] = {TOOL: log.logged_tool(TOOL, tool_of(self.answer), own)}
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
    return Input(load_history(scenario))


def named_inputs(exercise: Exercise) -> list[Input]:
    """Return the inputs that an exercise names: its scenarios, then its cases. Raises ScenarioError."""
    cases = [
        replace(
            named(case.scenario),
            prepare=case.prepare or "",
            answer=tuple(case.answer or Input.answer),
        )
        for case in exercise.cases
    ]
    return [*map(named, exercise.scenarios), *cases]

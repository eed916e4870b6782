"""One run of a function on one input, everything about it that counts, and how it compares with another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxlab.exercises.guard import Ended, Failure, guarded, namespace_of
from ctxlab.exercises.inputs import Call, Input, Log
from ctxlab.exercises.plain import difference, plain_value, same, shared

Paths = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Observation:
    """How a run ended, and what it left behind, as plain values.

    kind      returned, refused, raised, not_written, exited, or not_ended (stopped by the timer)
    name      the code of a refusal, or the type of an exception
    value     what was returned
    state     the state afterwards, where the function takes one
    calls     each call of archive and summarize
    changed   (path, before, after) of the first change to the input, or None
    shared    (path in the result, path in the arguments) of each list or dict that both hold
    raised    whether a stand-in raised
    """

    kind: str
    name: str = ""
    value: Any = None
    state: Any = None
    calls: tuple[Call, ...] = ()
    changed: tuple[str, Any, Any] | None = None
    shared: Paths = ()
    raised: bool = False
    failure: Failure | None = None
    output: str = ""
    printed: int = 0

    def agrees(self, other: "Observation") -> bool:
        """Say whether two runs came to the same. What they printed and said in words does not count."""
        if self.kind == other.kind == "not_ended":
            return True
        return (
            (self.kind, self.name) == (other.kind, other.name)
            and same(self.value, other.value)
            and same(self.state, other.state)
            and same(self.calls, other.calls)
            and same(self.changed, other.changed)
            and self.shared == other.shared
        )


@dataclass(frozen=True)
class Trial:
    """One input, what the solution does with it, and what the learner's function did."""

    given: Input
    expected: Observation
    got: Observation

    @property
    def right(self) -> bool:
        """Whether the two came to the same."""
        return self.got.agrees(self.expected)

    @property
    def kind(self) -> str:
        """The kind of verdict that this trial deserves."""
        kinds = {"not_ended": "never_ends", "exited": "exits", "not_written": "not_written"}
        expected, got = self.expected, self.got
        if self.right:
            return "passed"
        if got.kind in kinds:
            return kinds[got.kind]
        if got.kind == "raised" and (got.kind, got.name) != (expected.kind, expected.name):
            return "error"
        if not replace(got, changed=expected.changed, shared=expected.shared).agrees(expected):
            return "differs"
        return "changes_input" if bool(got.changed) != bool(expected.changed) else "shares"


def observe(function: Callable[..., Any], given: Input, names: Sequence[str], seconds: float) -> Observation:
    """Run `function` on an input, for at most `seconds`. Nothing that it does is raised, but Ctrl-C."""
    log = Log()
    arguments = given.arguments(names, log)
    mutable = {name: value for name, value in arguments.items() if name in ("messages", "state")}

    def run() -> tuple[Any, Paths]:
        returned = function(**arguments)
        return plain_value(returned), _shared(returned, mutable)

    ended = guarded(run, seconds, namespace_of(function))
    return _observation(ended, log, given, arguments)


def _shared(returned: Any, mutable: dict[str, Any]) -> Paths:
    return tuple(
        (path, f"{name}{given}") for name, value in mutable.items() for path, given in shared(returned, value)
    )


def _observation(
    ended: Ended[tuple[Any, Paths]], log: Log, given: Input, arguments: dict[str, Any]
) -> Observation:
    failure = ended.failure
    value, aliases = ended.value or (None, ())
    if ended.timed_out:
        kind, name = "not_ended", ""
    elif failure is None:
        kind, name = "returned", ""
    else:
        kind, name = failure.kind, failure.code or failure.type
    return Observation(
        kind,
        name,
        value,
        plain_value(arguments.get("state")),
        tuple(log.calls),
        difference(given.scenario.history, plain_value(arguments.get("messages", given.scenario.history))),
        aliases,
        log.raised,
        failure,
        ended.output,
        ended.printed,
    )

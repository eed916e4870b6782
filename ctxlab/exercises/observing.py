"""One run of a function on one input, everything about it that counts, and how it compares with another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxlab.exercises.guard import Ended, Failure, guarded, namespace_of
from ctxlab.exercises.inputs import Call, Input, Log
from ctxlab.exercises.plain import Other, difference, plain_value, same, shared

Paths = tuple[tuple[str, str], ...]

# What stands for the text of an error result that the function wrote: its words are its own affair.
REASON = Other("a text that says what went wrong")


@dataclass(frozen=True)
class Observation:
    """How a run ended, and what it left behind, as plain values.

    kind      returned, refused, raised, not_written, exited, or not_ended (stopped by the timer)
    name      the code of a refusal, or the type of an exception
    value     what was returned
    state     the state afterwards, where the function takes one
    calls     each call of a stand-in
    changed   (path, before, after) of the first change to the input, or None
    shared    (path in the result, path in the arguments) of each list or dict that both hold
    history   the messages afterwards, where the function works in place; such a change is no fault
    held      (path in the history, place with a stand-in) of each list or dict that both hold then
    raised    whether a stand-in raised
    """

    kind: str
    name: str = ""
    value: Any = None
    state: Any = None
    calls: tuple[Call, ...] = ()
    changed: tuple[str, Any, Any] | None = None
    shared: Paths = ()
    history: Any = None
    held: Paths = ()
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
            and same(self.history, other.history)
            and self.held == other.held
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
        harmless = replace(got, changed=expected.changed, shared=expected.shared, held=expected.held)
        if not harmless.agrees(expected):
            return "differs"
        if bool(got.changed) != bool(expected.changed):
            return "changes_input"
        return "shares" if got.shared != expected.shared else "shares_history"


def observe(
    function: Callable[..., Any],
    given: Input,
    names: Sequence[str],
    seconds: float,
    *,
    in_place: bool = False,
) -> Observation:
    """Run `function` on an input, for at most `seconds`. Nothing that it does is raised, but Ctrl-C.

    Of a function that works `in_place`, the messages afterwards are a part of the result.
    """
    log = Log()
    arguments = given.arguments(names, log)
    mutable = {name: value for name, value in arguments.items() if name in ("messages", "state")}

    def run() -> tuple[Any, Paths]:
        returned = function(**arguments)
        return plain_value(returned), _shared(returned, mutable)

    ended = guarded(run, seconds, namespace_of(function))
    found = _observation(ended, log, given, arguments)
    if not in_place:
        return found
    messages = arguments["messages"]
    return replace(
        found,
        changed=None,
        history=_history(messages, len(given.scenario.history)),
        held=_held(messages, log),
    )


def _shared(returned: Any, mutable: dict[str, Any]) -> Paths:
    return tuple(
        (path, f"{name}{given}") for name, value in mutable.items() for path, given in shared(returned, value)
    )


def _held(messages: Any, log: Log) -> Paths:
    """Return what the history shares with the values that passed through the stand-ins."""
    return tuple(
        (path, f"{label}{place}") for label, value in log.held for path, place in shared(messages, value)
    )


def _history(messages: Any, before: int) -> Any:
    """Return the messages as a plain value. `before` of them were there from the start."""
    history = plain_value(messages)
    for message in history[before:] if isinstance(history, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if _is_error_with_reason(block):
                # It goes to the end: of two results that differ, a missing mark is told before their texts.
                del block["content"]
                block["content"] = REASON
    return history


def _is_error_with_reason(block: Any) -> bool:
    if not isinstance(block, dict) or block.get("is_error") is not True:
        return False
    reason = block.get("content")
    return isinstance(reason, str) and bool(reason.strip())


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
        raised=log.raised,
        failure=failure,
        output=ended.output,
        printed=ended.printed,
    )

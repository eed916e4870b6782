"""One run of a function on one input, everything about it that counts, and how it compares with another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxlab.exercises.guard import Ended, Failure, guarded, namespace_of
from ctxlab.exercises.in_steps import Steps, watched
from ctxlab.exercises.inputs import Call, Input, Log
from ctxlab.exercises.plain import Other, difference, plain_value, same, shared, words
from ctxlab.exercises.stand_ins import reasons_of

Paths = tuple[tuple[str, str], ...]


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
    between   the messages between their first change and their last one, where that took several steps; seen
              on named inputs only, since it takes long
    lines     the line of each of its changes, where that took several steps
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
    between: Any = None
    lines: tuple[int, ...] = ()
    held: Paths = ()
    raised: bool = False
    failure: Failure | None = None
    output: str = ""
    printed: int = 0

    def agrees(self, other: "Observation") -> bool:
        """Say whether two runs came to the same.

        What they printed and said in words does not count, nor in which lines they did it.
        """
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
            and same(self.between, other.between)
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
        harmless = replace(
            got,
            calls=_lending(got.calls, expected.calls),
            changed=expected.changed,
            between=expected.between,
            shared=expected.shared,
            held=expected.held,
        )
        if not harmless.agrees(expected):
            return "differs"
        if bool(got.changed) != bool(expected.changed):
            return "changes_input"
        if not same(got.between, expected.between):
            return "in_steps"
        if not same(got.calls, expected.calls):
            return "lends"
        return "shares" if got.shared != expected.shared else "shares_history"


def _lending(calls: tuple[Call, ...], like: tuple[Call, ...]) -> tuple[Call, ...]:
    """Return the calls as if they had shared with the input what other calls share with it."""
    if len(calls) != len(like):
        return calls
    return tuple(call._replace(shared=other.shared) for call, other in zip(calls, like, strict=True))


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
    namespace = namespace_of(function)
    steps: list[Steps] = []

    def run() -> tuple[Any, Paths]:
        if in_place and not given.generated:
            with watched(arguments["messages"], namespace) as watch:
                steps.append(watch)
                returned = function(**arguments)
        else:
            returned = function(**arguments)
        return plain_value(returned), _shared(returned, mutable)

    ended = guarded(run, seconds, namespace)
    found = _observation(ended, log, given, arguments)
    if not in_place:
        return found
    messages = arguments["messages"]
    return replace(
        found,
        changed=None,
        history=_history(messages, len(given.scenario.history), reasons_of(given.answer)),
        between=steps[0].between if steps else None,
        lines=tuple(steps[0].lines) if steps and len(steps[0].lines) > 1 else (),
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


def _history(messages: Any, before: int, reasons: dict[str, str]) -> Any:
    """Return the messages as a plain value. `before` of them were there from the start.

    In a new error result that gives the reason, `reasons` by the ids of the calls, its other words do not
    count.
    """
    history = plain_value(messages)
    for message in history[before:] if isinstance(history, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("is_error") is True and "content" in block:
                # It goes to the end: of two results that differ, a missing mark is told before their texts.
                block["content"] = _without_words(block.pop("content"), block, reasons)
    return history


def _without_words(text: Any, block: dict[str, Any], reasons: dict[str, str]) -> Any:
    call_id = block.get("tool_use_id")
    reason = reasons.get(call_id) if isinstance(call_id, str) else None
    if reason is None or not isinstance(text, str) or reason not in text:
        return text
    return Other(f"a text with {words(reason)} in it")


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

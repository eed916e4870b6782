"""One recording: runs rebuilt functions and writes down every step, decision and change of the run."""

# ruff: noqa: D102 - each hook is described in `instrument`

import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

from ctxlab.errors import Refusal
from ctxlab.tracer.heap import KINDS, Cell, Heap, item_at, name_of
from ctxlab.tracer.instrument import Place, Program, Traced, instrument
from ctxlab.tracer.members import Members, is_rebuilt
from ctxlab.tracer.pure import PURE
from ctxlab.tracer.reach import Scope, is_reference

# What stands for a part of a condition that was not evaluated.
SKIPPED: Cell = ()
READING_METHODS = frozenset("copy count get index items keys values".split())
TEXT_LIKE = (str, bytes, int, float, bool, complex)
METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)
NO_KEY = object()


# From which step on, in which frame, the name, its cell, and the step whose statement bound it.
VariableRow = tuple[int, int, str, Cell, int]


class StepLimitError(BaseException):
    """The run has reached the step limit. Not an Exception, so that few handlers of the run catch it."""


class Frame:
    """One call of a traced function while it runs."""

    __slots__ = (
        "at",
        "calls",
        "depth",
        "fresh",
        "function",
        "known",
        "last",
        "number",
        "parent",
        "pending",
        "returning",
        "texts",
        "values",
    )

    def __init__(self, number: int, function: int, depth: int, parent: "Frame | None") -> None:
        self.number = number
        self.function = function
        self.depth = depth
        self.parent = parent
        self.at = 0  # the step of the statement that is running
        self.last = 0  # the place of that step
        self.fresh = -1  # the place of a for loop that has taken no item yet
        self.known: dict[str, Cell] = {}  # the last recorded value of each variable
        self.texts: dict[str, str] = {}  # the whole of those that are long strings
        self.values: dict[int, Cell] = {}  # what the parts of the condition under way have shown, by slot
        self.calls: list[Any] = []  # the calls under way of functions that are not traced
        self.pending: list[list[Any]] = []  # containers that the running statement stores into
        # The place and the value of a return that a `finally` may still take back.
        self.returning: tuple[int, Cell] | None = None


@dataclass
class OpaqueCall:
    """A call of a function that is not traced. `mark` is the number of heap rows when it began."""

    name: str
    step: int = 0
    line: int = 0
    arguments: list[Cell] = field(default_factory=list)
    result: Cell = None
    mark: int = 0
    seen: list[Any] = field(default_factory=list)


@dataclass
class Construction:
    """The call of a class whose `__init__` is traced; `made` is the new object."""

    made: Any


@dataclass
class Outcome:
    """How a run ended: `kind` is returned, refused, error or step_limit.

    `code` is that of a refusal, `type` and `message` those of the exception, `value` what was returned.
    """

    kind: str
    code: str | None = None
    type: str | None = None
    message: str | None = None
    value: Any = None


@dataclass
class Recording:
    """Everything that one run reported, in the order in which it happened."""

    program: Program
    heap: Heap
    places: list[Place]
    steps: list[int]
    turns: list[tuple[int, int]]
    frames: list[tuple[int, int, str]]
    variables: list[VariableRow]
    outcomes: list[bool]
    values: list[list[Cell]]
    calls: list[OpaqueCall]
    outcome: Outcome
    returned: Cell = None
    missed: int = 0


def record(
    functions: list[Traced], arguments: tuple[list[Any], dict[str, Any]], step_limit: int
) -> Recording:
    """Run the first of `functions` with these positional and keyword arguments and return the recording.

    An argument that is one of `functions`, and of the reference, is handed over in its rebuilt form. An
    exception of the run is its outcome; only KeyboardInterrupt passes through.
    """
    program = instrument(functions)
    recorder = Recorder(program, step_limit, Scope(functions[0].function).shows)
    cells = {name: types.CellType(hook) for name, hook in recorder.hooks().items()}
    rebuilt = program.bind(functions, cells)
    reporting = {
        id(traced.function): made
        for traced, made in zip(functions, rebuilt, strict=True)
        if is_reference(traced.function)
    }
    if program.methods or program.properties:
        recorder.members = Members(functions, rebuilt)
    positional, named = arguments
    try:
        outcome = _run(
            rebuilt[0],
            [reporting.get(id(value), value) for value in positional],
            {name: reporting.get(id(value), value) for name, value in named.items()},
        )
        # Whatever the run made of being stopped, stopped it was.
        if recorder.stopped:
            outcome = Outcome("step_limit", message="the run reached the step limit and was stopped")
    finally:
        # A generator may outlive the run: from now on it reports to nobody.
        for name, cell in cells.items():
            cell.cell_contents = SILENT.get(name, _last)
    return recorder.finish(outcome)


def _last(*arguments: Any) -> Any:
    return arguments[-1]


def _nothing(*_: Any) -> None:
    return None


def _own_names(_: Any, function: Any, value: Any, *hidden: str) -> Any:
    """Return what locals(), vars() or dir() gave, without the names that instrumenting added."""
    if function is dir:
        return [name for name in value if name[0] != "@" and name not in hidden]
    if function is locals or function is vars:
        return {name: item for name, item in value.items() if name[0] != "@" and name not in hidden}
    return value


# What stands in the place of each hook after the run; of any other hook, only that it returns its last
# argument.
SILENT: dict[str, Callable[..., Any]] = {
    **dict.fromkeys("enter line each bind unbind case grown changed raised ended".split(), _nothing),
    "tick": lambda _: True,
    "getter": lambda _, name, value: partial(getattr, value, name),
    "own_names": _own_names,
}


def _run(function: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Outcome:
    try:
        return Outcome("returned", value=function(*positional, **named))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever ends the run is what the learner wants to see
        # A learner's own kind of refusal may lack a code; then it is no named "no".
        code = getattr(error, "code", None) if isinstance(error, Refusal) else None
        if isinstance(code, str):
            return Outcome("refused", code, "Refusal", _text_of(error))
        return Outcome("error", None, type(error).__name__, _text_of(error))


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - the __str__ of a learner's exception may do anything, exit included
        return "(the exception cannot be shown as text)"


class Recorder:
    """What the hooks of a program report to, for one run."""

    def __init__(
        self, program: Program, step_limit: int, shows: Callable[[type], bool] = lambda _: False
    ) -> None:
        self.program = program
        self.members: Members | None = None  # where any of the functions is a method
        self.limit = step_limit
        self.heap = Heap(shows)
        self.kinds = self.heap.kinds
        self.places = list(program.places)
        self.steps: list[int] = []
        self.turns: list[tuple[int, int]] = []
        self.frames: list[tuple[int, int, str]] = []
        self.variables: list[VariableRow] = []
        self.outcomes: list[bool] = []
        self.values: list[list[Cell]] = []
        self.calls: list[OpaqueCall] = []
        self.current: Frame | None = None  # the frame that is running
        self.shown: Frame | None = None  # the frame of the last step
        self.ticks = 0
        self.stopped = False
        self._raise_places: dict[tuple[int, int], int] = {}

    def finish(self, outcome: Outcome) -> Recording:
        """Return the recording of the run that ended so, after a last look at everything known."""
        heap = self.heap
        # What is found only now shows at the last step, unless the run was stopped behind it.
        heap.step = max(len(self.steps) - 1, heap.rows[-1][0] if heap.rows else 0)
        returned = heap.cell(outcome.value) if outcome.kind == "returned" else None
        missed = heap.recheck()
        return Recording(
            self.program,
            heap,
            self.places,
            self.steps,
            self.turns,
            self.frames,
            self.variables,
            self.outcomes,
            self.values,
            self.calls,
            outcome,
            returned,
            missed,
        )

    def hooks(self) -> dict[str, Callable[..., Any]]:
        """Return the hooks by name. Those that run most are closures over locals, which is faster."""
        steps, heap, limit = self.steps, self.heap, self.limit
        values, outcomes = self.values, self.outcomes
        sites, decision_places = self.program.sites, self.program.decision_places
        variable, growing = heap.variable, heap.growing

        def line(frame: Frame, place: int) -> None:
            if frame.pending or frame.calls:
                self.settle(frame)
            if frame.values:
                frame.values.clear()
            step = len(steps)
            if step >= limit:
                self.stop()
            if frame is not self.shown:
                self.turn(frame)
                self.current = frame
            if growing:
                heap.look_at_growing(frame.at)
            frame.at = step
            frame.last = frame.fresh = place
            steps.append(place)
            heap.step = step + 1

        def test(frame: Frame, number: int, truth: bool) -> bool:
            site = sites[number]
            slots = frame.values
            if site.single:
                slots[site.first] = truth
            self.emit(frame, decision_places[number])
            values.append([slots.pop(slot, SKIPPED) for slot in range(site.first, site.end)])
            outcomes.append(truth)
            return truth

        def operand(frame: Frame, slot: int, value: Any) -> Any:
            frame.values[slot] = variable(value)
            return value

        own = {name: getattr(self, f"hook_{name}") for name in HOOKS}
        return {**own, "line": line, "test": test, "operand": operand, "own_names": _own_names}

    # Steps

    def emit(self, frame: Frame, place: int) -> int:
        """Add a step at `place` and return its number."""
        step = len(self.steps)
        if step >= self.limit:
            self.stop()
        if frame is not self.shown:
            self.turn(frame)
        self.steps.append(place)
        self.heap.step = step + 1
        return step

    def stop(self) -> NoReturn:
        """End the run, since it has reached the step limit."""
        self.stopped = True
        raise StepLimitError

    def turn(self, frame: Frame) -> None:
        """Let the next step, and those after it, belong to this frame."""
        self.turns.append((len(self.steps), frame.number))
        self.shown = frame

    def settle(self, frame: Frame) -> None:
        """Record what the statement that just ended has changed."""
        heap = self.heap
        heap.cause = frame.at
        for container, key, below in frame.pending:
            if type(container) in self.kinds:
                heap.stored(container, key)
                if heap.owners:
                    heap.touch_other_face(container)
                item = item_at(container, key) if below else None
                if type(item) in self.kinds:
                    heap.touch(item)
        frame.pending.clear()
        # Calls that are still under way here were ended by an exception.
        while frame.calls:
            call = frame.calls.pop()
            if isinstance(call, OpaqueCall):
                self.end_call(frame, call)

    def end_call(self, frame: Frame, call: OpaqueCall) -> None:
        """Write down an opaque call that has ended, and what it changed of its arguments."""
        self.heap.cause = frame.at
        for container in call.seen:
            self.heap.rescan(container)
            if self.heap.owners:
                self.heap.touch_other_face(container)
        call.seen = []
        self.calls.append(call)

    # Hooks, as listed in `instrument`

    def hook_enter(self, function: int, name: str, place: int, *arguments: Any) -> Frame:
        parent = self.current
        frame = Frame(len(self.frames), function, parent.depth + 1 if parent else 0, parent)
        self.frames.append((function, frame.depth, name))
        frame.at = self.emit(frame, place)
        self.current = frame
        self.heap.cause = frame.at
        frame.last = place
        # The arguments show at the step of the call itself.
        self.heap.step = frame.at
        self.write_variables(frame, arguments)
        self.heap.step = frame.at + 1
        return frame

    def write_variables(self, frame: Frame, pairs: tuple[Any, ...]) -> None:
        """Record the variables of a frame whose values changed; `pairs` are names and values in turn."""
        step, variable, known = self.heap.step, self.heap.variable, frame.known
        for position in range(0, len(pairs), 2):
            name, value = pairs[position], pairs[position + 1]
            cell = variable(value)
            alike = known.get(name, SKIPPED) == cell
            if type(cell) is tuple and cell[0] == "~":  # of two long texts, the previews may be alike
                alike = alike and frame.texts.get(name) == value
                frame.texts[name] = value
            if not alike:
                known[name] = cell
                self.variables.append((step, frame.number, name, cell, frame.at))

    def hook_each(self, frame: Frame, place: int) -> None:
        if frame.fresh == place:
            frame.fresh = -1  # the loop's own step stands for its first item
            return
        if frame.pending or frame.calls:
            self.settle(frame)
        frame.at = self.emit(frame, place)
        frame.last = place
        self.current = frame

    def hook_bind(self, frame: Frame, *pairs: Any) -> None:
        # The frame may be that of an outer function, in the middle of a statement: nothing is settled here.
        self.heap.cause = frame.at
        self.write_variables(frame, pairs)

    def hook_unbind(self, frame: Frame, name: str) -> None:
        frame.known[name] = "<unbound>"
        self.variables.append((self.heap.step, frame.number, name, "<unbound>", frame.at))

    def hook_walrus(self, frame: Frame, name: str, value: Any) -> Any:
        self.heap.cause = frame.at
        self.write_variables(frame, (name, value))
        return value

    def hook_part(self, frame: Frame, slot: int, truth: bool) -> bool:
        frame.values[slot] = truth
        return truth

    def hook_case(self, frame: Frame, number: int, subject: Any) -> None:
        cell = self.heap.variable(subject)
        self.emit(frame, self.program.decision_places[number])
        self.values.append([True, cell])
        self.outcomes.append(True)

    def hook_callee(self, frame: Frame, line: int, function: Any) -> Any:
        if self.members:
            made = self.members.constructor(frame.function, function)
            if made:
                frame.calls.append(Construction(made.__self__))
                return made
            function = self.members.called(frame.function, function) or function
        frame.calls.append(self.classified(frame, line, function))
        return function

    def hook_method(self, frame: Frame, value: Any) -> Any:
        return (self.members and self.members.method(frame.function, value)) or value

    def hook_getter(self, frame: Frame, name: str, value: Any) -> Callable[[], Any]:
        assert self.members
        return self.members.getter(frame.function, name, value)

    def classified(self, frame: Frame, line: int, function: Any) -> Any:
        """Return what to do when a call ends: None, (method, container), or an opaque call to write down."""
        if id(function) in PURE:
            return None
        # By the type, since isinstance may ask an object for its __class__.
        kind = type(function)
        if kind is types.FunctionType and "@enter" in function.__code__.co_freevars:
            return None
        owners = [function] if kind in self.kinds else []
        if kind in METHODS:
            owner = function.__self__
            if kind is types.MethodType and is_rebuilt(function.__func__):
                return None
            # A method of a list or dict changes that alone, as does one of an object that all objects have.
            if type(owner) in KINDS or (kind is types.MethodWrapperType and type(owner) in self.kinds):
                return function.__name__, owner
            if type(owner) in TEXT_LIKE:
                return None
            if type(owner) in self.kinds:
                owners.append(owner)
        if issubclass(kind, type) and issubclass(function, BaseException):
            return None
        return self.opaque(frame, line, name_of(function) or kind.__name__, *owners)

    def opaque(self, frame: Frame, line: int, name: str, *seen: Any) -> OpaqueCall:
        """Return an opaque call that begins, which may change what it has `seen`."""
        return OpaqueCall(name, frame.at, line, mark=len(self.heap.rows), seen=[*seen])

    def hook_argument(self, frame: Frame, value: Any) -> Any:
        call = frame.calls[-1]
        if isinstance(call, OpaqueCall):
            call.arguments.append(self.heap.variable(value))
            if type(value) in self.kinds:
                call.seen.append(value)
            call.mark = len(self.heap.rows)
        return value

    def hook_result(self, frame: Frame, value: Any) -> Any:
        call = frame.calls.pop()
        if call is None:
            return value
        heap = self.heap
        heap.cause = frame.at
        if isinstance(call, OpaqueCall):
            call.result = heap.variable(value)
            self.end_call(frame, call)
            return value
        if isinstance(call, Construction):
            if value is not None:
                raise TypeError(f"__init__() should return None, not '{type(value).__name__}'")
            return call.made
        method, owner = call
        if method in ("append", "extend") and type(owner) is list:
            heap.grew(owner)
        elif method not in READING_METHODS:
            heap.touch(owner)
            if heap.owners:
                heap.touch_other_face(owner)
        return value

    def hook_stored(self, frame: Frame, container: Any) -> Any:
        frame.pending.append([container, NO_KEY, False])
        if type(container) not in KINDS and type(container) in self.kinds:
            # An object sets an item by a method of its own, which Python calls.
            frame.calls.append(self.opaque(frame, self.places[frame.last].line, "__setitem__", container))
        return container

    def hook_stored_below(self, frame: Frame, container: Any) -> Any:
        self.hook_stored(frame, container)
        frame.pending[-1][2] = True
        return container

    def hook_field(self, frame: Frame, name: str, value: Any) -> Any:
        frame.pending.append([value, name, False])
        return self.members.settable(frame.function, name, value) if self.members else value

    def hook_field_below(self, frame: Frame, name: str, value: Any) -> Any:
        frame.pending.append([value, name, True])
        return self.members.settable(frame.function, name, value) if self.members else value

    def hook_index(self, frame: Frame, key: Any) -> Any:
        frame.pending[-1][1] = key
        return key

    def hook_grown(self, frame: Frame, value: Any) -> None:
        self.heap.cause = frame.at
        if type(value) is list:
            self.heap.grew(value)
        else:
            self.hook_changed(frame, value)

    def hook_changed(self, frame: Frame, value: Any) -> None:
        self.heap.cause = frame.at
        if type(value) in KINDS:
            self.heap.touch(value)
        elif type(value) in self.kinds:
            self.heap.rescan(value)

    def hook_paused(self, frame: Frame, value: Any) -> Any:
        self.current = frame.parent
        return value

    def hook_resumed(self, frame: Frame, value: Any) -> Any:
        # Another function than the one that started the generator may go on with it.
        if self.current is not frame:
            frame.parent = self.current
        self.current = frame
        return value

    def hook_tick(self, _: Frame) -> bool:
        self.ticks += 1
        if self.ticks > self.limit:
            self.stop()
        return True

    def hook_returned(self, frame: Frame, place: int, value: Any) -> Any:
        self.end_frame(frame, place, "return", self.heap.variable(value))
        return value

    def hook_returning(self, frame: Frame, place: int, value: Any) -> Any:
        frame.returning = place, self.heap.variable(value)
        return value

    def hook_ended(self, frame: Frame) -> None:
        if frame.returning:
            place, cell = frame.returning
            self.end_frame(frame, place, "return", cell)

    def hook_raised(self, frame: Frame) -> None:
        error = sys.exception()
        frame.returning = None
        if error is None or isinstance(error, StepLimitError):
            return
        text = f"{type(error).__name__}: {_text_of(error)}"
        line = self.places[frame.last].line
        place = self._raise_places.get((frame.function, line))
        if place is None:
            place = self._raise_places[frame.function, line] = len(self.places)
            self.places.append(Place("raise", frame.function, line, self.places[frame.last].site))
        self.end_frame(frame, place, "raise", text if len(text) <= 200 else f"{text[:200]}…")

    def end_frame(self, frame: Frame, place: int, name: str, cell: Cell) -> None:
        """Add the last step of a call; what it returned or raised shows at that step."""
        if frame.pending or frame.calls:
            self.settle(frame)
        step = self.emit(frame, place)
        self.variables.append((step, frame.number, name, cell, frame.at))
        self.current = frame.parent


HOOKS = tuple(name.removeprefix("hook_") for name in vars(Recorder) if name.startswith("hook_"))

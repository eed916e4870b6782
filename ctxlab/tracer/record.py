"""One recording: runs rebuilt functions and writes down every step, decision and change of the run."""

import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.tracer.heap import KINDS, Cell, Heap
from ctxlab.tracer.instrument import Place, Program, Traced, instrument
from ctxlab.tracer.pure import PURE

# What stands for a part of a condition that was not evaluated.
SKIPPED: Cell = ()
READING_METHODS = frozenset("copy count get index items keys values".split())
TEXT_LIKE = (str, bytes, int, float, bool, complex)
NO_KEY = object()


# From which step on, in which frame, the name, its cell, and the step whose statement bound it.
VariableRow = tuple[int, int, str, Cell, int]


class StepLimitError(BaseException):
    """The run has reached the step limit. Not an Exception, so that no handler of the run takes it for its own."""


class Frame:
    """One call of a traced function while it runs."""

    __slots__ = ("at", "calls", "depth", "fresh", "function", "known", "last", "number", "parent", "pending", "values")

    def __init__(self, number: int, function: int, depth: int, parent: "Frame | None") -> None:
        self.number = number
        self.function = function
        self.depth = depth
        self.parent = parent
        self.at = 0  # the step of the statement that is running
        self.last = 0  # the place of that step
        self.fresh = -1  # the place of a for loop that has taken no item yet
        self.known: dict[str, Cell] = {}  # the last recorded value of each variable
        self.values: dict[int, Cell] = {}  # what the parts of the condition under way have shown, by slot
        self.calls: list[Any] = []  # the calls under way of functions that are not traced
        self.pending: list[list[Any]] = []  # containers that the running statement stores into


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


def record(functions: list[Traced], arguments: tuple[list[Any], dict[str, Any]], step_limit: int) -> Recording:
    """Run the first of `functions` with these positional and keyword arguments and return the recording.

    An exception of the run is its outcome; only KeyboardInterrupt passes through.
    """
    program = instrument(functions)
    recorder = _Recorder(program, step_limit)
    rebuilt = program.bind(functions, recorder.hooks())
    recorder.traced.update(id(function) for function in rebuilt)
    outcome = _run(rebuilt[0], *arguments)
    return recorder.finish(outcome)


def _run(function: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Outcome:
    try:
        return Outcome("returned", value=function(*positional, **named))
    except KeyboardInterrupt:
        raise
    except StepLimitError:
        return Outcome("step_limit", message="the run reached the step limit and was stopped")
    except Refusal as refusal:
        return Outcome("refused", refusal.code, "Refusal", str(refusal))
    except BaseException as error:  # noqa: BLE001 - whatever ends the run is what the learner wants to see
        return Outcome("error", None, type(error).__name__, _text_of(error))


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a learner's exception may have a broken __str__
        return "(the exception cannot be shown as text)"


class _Recorder:
    def __init__(self, program: Program, step_limit: int) -> None:
        self.program = program
        self.limit = step_limit
        self.heap = Heap()
        self.places = list(program.places)
        self.steps: list[int] = []
        self.turns: list[tuple[int, int]] = []
        self.frames: list[tuple[int, int, str]] = []
        self.variables: list[VariableRow] = []
        self.outcomes: list[bool] = []
        self.values: list[list[Cell]] = []
        self.calls: list[OpaqueCall] = []
        self.traced: set[int] = set()
        self.current: Frame | None = None  # the frame that is running
        self.shown: Frame | None = None  # the frame of the last step
        self.ticks = 0
        self.finished = False
        self._raise_places: dict[tuple[int, int], int] = {}

    def finish(self, outcome: Outcome) -> Recording:
        # A generator that is closed later must not reach the lists of the recording, nor be stopped for its steps.
        self.finished = True
        heap = self.heap
        heap.step = len(self.steps)
        returned = heap.cell(outcome.value) if outcome.kind == "returned" else None
        missed = heap.recheck()
        recording = Recording(
            self.program,
            heap,
            self.places,
            self.steps[:],
            self.turns[:],
            self.frames[:],
            self.variables[:],
            self.outcomes[:],
            self.values[:],
            self.calls[:],
            outcome,
            returned,
            missed,
        )
        self.heap = Heap()
        return recording

    def hooks(self) -> dict[str, Callable[..., Any]]:
        """Return the hooks by name. `line` and `test` are closures over locals, since most time is spent in them."""
        steps, heap, limit = self.steps, self.heap, self.limit
        values, outcomes = self.values, self.outcomes
        sites, decision_places = self.program.sites, self.program.decision_places
        variable = heap.variable

        def line(frame: Frame, place: int) -> None:
            if frame.pending or frame.calls:
                self.settle(frame)
            if frame.values:
                frame.values.clear()
            step = len(steps)
            if frame is not self.shown:
                self.turn(frame)
            if step >= limit:
                self.stop()
            frame.at = step
            frame.last = frame.fresh = place
            steps.append(place)
            heap.step = step + 1

        def test(frame: Frame, number: int, value: Any) -> bool:
            truth = True if value else False
            site = sites[number]
            slots = frame.values
            if site.single:
                slots[site.first] = truth
                if not site.parts[0].compare:
                    slots[site.first + 1] = variable(value)
            values.append([slots.pop(slot, SKIPPED) for slot in range(site.first, site.end)])
            outcomes.append(truth)
            self.emit(frame, decision_places[number])
            return truth

        def operand(frame: Frame, slot: int, value: Any) -> Any:
            frame.values[slot] = variable(value)
            return value

        own = {name: getattr(self, f"hook_{name}") for name in HOOKS}
        return {**own, "line": line, "test": test, "operand": operand}

    # Steps

    def emit(self, frame: Frame, place: int) -> int:
        """Add a step at `place` and return its number."""
        step = len(self.steps)
        if frame is not self.shown:
            self.turn(frame)
        if step >= self.limit:
            self.stop()
        self.steps.append(place)
        self.heap.step = step + 1
        return step

    def turn(self, frame: Frame) -> None:
        self.turns.append((len(self.steps), frame.number))
        self.shown = self.current = frame

    def stop(self) -> None:
        if not self.finished:
            raise StepLimitError

    def settle(self, frame: Frame) -> None:
        """Record what the statement that just ended has changed."""
        heap = self.heap
        heap.cause = frame.at
        for container, key, deep in frame.pending:
            if deep:
                heap.rescan(container)
            elif type(container) is list and type(key) is int:
                heap.replaced(container, key)
            elif type(container) in KINDS:
                heap.touch(container)
        frame.pending.clear()
        # Calls that are still under way here were ended by an exception.
        while frame.calls:
            call = frame.calls.pop()
            if isinstance(call, OpaqueCall):
                self.end_call(frame, call)

    def end_call(self, frame: Frame, call: OpaqueCall) -> None:
        self.heap.cause = frame.at
        for container in call.seen:
            self.heap.rescan(container)
        call.seen = []
        self.calls.append(call)

    # Hooks, as listed in `instrument`

    def hook_enter(self, function: int, name: str, place: int, *arguments: Any) -> Frame:
        parent = self.current
        frame = Frame(len(self.frames), function, parent.depth + 1 if parent else 0, parent)
        self.frames.append((function, frame.depth, name))
        frame.at = self.emit(frame, place)
        self.heap.cause = frame.at
        frame.last = place
        # The arguments show at the step of the call itself.
        self.heap.step = frame.at
        self.write_variables(frame, arguments)
        self.heap.step = frame.at + 1
        return frame

    def write_variables(self, frame: Frame, pairs: tuple[Any, ...]) -> None:
        step, variable, known = self.heap.step, self.heap.variable, frame.known
        for position in range(0, len(pairs), 2):
            name = pairs[position]
            cell = variable(pairs[position + 1])
            if known.get(name, SKIPPED) != cell:
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

    def hook_bind(self, frame: Frame, *pairs: Any) -> None:
        if frame.pending or frame.calls:
            self.settle(frame)
        self.heap.cause = frame.at
        self.write_variables(frame, pairs)

    def hook_unbind(self, frame: Frame, name: str) -> None:
        frame.known[name] = "<unbound>"
        self.variables.append((self.heap.step, frame.number, name, "<unbound>", frame.at))

    def hook_walrus(self, frame: Frame, name: str, value: Any) -> Any:
        self.heap.cause = frame.at
        self.write_variables(frame, (name, value))
        return value

    def hook_part(self, frame: Frame, slot: int, value: Any) -> bool:
        truth = frame.values[slot] = True if value else False
        return truth

    def hook_leaf(self, frame: Frame, slot: int, value: Any) -> bool:
        truth = frame.values[slot] = True if value else False
        frame.values[slot + 1] = self.heap.variable(value)
        return truth

    def hook_case(self, frame: Frame, number: int, subject: Any) -> None:
        self.values.append([True, self.heap.variable(subject)])
        self.outcomes.append(True)
        self.emit(frame, self.program.decision_places[number])

    def hook_callee(self, frame: Frame, function: Any) -> Any:
        frame.calls.append(self.classified(function))
        return function

    def classified(self, function: Any) -> Any:
        """Return what to do when the call ends: None, (method, container), or an opaque call to write down."""
        if id(function) in PURE or id(function) in self.traced:
            return None
        if isinstance(function, types.BuiltinMethodType):
            owner = function.__self__
            if type(owner) in KINDS:
                return function.__name__, owner
            if type(owner) in TEXT_LIKE:
                return None
        if isinstance(function, type) and issubclass(function, BaseException):
            return None
        name = getattr(function, "__name__", None) if isinstance(function, (type, *FUNCTIONS)) else None
        return OpaqueCall(name or type(function).__name__, mark=len(self.heap.rows))

    def hook_argument(self, frame: Frame, value: Any) -> Any:
        call = frame.calls[-1]
        if isinstance(call, OpaqueCall):
            call.arguments.append(self.heap.variable(value))
            if type(value) in KINDS:
                call.seen.append(value)
            call.mark = len(self.heap.rows)
        return value

    def hook_result(self, frame: Frame, line: int, value: Any) -> Any:
        call = frame.calls.pop()
        if call is None:
            return value
        heap = self.heap
        heap.cause = frame.at
        if isinstance(call, OpaqueCall):
            call.step, call.line, call.result = frame.at, line, heap.variable(value)
            self.end_call(frame, call)
            return value
        method, owner = call
        if method in ("append", "extend") and type(owner) is list:
            heap.grew(owner)
        elif method not in READING_METHODS:
            heap.touch(owner)
        return value

    def hook_stored(self, frame: Frame, container: Any) -> Any:
        frame.pending.append([container, NO_KEY, False])
        return container

    def hook_stored_below(self, frame: Frame, container: Any) -> Any:
        frame.pending.append([container, NO_KEY, True])
        return container

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

    def hook_own_names(self, frame: Frame, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: item for name, item in value.items() if not name.startswith("@")}
        return [name for name in value if not name.startswith("@")]

    def hook_paused(self, frame: Frame, value: Any) -> Any:
        self.current = frame.parent
        return value

    def hook_resumed(self, frame: Frame, value: Any) -> Any:
        self.current = frame
        return value

    def hook_tick(self, frame: Frame) -> bool:
        self.ticks += 1
        if self.ticks > self.limit:
            self.stop()
        return True

    def hook_returned(self, frame: Frame, place: int, value: Any) -> Any:
        self.end_frame(frame, place, "return", self.heap.variable(value))
        return value

    def hook_raised(self, frame: Frame) -> None:
        error = sys.exception()
        if self.finished or error is None or isinstance(error, StepLimitError):
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


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
HOOKS = tuple(name.removeprefix("hook_") for name in vars(_Recorder) if name.startswith("hook_"))

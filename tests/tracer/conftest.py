"""The oracle of the tracer's tests: an untraced run beside a traced one, live values beside recorded ones."""

import importlib.util
import inspect
import re
import sys
import textwrap
import traceback
import types
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from ctxlab.tracer.heap import KINDS, label
from ctxlab.tracer.instrument import Program
from ctxlab.tracer.restore import Fields
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

OWN_FRAME = re.compile(r"@f\d+")
# A stop at `except ... as error` shows the state before that line, so the name is not bound yet.
HANDLED = re.compile(r"<\w*(Error|Exception|ExceptionGroup|GeneratorExit|StopIteration)>")


def shape(value: Any, seen: dict[int, int] | None = None) -> Any:
    """Return what a recording can show of a value: contents by kind and order, aliases by first visit."""
    seen = {} if seen is None else seen
    kind = "o" if type(value) is Fields or is_shown(value) else KINDS.get(type(value))
    if kind is None:
        if value is None or type(value) in (bool, str):
            return value
        return number(value) if type(value) in (int, float, complex) else label(value)
    if id(value) in seen:
        return ("again", seen[id(value)])
    seen[id(value)] = len(seen)
    if kind == "o":
        fields = value if type(value) is Fields else fields_of(value)
        name = value.class_name if type(value) is Fields else type(value).__name__
        return ("o", name, [(key, shape(item, seen)) for key, item in fields.items()])
    if kind == "d":
        return ("d", [(shape_of_fixed(key, seen), shape(item, seen)) for key, item in value.items()])
    if kind == "s":
        return ("s", sorted(repr(shape_of_fixed(item)) for item in value))
    return (kind, [shape(item, seen) for item in value])


def shape_of_fixed(value: Any, seen: dict[int, int] | None = None) -> Any:
    """Return the shape of a key or of an item of a set, where an object is a label."""
    return label(value) if is_shown(value) else shape(value, seen)


def is_shown(value: Any) -> bool:
    """Say whether a value is an object of a class of these tests, which is recorded with its fields."""
    kind = type(value)
    is_data = issubclass(kind, (BaseException, Enum, type, *KINDS, str, int, float, complex))
    return not is_data and kind.__module__.rpartition(".")[2].startswith(("test_", "made"))


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of an object, read as a debugger would; no method of it is asked."""
    slots = [
        (name, slot)
        for base in reversed(type(value).__mro__)
        for name, slot in vars(base).items()
        if inspect.ismemberdescriptor(slot)
    ]
    found = {}
    for name, slot in slots:
        with suppress(AttributeError):
            found[name] = slot.__get__(value)
    with suppress(AttributeError):
        found |= object.__getattribute__(value, "__dict__")
    return found


def number(value: float | complex) -> str:
    try:
        return repr(value)
    except ValueError:  # Python prints no int of more than 4,300 digits
        return f"an int of {int(value.real).bit_length()} bits"


def own_frame(frame: types.FrameType) -> str | None:
    """Return the name under which a rebuilt function keeps the recorder's frame, or None."""
    names = [*frame.f_code.co_varnames, *frame.f_code.co_cellvars]
    return next((name for name in names if OWN_FRAME.fullmatch(name)), None)


class Watcher:
    """Writes down the live variables of every running frame at every line, and how the entry call failed."""

    def __init__(self) -> None:
        self.moments: list[
            tuple[int, int, bool, dict[str, Any]]
        ] = []  # step, frame, whether it runs, variables
        self.failure: str | None = None
        self.hooks: dict[str, Callable[..., Any]] = {}

    def watched(self, hooks: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
        def line(frame: Any, place: int) -> None:
            hooks["line"](frame, place)
            self.look(frame.at, sys._getframe(1))

        def raised(frame: Any) -> None:
            hooks["raised"](frame)
            if frame.number == 0:
                error = sys.exception()
                self.failure = "".join(traceback.format_exception(error))

        return {**hooks, "line": line, "raised": raised}

    def look(self, step: int, frame: types.FrameType | None) -> None:
        running = True
        while frame is not None:
            name = own_frame(frame)
            if name is not None and name in frame.f_locals:
                own = set(frame.f_code.co_varnames) | set(frame.f_code.co_cellvars)
                values = {
                    key: shape(value)
                    for key, value in frame.f_locals.items()
                    if key in own and key[0] not in "@."
                }
                self.moments.append((step, frame.f_locals[name].number, running, values))
                running = False
            frame = frame.f_back


def differences(recorded: Trace, watcher: Watcher) -> list[str]:
    """Return where a trace, read back from its JSON form, shows another state than the one that was live."""
    found = []
    back = Trace.from_json(recorded.to_json())
    for step, frame, running, live in watcher.moments:
        shown = back.variables(step, frame)
        for name in live.keys() | shown.keys():
            if name not in live:
                found.append(f"step {step}, frame {frame}: {name} is shown but not live")
            elif name not in shown:
                # From Python 3.12 on, a comprehension under way keeps its names among the function's.
                if running and not HANDLED.fullmatch(str(live[name])):
                    found.append(f"step {step}, frame {frame}: {name} is live but not shown")
            elif not alike(live[name], shown[name]):
                found.append(
                    f"step {step}, frame {frame}: {name} is {live[name]!r}, shown {shape(shown[name])!r}"
                )
    return found


def alike(live: Any, shown: Any) -> bool:
    if isinstance(live, str) and isinstance(shown, str) and shown.endswith("…"):
        return live.startswith(shown[:-1])
    return live == shape(shown) or (isinstance(shown, str) and live == shown)


def _untraced(fn: Callable[..., Any], arguments: list[Any]) -> tuple[Any, str | None]:
    try:
        return shape(fn(*arguments)), None
    except BaseException as error:
        own = error.__traceback__.tb_next if error.__traceback__ else None
        return None, "".join(traceback.format_exception(error.with_traceback(own)))


@pytest.fixture
def module_of(tmp_path: Path) -> Callable[..., types.ModuleType]:
    """Write a module and import it, without pytest's changes to its assertions: `module_of(text)`."""

    def made(text: str, name: str = "made") -> types.ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return made


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Trace, Watcher]]:
    """Trace a function while a watcher compares: `watched(fn, *args, **options) -> (trace, watcher)`."""
    bind = Program.bind

    def traced(fn: Callable[..., Any], *args: Any, **options: Any) -> tuple[Trace, Watcher]:
        watcher = Watcher()

        def watching(program: Program, functions: Any, hooks: Any) -> Any:
            plain = {name: cell.cell_contents for name, cell in hooks.items()}
            for name, hook in watcher.watched(plain).items():
                hooks[name].cell_contents = hook
            return bind(program, functions, hooks)

        with monkeypatch.context() as patch:
            patch.setattr(Program, "bind", watching)
            return trace(fn, *args, **options), watcher

    return traced


@pytest.fixture
def same(watched: Callable[..., tuple[Trace, Watcher]]) -> Callable[..., Trace]:
    """Run a function untraced and traced; assert that both do the same, with the live state recorded.

    `same(fn, make=make)`: `make()` returns fresh arguments; `same(fn, 1, 2)` passes values that no run
    changes. `state=False` does not compare the state (it changes behind the tracer's back); `again()` puts
    global things back between the runs.
    """

    def check(
        fn: Callable[..., Any],
        *args: Any,
        make: Callable[[], list[Any]] | None = None,
        again: Callable[[], None] = lambda: None,
        state: bool = True,
    ) -> Trace:
        make = make or (lambda: list(args))
        again()
        plain_arguments = make()
        result, failure = _untraced(fn, plain_arguments)
        again()
        arguments = make()
        recorded, watcher = watched(fn, *arguments)
        assert watcher.failure == failure
        if failure is None:
            assert recorded.outcome.kind == "returned"
            assert shape(recorded.outcome.value) == result
        else:
            assert recorded.outcome.kind in ("error", "refused")
        assert shape(arguments) == shape(plain_arguments)
        assert watcher.moments
        if state:
            assert differences(recorded, watcher) == []
            assert not [note for note in recorded.data["notes"] if "without being seen" in note]
        return recorded

    return check

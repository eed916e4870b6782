"""Running code that nobody has read, so that it cannot harm the kernel.

Code that loops for ever, ends the program, prints without end or raises anything is stopped, and what it did
is told. A timer cannot reach one call of C code that never returns, `os._exit`, or the use of all memory.
"""

import functools
import io
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ctxlab.errors import CtxlabError, Refusal
from ctxlab.messages.wording import visible

T = TypeVar("T")

MOST_PRINTED = 2000  # characters
MOST_MESSAGE = 200  # characters

# Once the time is up, the timer strikes again every AGAIN seconds until the code has ended, since an `except`
# of the code may catch a stroke; and sooner after one that came from the trace function.
AGAIN = 0.01
SOON = 0.00001


class TimeUp(BaseException):
    """The time is up. Not an Exception, so that few handlers of the code catch it."""


@dataclass(frozen=True)
class Failure:
    """An exception that ended a call.

    kind     refused (a Refusal, whose `code` is given), not_written (NotImplementedError), exited
             (SystemExit) or raised
    lines    the last line that ran in each file of its traceback
    """

    kind: str
    type: str
    code: str = ""
    message: str = ""
    lines: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Ended(Generic[T]):
    """How a guarded call ended: with a value, with a failure, or (neither) because its time was up.

    `output` is the start of what it printed, `printed` how many characters that were in all.
    """

    value: T | None
    failure: Failure | None
    timed_out: bool
    output: str
    printed: int


def guarded(call: Callable[[], T], seconds: float, namespace: dict[str, Any]) -> Ended[T]:
    """Run `call` for at most `seconds` and return how it ended. Only KeyboardInterrupt passes through.

    `namespace` are the globals of the code. In them `exit`, `quit` and `input` stand for something harmless
    meanwhile: those of a notebook would end its kernel or wait for a person. Raises CtxlabError outside the
    main thread, where no timer can interrupt a call.
    """
    if threading.current_thread() is not threading.main_thread():
        raise CtxlabError("code can be checked in the main thread only; run the cell itself, not a thread")
    printed = Printed()
    watch = Watch()
    recursion, tracer = sys.getrecursionlimit(), sys.gettrace()
    value, failure = None, None
    with _shadowed(namespace), _captured(printed), _timer(watch, seconds):
        try:
            try:
                watch.armed = True
                value, failure = _outcome(call)
            finally:
                # First of all, and in this frame, so that neither the timer nor a low limit gets in between.
                watch.armed = False
                sys.setrecursionlimit(recursion)
                sys.settrace(tracer)
        except TimeUp:
            pass
    if watch.struck:
        # Whatever the code made of it, as in a last `except`.
        value, failure = None, None
    return Ended(value, failure, watch.struck, printed.start, printed.length)


def python_code(function: Any) -> types.FunctionType | None:
    """Return the function written in Python that a callable calls first, or None."""
    found = function
    if type(found) is functools.partial:
        found = found.func
    if type(found) is types.MethodType:
        found = found.__func__
    return found if type(found) is types.FunctionType else None


def namespace_of(function: Any) -> dict[str, Any]:
    """Return the globals of the Python code behind a callable; {} where there is none."""
    found = python_code(function)
    return found.__globals__ if found else {}


class Watch:
    """What the timer may interrupt: the calls above `frame`, while it is armed."""

    def __init__(self) -> None:
        self.frame = sys._getframe(1)
        self.armed = False
        self.striking = False
        self.struck = False

    def strike(self, _number: int, frame: types.FrameType | None) -> None:
        """Raise TimeUp in the code that is running, as the handler of a signal."""
        if not self.armed or self.striking:
            return
        self.struck = True
        self.striking = True  # so that the next stroke does not fall into this one
        # An `except` of the code may catch this stroke. The next line that it runs then gets another one,
        # which that `except` can catch no more.
        while frame is not None and frame is not self.frame:
            frame.f_trace = self.trace
            frame = frame.f_back
        sys.settrace(self.trace)
        self.striking = False
        raise TimeUp

    def trace(self, _frame: types.FrameType, event: str, _value: Any) -> Any:
        """Raise TimeUp at the next line or call, as a trace function."""
        if self.armed and event in ("line", "call"):
            # Python takes the trace function away when it raises. A third stroke meets the code outside of
            # this `except` too, if there are others around it.
            signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN)
            raise TimeUp
        return self.trace


class Printed(io.TextIOBase):
    """A stream that keeps the start of what is written to it, and forgets the rest."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.start = ""
        self.length = 0

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, text: str) -> int:
        """Count the text, and keep as much of it as there is room for."""
        self.start += text[: MOST_PRINTED - len(self.start)]
        self.length += len(text)
        return len(text)


def _outcome(call: Callable[[], T]) -> tuple[T | None, Failure | None]:
    # What an exception says is looked at here, while the timer runs: its own methods may do anything.
    try:
        return call(), None
    except (KeyboardInterrupt, TimeUp):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the code raises is what the learner wants to see
        return None, _failure(error)


def _failure(error: BaseException) -> Failure:
    kind = name_of_type(error)
    lines: dict[str, int] = {}
    try:
        place = error.__traceback__
        while place is not None:
            lines[place.tb_frame.f_code.co_filename] = place.tb_lineno
            place = place.tb_next
        if isinstance(error, SystemExit):
            return Failure("exited", kind, lines=lines)
        if isinstance(error, SyntaxError) and error.filename and error.lineno:
            lines[error.filename] = error.lineno
        said = error.msg if isinstance(error, SyntaxError) else error
        message = visible(str(said)[:MOST_MESSAGE])
        if isinstance(error, NotImplementedError):
            return Failure("not_written", kind, message=message, lines=lines)
        # A learner's own kind of refusal may lack a code; then it is no named "no".
        if isinstance(error, Refusal) and type(error.code) is str:
            return Failure("refused", kind, visible(error.code), message, lines)
        return Failure("raised", kind, message=message, lines=lines)
    except (KeyboardInterrupt, TimeUp):
        raise
    except BaseException:  # noqa: BLE001 - the methods of a learner's exception may do anything, exit included
        return Failure("raised", kind, message="(the exception cannot be shown as text)", lines=lines)


def name_of_type(value: Any) -> str:
    """Return the name of a value's type, whatever its class says about itself."""
    # The class of a class may answer for `__name__`; the slot of `type` itself may not be overruled.
    name: str = type.__dict__["__name__"].__get__(type(value))
    return visible(name[:60])


def _exit(code: Any = None) -> None:
    raise SystemExit(code)


def _no_input(_prompt: Any = "") -> str:
    raise EOFError("nobody answers during a check")


SHADOWS: dict[str, Callable[..., Any]] = {"exit": _exit, "quit": _exit, "input": _no_input}


@contextmanager
def _shadowed(namespace: dict[str, Any]) -> Iterator[None]:
    before = {name: namespace[name] for name in SHADOWS if name in namespace}
    # A function of that name which is written in Python is the learner's own.
    shadows = {
        name: shadow for name, shadow in SHADOWS.items() if type(before.get(name)) is not types.FunctionType
    }
    namespace.update(shadows)
    try:
        yield
    finally:
        for name, shadow in shadows.items():
            # The code may have given the name a meaning of its own.
            if namespace.get(name) is shadow:
                del namespace[name]
                if name in before:
                    namespace[name] = before[name]


def _untold(_unraisable: Any) -> None:
    """Say nothing of an exception that nobody can catch."""


@contextmanager
def _captured(printed: Printed) -> Iterator[None]:
    streams = sys.stdin, sys.stdout, sys.stderr
    hook = sys.unraisablehook
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), printed, printed
    # What a `__del__` raises, or the timer in it, is told to nobody.
    sys.unraisablehook = _untold
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.unraisablehook = hook


@contextmanager
def _timer(watch: Watch, seconds: float) -> Iterator[None]:
    started = time.monotonic()
    handler = signal.signal(signal.SIGALRM, watch.strike)
    # A time of 0 would switch the timer off.
    left, interval = signal.setitimer(signal.ITIMER_REAL, max(seconds, SOON), AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        if left:
            # A timer that was running before goes on; if its time came meanwhile, it strikes now.
            passed = time.monotonic() - started
            signal.setitimer(signal.ITIMER_REAL, max(left - passed, SOON), interval)

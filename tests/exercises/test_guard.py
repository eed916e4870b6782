"""Code that harms: it is stopped, told, and everything it could have left behind is as it was."""

import builtins
import functools
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ctxlab.errors import CtxlabError, Refusal
from ctxlab.exercises.guard import MOST_PRINTED, Ended, Failure, guarded, namespace_of, python_code

SOON = 0.1


def run(call: Callable[[], Any], seconds: float = 5.0, namespace: dict[str, Any] | None = None) -> Ended[Any]:
    return guarded(call, seconds, globals() if namespace is None else namespace)


def failure(call: Callable[[], Any]) -> Failure:
    found = run(call).failure
    assert found is not None
    return found


def raising(error: BaseException) -> Callable[[], Any]:
    def call() -> None:
        raise error

    return call


@pytest.fixture(autouse=True)
def everything_as_before() -> Iterator[None]:
    """What a kernel needs is the same after each test as before it."""

    def state() -> list[Any]:
        streams = [sys.stdin, sys.stdout, sys.stderr]
        timers = [signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)]
        return [*streams, *timers, sys.getrecursionlimit(), sys.gettrace(), sorted(globals())]

    before = state()
    yield
    assert state() == before


class TestValue:
    def test_is_that_of_the_call(self) -> None:
        assert run(lambda: 7) == Ended(7, None, False, "", 0)

    def test_what_is_printed_is_captured_in_order(self, capsys: pytest.CaptureFixture[str]) -> None:
        def call() -> None:
            print("one")
            print("two", file=sys.stderr)

        assert run(call).output == "one\ntwo\n"
        assert capsys.readouterr() == ("", "")

    def test_100_megabytes_of_output_are_counted_and_forgotten(self) -> None:
        ended = run(lambda: [print("x" * 1_000_000, end="") for _ in range(100)])
        assert (ended.output, ended.printed) == ("x" * MOST_PRINTED, 100_000_000)

    def test_a_stream_that_the_code_puts_in_the_place_of_another_goes_again(self) -> None:
        def call() -> None:
            sys.stdout = sys.stderr = None  # type: ignore[assignment]

        assert run(call).failure is None


class TestTime:
    def stopped(self, call: Callable[[], Any]) -> None:
        started = time.monotonic()
        ended = run(call, SOON)
        assert ended.timed_out
        assert (ended.value, ended.failure) == (None, None)
        assert SOON <= time.monotonic() - started < 5

    def test_an_endless_loop(self) -> None:
        def call() -> None:
            while True:
                pass

        self.stopped(call)

    def test_a_loop_that_catches_everything(self) -> None:
        def call() -> None:
            while True:
                try:
                    while True:
                        pass
                except:  # noqa: E722
                    pass

        self.stopped(call)

    def test_a_sleep_that_is_taken_up_again(self) -> None:
        def call() -> None:
            while True:
                try:
                    time.sleep(100)
                except BaseException:
                    continue

        self.stopped(call)

    def test_a_value_returned_after_the_time_was_up_does_not_count(self) -> None:
        def call() -> int:
            try:
                time.sleep(100)
            except BaseException:
                return 7
            return 8

        self.stopped(call)

    def test_a_loop_that_catches_everything_in_another_one(self) -> None:
        def inner() -> None:
            while True:
                try:
                    while True:
                        pass
                except:  # noqa: E722
                    pass

        def call() -> None:
            while True:
                try:
                    inner()
                except BaseException:
                    time.sleep(0)

        self.stopped(call)

    def test_a_generator_that_catches_everything(self) -> None:
        def items() -> Iterator[int]:
            while True:
                try:
                    yield 1
                except GeneratorExit:  # it is thrown away; whoever ignores that gets a warning from Python
                    return
                except BaseException:
                    continue

        def call() -> None:
            for _ in items():
                try:
                    sum(range(1000))
                except BaseException:
                    continue

        self.stopped(call)

    def test_deep_in_a_recursion(self) -> None:
        def call(depth: int = 0) -> None:
            while depth >= 500:
                try:
                    time.sleep(100)
                except BaseException:
                    continue
            call(depth + 1)

        self.stopped(call)

    def test_a_flood_of_output(self) -> None:
        def call() -> None:
            while True:
                print("more")

        self.stopped(call)

    def test_an_exception_whose_text_never_ends(self) -> None:
        class EndlessError(Exception):
            def __str__(self) -> str:
                while True:
                    pass

        self.stopped(raising(EndlessError()))

    def test_a_time_of_nothing_is_short_and_not_endless(self) -> None:
        def call() -> None:
            while True:
                pass

        assert run(call, 0).timed_out

    def test_a_call_that_ends_in_time_is_not_stopped_later(self) -> None:
        assert run(lambda: 1, SOON).value == 1
        time.sleep(2 * SOON)


class TestFailure:
    @pytest.mark.parametrize("leave", [lambda: exit(), lambda: quit(1), lambda: sys.exit("no")])
    def test_ending_the_program(self, leave: Callable[[], Any]) -> None:
        assert failure(leave).kind == "exited"

    @pytest.mark.parametrize("error", [ValueError("odd"), BaseException("odd"), GeneratorExit("odd")])
    def test_any_exception(self, error: BaseException) -> None:
        found = failure(raising(error))
        assert (found.kind, found.type, found.message) == ("raised", type(error).__name__, "odd")

    def test_a_refusal_has_its_code(self) -> None:
        found = failure(raising(Refusal("pending", "message 1 is open")))
        assert (found.kind, found.code, found.message) == ("refused", "pending", "message 1 is open")

    def test_a_refusal_without_a_code_is_an_exception(self) -> None:
        class Odd(Refusal):
            def __init__(self) -> None:
                pass

        assert failure(raising(Odd())).kind == "raised"

    def test_what_is_not_written_yet(self) -> None:
        assert failure(raising(NotImplementedError("not written yet"))).kind == "not_written"

    def test_endless_recursion(self) -> None:
        def call() -> None:
            call()

        assert failure(call).type == "RecursionError"

    def test_the_line_is_the_last_one_in_each_file(self) -> None:
        line = raising.__code__.co_firstlineno + 2
        assert failure(raising(ValueError())).lines[__file__] == line

    def test_a_syntax_error_has_the_line_of_the_text(self) -> None:
        found = failure(lambda: compile("x = 1\ny = (\n", "own.py", "exec"))
        assert found.lines["own.py"] == 2
        assert found.message == "'(' was never closed"

    @pytest.mark.parametrize(
        "does", [lambda: 1 / 0, lambda: sys.exit(), lambda: 7], ids=["raises", "exits", "returns no text"]
    )
    def test_an_exception_that_cannot_be_shown(self, does: Callable[[], Any]) -> None:
        class OddError(Exception):
            def __str__(self) -> str:
                return does()  # type: ignore[no-any-return]

        found = failure(raising(OddError()))
        assert (found.type, found.message) == ("OddError", "(the exception cannot be shown as text)")

    def test_a_long_message_is_cut_and_one_line(self) -> None:
        message = failure(raising(ValueError("a\nb" * 1_000_000))).message
        assert message.startswith("a\\nba\\nb")
        assert len(message) < 500

    def test_a_type_that_lies_about_its_name(self) -> None:
        class Liar(type):
            __name__ = property(lambda cls: 1 / 0)  # type: ignore[assignment]

        class OddError(Exception, metaclass=Liar):
            pass

        found = failure(raising(OddError("hm")))
        assert (found.kind, found.type, found.message) == ("raised", "OddError", "hm")

    def test_ctrl_c_passes_through(self) -> None:
        # The fixture checks that everything is as before all the same.
        with pytest.raises(KeyboardInterrupt):
            run(raising(KeyboardInterrupt()))


class TestNames:
    def test_the_exit_of_a_notebook_is_never_called(self) -> None:
        called = []

        class Exit:
            def __call__(self) -> None:
                called.append("the kernel would end")

        own = Exit()
        namespace: dict[str, Any] = {"exit": own}
        exec("def leave(): exit()", namespace)
        found = run(namespace["leave"], namespace=namespace).failure
        assert found is not None
        assert found.kind == "exited"
        assert called == []
        assert namespace["exit"] is own
        assert not {"quit", "input"} & set(namespace)

    def test_a_function_of_that_name_is_the_learners_own(self) -> None:
        namespace: dict[str, Any] = {}
        exec("def exit(): return 'the last line'\ndef call(): return exit()", namespace)
        assert run(namespace["call"], namespace=namespace).value == "the last line"

    def test_a_meaning_given_meanwhile_stays(self) -> None:
        namespace: dict[str, Any] = {}
        assert run(lambda: exec("from sys import exit", namespace), namespace=namespace).failure is None
        assert namespace["exit"] is sys.exit

    def test_nobody_answers(self) -> None:
        assert failure(lambda: input("Your name? ")).type == "EOFError"
        assert failure(lambda: builtins.input()).type == "EOFError"


class TestWhatIsPutBack:
    def test_the_recursion_limit(self) -> None:
        # The fixture compares it.
        run(lambda: sys.setrecursionlimit(100_000))
        low = sys.getrecursionlimit()
        run(lambda: sys.setrecursionlimit(len(frames()) + 20))
        assert sys.getrecursionlimit() == low

    def test_a_timer_that_was_running_goes_on(self) -> None:
        struck: list[float] = []
        before = signal.signal(signal.SIGALRM, lambda *_: struck.append(time.monotonic()))
        started = time.monotonic()
        try:
            signal.setitimer(signal.ITIMER_REAL, 3 * SOON)
            run(lambda: time.sleep(SOON))
            assert struck == []
            assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 2 * SOON
            time.sleep(3 * SOON)
            assert struck[0] - started >= 3 * SOON
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_a_timer_whose_time_came_meanwhile_strikes_afterwards(self) -> None:
        struck: list[str] = []
        before = signal.signal(signal.SIGALRM, lambda *_: struck.append("outer"))
        try:
            signal.setitimer(signal.ITIMER_REAL, SOON)
            ended = run(lambda: [time.sleep(2 * SOON), list(struck)][1])
            assert ended.value == []
            time.sleep(SOON)
            assert struck == ["outer"]
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_a_handler_that_the_code_installs_goes_again(self) -> None:
        # The fixture compares it.
        assert run(lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN)).failure is None


def frames() -> list[Any]:
    found, frame = [], sys._getframe()
    while frame is not None:
        found.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return found


def test_outside_the_main_thread_it_says_so() -> None:
    said: list[str] = []

    def work() -> None:
        try:
            run(lambda: 1)
        except CtxlabError as error:
            said.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert said == ["code can be checked in the main thread only; run the cell itself, not a thread"]


class Owner:
    def method(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (frames, frames),
        (Owner().method, Owner.method),
        (functools.partial(frames), frames),
        (functools.partial(Owner().method), Owner.method),
        (len, None),
        (Owner, None),
    ],
)
def test_the_python_code_behind_a_callable(function: Any, code: Any) -> None:
    assert python_code(function) is code
    assert namespace_of(function) == (globals() if code else {})

"""Checks of real functions, of all the kinds that learners write and some that only enemies would."""

import asyncio
import functools
import gc
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import CtxlabError, Refusal
from ctxlab.exercises import checking
from ctxlab.exercises.checking import SOUND, TWICE_WRONG, UNSOUND, check, check_exercise
from ctxlab.exercises.exercise import Exercise, exercise
from ctxlab.exercises.generated import suspects
from ctxlab.exercises.progress_file import read
from ctxlab.exercises.verdict import Verdict
from ctxlab.reference import split_history

CUT = exercise("safe_cut")
RIGHT = CUT.callable("solution")


def verdict(function: Callable[..., Any], of: Exercise = CUT) -> Verdict:
    """The verdict of a check that leaves everything as it was and stays within its time."""

    def state() -> list[Any]:
        timers = [signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)]
        return [sys.stdin, sys.stdout, sys.stderr, *timers, sys.getrecursionlimit()]

    before = state()
    started = time.monotonic()
    found = check_exercise(of, function)
    assert time.monotonic() - started < checking.SECONDS + 3  # a busy machine may add some
    assert state() == before
    assert found.lines[0].startswith(f"{of.name}: ")
    assert all(line.isprintable() for line in found.lines)
    return found


def is_recorded(frame: FrameType) -> bool:
    """Whether a function runs as the code that the tracer built from its source."""
    return "@enter" in frame.f_code.co_freevars


def message_of(of: Exercise, name: str) -> str:
    """What whoever makes a known mistake is told."""
    return next(wrong.message for wrong in of.wrong if wrong.name == name)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Endless functions are stopped sooner."""
    monkeypatch.setattr(checking, "ENOUGH", 0.5)


class TestPasses:
    def test_the_solution(self) -> None:
        found = verdict(RIGHT)
        assert found.passed
        assert found.runs is None
        heading, tried, why = found.lines[:3]
        assert heading == "safe_cut: Passed."
        assert why == f"Why it works: {CUT.why}"
        start, count = re.fullmatch(r"(.*) and (\d+) generated inputs\.", tried).groups()  # type: ignore[union-attr]
        assert start == f"It was tried on {len(CUT.scenarios)} scenarios"
        # Of the unsound ones, those with an open call: the exercise says what comes of them.
        assert int(count) == SOUND + UNSOUND

    def test_and_then_says_what_a_common_wrong_version_does(self) -> None:
        wrong = CUT.wrong[0]
        assert verdict(RIGHT).lines[3:] == (
            f"A common wrong version ({wrong.name}) on the scenario normal:",
            "  Expected: returned 3",
            "  Got: returned 4",
        )

    def test_another_way_to_write_it(self) -> None:
        def function(messages: Any, keep_recent: int) -> int:
            starts = list(range(1, len(messages), 2))
            if len(messages) - 1 in starts:
                raise Refusal("pending", "in words of its own")
            return [*starts, len(messages)][-keep_recent - 1 :][0]

        assert verdict(function).passed

    @pytest.mark.parametrize(
        "function",
        [
            functools.partial(RIGHT),
            lambda messages, keep_recent=1, *, more=None: RIGHT(messages, keep_recent),
            lambda **named: RIGHT(**named),
        ],
        ids=["partial", "lambda with more parameters", "named parameters"],
    )
    def test_any_callable_that_can_be_called_so(self, function: Callable[..., Any]) -> None:
        assert verdict(function).passed

    def test_a_bound_method(self) -> None:
        class Owner:
            def cut(self, messages: Any, keep_recent: int) -> Any:
                return RIGHT(messages, keep_recent)

        assert verdict(Owner().cut).passed

    def test_what_is_printed_does_not_matter_and_is_not_shown(
        self, capfd: pytest.CaptureFixture[str]
    ) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            print("looking at", messages)
            return RIGHT(messages, keep_recent)

        assert verdict(function).passed
        assert capfd.readouterr() == ("", "")


class TestFails:
    def test_says_the_smallest_input_both_ends_and_where_the_runs_part(self) -> None:
        def function(messages, keep_recent):  # type: ignore[no-untyped-def]
            # Is there nothing but the question?
            if len(messages) <= 3:
                return 1
            return RIGHT(messages, keep_recent)

        found = verdict(function)
        line = function.__code__.co_firstlineno + 2
        assert found.kind == "differs"
        assert found.lines[:8] == (
            "safe_cut: It does not come out as it should.",
            "The smallest input found on which it fails:",
            '  0 user: "a"',
            "  1 assistant: call c1",
            "  keep_recent: 1",
            "Expected: refused pending",
            "Got: returned 1",
            "Where the two runs part:",
        )
        asked = f"line {line}: Is there nothing but the question? 2 <= 3 is yes."
        assert any(asked in said for said in found.lines)

    @pytest.mark.parametrize("wrong", CUT.wrong, ids=lambda wrong: wrong.name)
    def test_a_known_mistake_gets_its_message(self, wrong: Any) -> None:
        found = verdict(CUT.callable(wrong.name))
        assert not found.passed
        assert found.message == wrong.message
        assert wrong.message in found.lines

    def test_a_mistake_is_known_by_what_it_does(self) -> None:
        # counts_messages, written in another way.
        def function(messages: Any, keep_recent: int) -> Any:
            if len(messages) % 2 == 0:
                raise Refusal("pending", "")
            at = len(messages)
            while at > 1 and keep_recent > 0:
                at, keep_recent = at - 1, keep_recent - 1
            return at

        (wrong,) = [wrong for wrong in CUT.wrong if wrong.name == "counts_messages"]
        found = verdict(function)
        assert found.message == wrong.message
        # The function may do something else: it is only said what was seen.
        at = found.lines.index(wrong.message)
        assert found.lines[at - 1] == "A known mistake comes out the same on everything that was tried:"

    def test_one_that_differs_on_a_generated_input_is_another(self) -> None:
        # counts_messages on the scenarios, where no history has more than three exchanges.
        wrong = CUT.callable("counts_messages")

        def function(messages: Any, keep_recent: int) -> Any:
            at = wrong(messages, keep_recent)
            return at if len(messages) in (3, 5, 7) else -at

        found = verdict(function)
        assert not found.passed
        assert found.message == ""

    def test_the_input_gets_as_small_as_it_can(self) -> None:
        # Wrong on any history with two results that are marked as errors.
        def function(messages: Any, keep_recent: int) -> Any:
            return -1 if str(messages).count("'is_error': True") > 1 else RIGHT(messages, keep_recent)

        assert verdict(function).lines[2:6] == (
            '  0 user: "a"',
            "  1 assistant: call c1; call c2",
            '  2 user: result of c1, an error: ""; result of c2, an error: ""',
            "  keep_recent: 1",
        )

    def test_an_unknown_mistake_gets_none(self) -> None:
        found = verdict(lambda messages, keep_recent: -77)
        assert (found.kind, found.message) == ("differs", "")

    def test_one_that_shows_only_on_a_scenario(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            return 0 if "notes.txt" in messages[0]["content"] else RIGHT(messages, keep_recent)

        found = verdict(function)
        assert found.lines[1] == "On the scenario normal:"
        assert found.lines[7:10] == ("  keep_recent: 1", "Expected: returned 3", "Got: returned 0")

    def test_the_types_count(self) -> None:
        assert verdict(lambda messages, keep_recent: float(RIGHT(messages, keep_recent))).kind == "differs"

    def test_it_is_the_fault_first_met_that_gets_smaller(self) -> None:
        # On one message it shares, on three and more it changes its input.
        def function(messages: Any) -> Any:
            del messages[1:3]
            return messages

        found = verdict(function, exercise("drop_oldest_exchange"))
        assert found.kind == "changes_input"
        assert "  1 assistant: call c1" in found.lines

    def test_the_same_function_gets_the_same_words(self) -> None:
        function = CUT.callable("from_the_front")
        assert repr(verdict(function)) == repr(verdict(function))


class TestWhatIsFound:
    """One fault in a solution, and one scenario that does not show it: the generated inputs do."""

    @pytest.mark.parametrize(
        ("name", "old", "new"),
        [
            ("spend_summary", "summarize(deepcopy(messages))", "summarize(messages)"),
            ("spend_summary", "summarize(deepcopy(messages))", "summarize(list(messages))"),
            ("my_prepare", "archive(deepcopy(messages))", "archive(messages)"),
            ("spend_summary", "not isinstance(summary, str) or ", ""),
            ("spend_summary", "not isinstance(summary, str)", "summary is None"),
            ("spend_summary", 'state["summaries"] += 1', 'state["summaries"] = 1'),
            ("spend_summary", ">=", "=="),
            ("my_prepare", 'state["archives"].append(receipt)', 'state["archives"] = [receipt]'),
            ("my_trim", "len(marker) <= len", "len(marker) < len"),
            ("my_prepare", "trim_results(messages, receipt, keep_recent)", "trim_results(messages, receipt)"),
            ("my_prepare", "history_bytes(candidate) > budget", "history_bytes(candidate) >= budget"),
            ("commit", "deepcopy(prepare(deepcopy(messages)))", "prepare(deepcopy(messages))"),
            ("commit", "prepare(deepcopy(messages))", "prepare(list(messages))"),
            ("commit", "except Exception", "except ValueError"),
            ("commit", "except Exception", "except BaseException"),
            ("commit", "isinstance(candidate, list)", "candidate"),
            ("commit", "messages[:] = candidate", "messages = candidate"),
            ("commit", "messages[:] = candidate", "messages += candidate[len(messages):]"),
            ("one_round", "deepcopy(ask(deepcopy(messages)))", "ask(deepcopy(messages))"),
            ("one_round", "ask(deepcopy(messages))", "ask(messages[:])"),
            ("one_round", '"is_error": True}', '"is_error": 1}'),
            ("one_round", "repr(error)", '"error"'),
            ("one_round", "{call['name']}", "of this name"),
            ("one_round", "except Exception", "except OSError"),
            ("one_round", "messages.extend([", "messages = messages + (["),
            ("one_round", "for call in called(answer)]", "for call in called(answer)[:2]]"),
            ("one_round", "return None", "return results"),
        ],
    )
    def test_in_one_line(self, name: str, old: str, new: str) -> None:
        of = replace(exercise(name), scenarios=exercise(name).scenarios[:1])
        assert of.solution.count(old) == 1
        changed = replace(of, solution=of.solution.replace(old, new)).callable("solution")
        found = verdict(changed, of)
        assert not found.passed
        assert found.lines[1] == "The smallest input found on which it fails:"

    def test_in_the_order_of_the_pairs_and_the_open_call(self) -> None:
        of = replace(exercise("my_split"), scenarios=("normal", "mismatch"))
        assert verdict(exercise("my_split").callable("pairs_first"), of).lines[1:9] == (
            "The smallest input found on which it fails:",
            '  0 user: "a"',
            "  1 assistant: call c1",
            '  2 user: result of other: ""',
            "  3 assistant: call c2",
            "  keep_recent: 1",
            "Expected: refused pending",
            "Got: refused mismatch: the results do not answer the calls",
        )

    def test_in_the_order_of_the_receipt_and_the_history(self) -> None:
        of = replace(exercise("my_trim"), scenarios=("normal",))
        found = verdict(exercise("my_trim").callable("receipt_late"), of)
        assert "Expected: refused bad_receipt" in found.lines
        assert '  receipt: ""' in found.lines


class TestKinds:
    def test_not_written(self) -> None:
        assert verdict(CUT.callable("stub")).lines == ("safe_cut: Not written yet.",)

    def test_written_in_part(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            if len(messages) % 2 == 0:
                raise NotImplementedError
            return RIGHT(messages, keep_recent)

        assert verdict(function).lines == (
            "safe_cut: Not written yet.",
            "On the scenario pending it raises NotImplementedError.",
        )

    def test_changes_its_input(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            at = RIGHT(messages, keep_recent)
            messages[0]["content"] = "now"
            return at

        found = verdict(function)
        assert found.kind == "changes_input"
        assert 'The input was changed: messages[0]["content"] was "a" and is "now".' in found.lines

    def test_shares_with_its_input(self) -> None:
        found = verdict(
            lambda messages: messages[:1] + deepcopy(messages[3:]), exercise("drop_oldest_exchange")
        )
        # An open call is no exchange, so this one is wrong there; but it shares before.
        assert found.kind == "shares"
        assert (
            "No copy: result[0] is messages[0] itself. Whoever changes one changes the other." in found.lines
        )

    @pytest.mark.parametrize("leave", [lambda: exit(), lambda: sys.exit(3)], ids=["exit", "sys.exit"])
    def test_exits(self, leave: Callable[[], Any]) -> None:
        found = verdict(lambda messages, keep_recent: leave())
        assert found.kind == "exits"
        assert "Got: ended the program" in found.lines

    def test_raises(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            return messages[99]

        found = verdict(function)
        assert found.kind == "error"
        assert "Got: raised IndexError: list index out of range" in found.lines
        assert f"It was raised in line {function.__code__.co_firstlineno + 1}." in found.lines

    def test_recurses_without_end(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            return function(messages, keep_recent)

        found = verdict(function)
        assert found.kind == "error"
        assert any(line.startswith("Got: raised RecursionError") for line in found.lines)

    @pytest.mark.parametrize(
        ("function", "takes"),
        [
            (lambda a, b: 1, "It takes (a, b)."),
            (lambda *args: 1, "It takes (*args)."),
            (lambda messages: 1, "It takes (messages)."),
            (lambda messages, keep_recent, more: 1, "It takes (messages, keep_recent, more)."),
            (len, "It takes (obj, /)."),
            (lambda messages, keep_recent, /: 1, "It takes (messages, keep_recent, /)."),
            (int, "It does not say which parameters it takes."),
            (Exercise, None),
        ],
    )
    def test_wrong_signature(self, function: Any, takes: str | None) -> None:
        found = verdict(function)
        assert found.kind == "wrong_signature"
        (line,) = found.lines[1:]
        assert line.startswith(takes or "It takes (name, ")
        assert line.endswith(
            "It is called with messages and keep_recent, by name. "
            "Begin it with def safe_cut(messages, keep_recent):"
        )

    def test_a_signature_that_raises(self) -> None:
        class Odd:
            @property
            def __signature__(self) -> Any:
                raise SystemExit

            def __call__(self) -> None:
                """Never called."""

        assert verdict(Odd()).kind == "wrong_signature"


class TestDifferences:
    def test_a_tuple_for_a_list_and_a_float_for_an_int(self) -> None:
        of = exercise("drop_oldest_exchange")
        right = of.callable("solution")
        assert (
            "The result is a tuple, not a list." in verdict(lambda messages: tuple(right(messages)), of).lines
        )
        found = verdict(lambda messages, keep_recent: float(RIGHT(messages, keep_recent)))
        assert "The result is a float, not an int." in found.lines

    def test_types_within_a_result(self) -> None:
        of = exercise("trimmable")
        right = of.callable("solution")

        def function(messages: Any, keep_recent: int, max_chars: int) -> Any:
            return [tuple(place) for place in right(messages, keep_recent, max_chars)]

        line = "result[0]: expected [2, 0], got (2, 0) (a tuple, not a list)."
        assert line in verdict(function, of).lines

    def test_where_two_long_texts_part(self) -> None:
        of = exercise("my_trim")
        found = verdict(of.callable("numbers_from_1"), of)
        assert "Got: another result" in found.lines
        (line,) = [line for line in found.lines if ": the texts part at character " in line]
        assert re.search(r'expected ".*block 1, call .*", got ".*block 2, call ', line)

    def test_the_same_result_is_not_said_twice(self) -> None:
        of = exercise("spend_summary")
        assert "Got: the same" in verdict(of.callable("sets_1"), of).lines

    def test_what_a_stand_in_was_given_is_no_copy(self) -> None:
        of = exercise("spend_summary")
        line = "No copy: summarize was given parts of the input itself, and may keep or change them."
        assert line in verdict(of.callable("gives_original"), of).lines

    def test_the_size_of_a_history_stands_above_the_budget(self) -> None:
        found = verdict(lambda messages, budget: None, exercise("fits"))
        at = found.lines.index("  budget: 3200")
        assert found.lines[at - 1] == "  size of the history: 31 bytes"


class TestNotSideBySide:
    """Functions of which a recorded run comes out otherwise, though they come out the same each time."""

    def test_a_decorated_one(self) -> None:
        def one_more(function: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(function)
            def call(**named: Any) -> Any:
                return function(**named) + 1

            return call

        @one_more
        def function(messages: Any, keep_recent: int) -> Any:
            return len(messages)

        found = verdict(function)
        assert found.runs is None
        start = "The two runs cannot be shown side by side: "
        end = "the function is decorated, and what its decorators do is not recorded."
        assert found.lines[-1] == start + end

    def test_a_refusal_with_control_characters_in_its_code(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            raise Refusal("pending\x1b[2J", "")

        found = verdict(function)
        assert "Got: refused pending\\u001b[2J" in found.lines
        assert found.runs is not None


class TestTime:
    def test_never_ends(self, impatient: None) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            while True:
                messages = list(messages)

        found = verdict(function)
        assert found.kind == "never_ends"
        assert found.lines[1] == "On the scenario normal:"
        assert "Got: was still running when its time was up" in found.lines
        # The recording stops at its step limit, and can be looked at.
        assert found.runs is not None
        assert found.runs[1].outcome.kind == "step_limit"

    @pytest.mark.slow
    def test_never_ends_and_catches_everything(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            while True:
                try:
                    time.sleep(60)
                except BaseException:
                    continue

        found = verdict(function)
        assert found.kind == "never_ends"
        assert found.runs is None
        assert any(line.startswith("The two runs cannot be shown side by side") for line in found.lines)

    @pytest.mark.slow
    def test_never_ends_on_a_generated_input_only(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            while len(messages) == 1:
                pass
            return RIGHT(messages, keep_recent)

        found = verdict(function)
        assert found.kind == "never_ends"
        assert found.lines[1:4] == (
            "The smallest input found on which it fails:",
            '  0 user: "a"',
            "  keep_recent: 1",
        )

    def test_never_ends_only_while_it_is_recorded(self, impatient: None) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            while is_recorded(sys._getframe()):
                pass
            return -1

        found = verdict(function)
        assert found.kind == "differs"
        assert found.runs is not None
        assert found.runs[1].outcome.kind == "step_limit"

    @pytest.mark.slow
    def test_a_function_that_is_slow_on_large_inputs_passes_and_is_told(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            if len(messages) > 9:
                time.sleep(1.2)
            return RIGHT(messages, keep_recent)

        found = verdict(function)
        assert found.passed
        assert found.lines[1] == f"It was tried on {len(CUT.scenarios)} scenarios."
        start, end = "The time, 10 seconds, was enough for ", "generated inputs. They came out right."
        assert found.lines[2].startswith(start)
        planned = SOUND + len(suspects(["keep_recent"])) * UNSOUND + TWICE_WRONG
        assert found.lines[2].endswith(f"of {planned} {end}")

    @pytest.mark.slow
    def test_a_function_that_is_too_slow_for_the_scenarios(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            time.sleep(2)
            return RIGHT(messages, keep_recent)

        found = verdict(function)
        assert found.kind == "too_slow"
        assert not found.passed
        assert "of 6 scenarios. They came out right." in found.lines[1]
        assert found.lines[2].startswith("A call should take a few milliseconds. Look for a sleep, ")

    def test_the_smallest_so_far_is_told_when_the_time_is_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(checking, "RESERVE", 8.0)

        def function(messages: Any, keep_recent: int) -> Any:
            time.sleep(0.03)
            return RIGHT(messages, keep_recent) if len(messages) < 4 else 0

        found = verdict(function)
        assert found.kind == "differs"
        assert not found.passed


class HostileValue:
    def __eq__(self, other: object) -> Any:
        raise ValueError

    def __repr__(self) -> str:
        return "x" * 1_000_000

    __hash__ = None  # type: ignore[assignment]


class HostileDict(dict[Any, Any]):
    def items(self) -> Any:
        raise KeyError

    __iter__ = items


def endless_list() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


class TestHostile:
    # Made in the test: pytest, for one, asks its parameters for their names.
    @pytest.mark.parametrize(
        ("make", "said"),
        [
            (HostileValue, "returned a value of type HostileValue"),
            (HostileDict, "returned a value of type HostileDict, a kind of dict, where a plain dict is due"),
            (endless_list, "returned a list of 1"),
            (lambda: float("nan"), "returned nan"),
            (lambda: True, "returned True"),
            (lambda: 10**5000, "returned an int of 16610 bits"),
            (lambda: "a" * 10**6, 'returned "a" * 1000000'),
            (lambda: (x for x in "ab"), "returned a generator"),
            (lambda: asyncio.sleep(1), "returned a coroutine"),
            (lambda: print, "returned a built-in function"),
        ],
    )
    def test_values(self, make: Callable[[], Any], said: str) -> None:
        found = verdict(lambda messages, keep_recent: make())
        assert found.kind == "differs"
        assert any(line.startswith(f"Got: {said}") for line in found.lines)
        assert max(map(len, found.lines)) < 500

    def test_a_generator_function(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            yield 1

        found = verdict(function)
        assert "Got: returned a generator (the function holds a yield; return a list)" in found.lines
        assert found.runs is None

    def test_an_async_function(self) -> None:
        async def function(messages: Any, keep_recent: int) -> Any:
            return 1

        assert (
            "Got: returned a coroutine (it is an async function; write def alone)" in verdict(function).lines
        )

    def test_an_odd_exception(self) -> None:
        class OddError(BaseException):
            def __str__(self) -> str:
                raise SystemExit

        def function(messages: Any, keep_recent: int) -> Any:
            raise OddError

        found = verdict(function)
        assert found.kind == "error"
        assert "Got: raised OddError: (the exception cannot be shown as text)" in found.lines

    def test_100_megabytes_of_output(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            print("x" * 100_000_000)
            return 0

        found = verdict(function)
        assert found.kind == "differs"
        at = found.lines.index("It printed:")
        assert found.lines[at + 1 : at + 3] == ("  " + "x" * 2000, "  … (100000001 characters in all)")

    def test_output_of_many_lines(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            for number in range(1000):
                print(f"\x1b[31m{number}")
            return -1

        found = verdict(function)
        at = found.lines.index("It printed:")
        assert found.lines[at + 1] == "  \\u001b[31m0"
        assert found.lines[at + 21] == "  … (8890 characters in all)"

    def test_a_function_that_asks_the_learner_something(self) -> None:
        found = verdict(lambda messages, keep_recent: input("Where? "))
        assert "Got: raised EOFError: nobody answers during a check" in found.lines

    def test_a_function_that_checks_itself(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            return check_exercise(CUT, function)

        found = verdict(function)
        assert found.kind == "error"
        assert any("a check is running already" in line for line in found.lines)
        # It is only refused while one is running.
        assert verdict(RIGHT).passed

    def test_ctrl_c_passes_through(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            check_exercise(CUT, function)
        assert verdict(RIGHT).passed

    def test_other_globals_are_the_learners_own_affair(self) -> None:
        namespace: dict[str, Any] = {}
        exec(
            "calls = 0\ndef f(messages, keep_recent):\n    global calls\n    calls += 1\n    return -1",
            namespace,
        )
        before = set(namespace)
        assert verdict(namespace["f"]).kind == "differs"
        assert set(namespace) == before
        assert namespace["calls"] > 0


class TestStateBetweenCalls:
    def test_is_named_when_the_first_run_comes_out_differently_later(self) -> None:
        def function(messages: Any, keep_recent: int, seen: list[int] = []) -> Any:  # noqa: B006
            seen.append(len(messages))
            return RIGHT(messages, keep_recent) if len(seen) < 5 else -1

        found = verdict(function)
        assert found.kind == "differs"
        assert "Got: returned -1" in found.lines
        assert any("it keeps something from call to call" in line for line in found.lines)
        assert found.runs is None

    def test_a_run_that_comes_out_differently_while_it_is_recorded_is_not_shown(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            return RIGHT(messages, keep_recent) if is_recorded(sys._getframe()) else -1

        found = verdict(function)
        assert "Got: returned -1" in found.lines
        assert any(line.startswith("The two runs cannot be shown side by side") for line in found.lines)
        assert found.runs is None

    def test_is_named_where_a_clock_decides(self) -> None:
        found = verdict(lambda messages, keep_recent: time.perf_counter_ns())
        assert any("it depends on a clock or on chance" in line for line in found.lines)

    def test_no_known_mistake_is_named_besides(self) -> None:
        half, calls = CUT.callable("half"), iter(range(10_000))

        def function(messages: Any, keep_recent: int) -> Any:
            # The mistake itself, until the smallest input is found.
            return half(messages, keep_recent) if next(calls) <= len(CUT.scenarios) else -1

        found = verdict(function)
        assert any("it keeps something from call to call" in line for line in found.lines)
        assert found.message == ""

    def test_what_was_seen_once_is_told(self) -> None:
        failed: list[Any] = []

        def function(messages: Any, keep_recent: int) -> Any:
            if len(messages) > 1 and not failed:
                failed.append(messages)
                return -5
            return RIGHT(messages, keep_recent)

        found = verdict(function)
        assert found.lines[1] == "On the scenario normal:"
        assert "Got: returned -5" in found.lines
        assert any("it keeps something from call to call" in line for line in found.lines)


class TestStandIns:
    def test_the_order_of_calls_and_the_state_count(self) -> None:
        def function(messages: Any, state: Any, archive: Any, budget: int, keep_recent: int) -> Any:
            receipt = archive(deepcopy(messages))
            split_history(messages, keep_recent)
            state["archives"].append(receipt)
            return deepcopy(messages)

        found = verdict(function, exercise("my_prepare"))
        assert found.kind == "differs"
        assert "Calls: expected none, got archive." in found.lines
        assert any(line.startswith('state["archives"][0]: expected nothing, got "') for line in found.lines)

    def test_what_they_are_given_counts(self) -> None:
        of = exercise("spend_summary")

        def function(messages: Any, state: Any, summarize: Any) -> Any:
            if state["summaries"] >= state["max_summaries"]:
                raise Refusal("summaries_spent", "")
            state["summaries"] += 1
            summary = summarize(deepcopy(messages[:1]))
            if not isinstance(summary, str) or not summary.strip():
                raise Refusal("bad_summary", "")
            return summary

        found = verdict(function, of)
        assert found.kind == "differs"
        assert any(line.startswith("summarize was given messages[1]: expected {") for line in found.lines)

    def test_a_stand_in_that_raises_is_shown(self) -> None:
        of = exercise("spend_summary")
        found = verdict(of.callable("swallows_the_error"), of)
        assert "  summarize: raises TimeoutError" in found.lines
        assert "Expected: raised TimeoutError" in found.lines

    def test_endless_calls_of_one(self, impatient: None) -> None:
        def function(messages: Any, state: Any, summarize: Any) -> Any:
            while True:
                summarize(messages)

        assert verdict(function, exercise("spend_summary")).kind == "never_ends"


class TestInPlace:
    """Functions that change their messages themselves."""

    COMMIT = exercise("commit")
    ROUND = exercise("one_round")

    def test_the_list_may_be_changed_in_any_way(self) -> None:
        def function(messages: Any, prepare: Any) -> str:
            try:
                candidate = prepare(deepcopy(messages))
            except Exception:
                candidate = None
            if type(candidate) is not list:
                return "context_error"
            messages.__setitem__(slice(None), deepcopy(candidate))
            return "committed"

        assert verdict(function, self.COMMIT).passed

    def test_but_in_one_step(self) -> None:
        def function(messages, prepare):  # type: ignore[no-untyped-def]
            try:
                candidate = deepcopy(prepare(deepcopy(messages)))
            except Exception:
                return "context_error"
            if not isinstance(candidate, list):
                return "context_error"
            messages.clear()
            messages.extend(candidate)
            return "committed"

        found = verdict(function, self.COMMIT)
        line = function.__code__.co_firstlineno + 7
        assert found.kind == "in_steps"
        assert found.message == message_of(self.COMMIT, "two_steps")
        at = found.lines.index("Got: the same")
        assert found.lines[at + 1 : at + 3] == (
            f"It changes the history in two steps, at lines {line} and {line + 1}; "
            "whoever is interrupted between them holds half.",
            "After the first step, messages is [].",
        )

    def test_what_was_tried_is_counted_by_kind_and_the_commonest_mistake_is_shown(self) -> None:
        lines = verdict(self.COMMIT.callable("solution"), self.COMMIT).lines
        of = self.COMMIT
        counted = f"{len(of.scenarios)} scenarios, {len(of.cases)} cases with other stand-ins"
        assert lines[1].startswith(f"It was tried on {counted}")
        assert "A common wrong version (clears_first) on the scenario pending:" in lines
        assert lines[-1].endswith("got nothing.")
        case = "the scenario fit, where the answer holds a call that raises OSError"
        lines = verdict(self.ROUND.callable("solution"), self.ROUND).lines
        assert f"A common wrong version (call_first) on {case}:" in lines

    @pytest.mark.parametrize("copied", ["messages.copy()", "list(messages)", "messages[:]"])
    def test_a_copy_that_is_too_shallow_is_no_copy(self, copied: str) -> None:
        for of, old, known in (
            (self.COMMIT, "prepare(deepcopy(messages))", "shallow_copy"),
            (self.ROUND, "ask(deepcopy(messages))", "gives_history"),
        ):
            changed = of.solution.replace(old, old.replace("deepcopy(messages)", copied))
            found = verdict(replace(of, solution=changed).callable("solution"), of)
            heading = "It hands a part of its input itself to a stand-in. Hand over a deep copy."
            assert (found.kind, found.lines[0]) == ("lends", f"{of.name}: {heading}")
            assert found.message == message_of(of, known)

    def test_a_slip_that_its_own_except_catches_is_named(self) -> None:
        def function(messages, prepare):  # type: ignore[no-untyped-def]
            try:
                candidate = prepare(deepcopy(mesages))  # type: ignore[name-defined]  # noqa: F821
            except Exception:
                return "context_error"
            messages[:] = candidate
            return "committed"

        found = verdict(function, self.COMMIT)
        line = function.__code__.co_firstlineno + 2
        said = f"Line {line} raised NameError: name 'mesages' is not defined, and your except caught it."
        assert found.lines[-1] == said
        assert not any("prepare is called" in each for each in found.lines)
        assert found.runs is not None

    def test_also_on_an_input_whose_steps_are_watched(self) -> None:
        def function(messages: Any, prepare: Any) -> Any:
            right = self.COMMIT.callable("solution")
            if len(messages) < 12 and "notes.txt" in str(messages[0]):
                try:
                    return messages.get("status")
                except Exception:
                    return "context_error"
            return right(messages, prepare)

        found = verdict(function, self.COMMIT)
        assert found.lines[1].startswith("On the scenario ")
        assert any(
            "raised AttributeError: 'list' object has no attribute 'get'" in each for each in found.lines
        )

    def test_what_prepare_raises_is_no_slip(self) -> None:
        lines = verdict(self.COMMIT.callable("wants_a_change"), self.COMMIT).lines
        assert not any("your except caught it" in each for each in lines)

    def test_a_failed_call_may_be_told_in_any_words(self) -> None:
        def function(ask: Any, tools: Any, messages: Any) -> str | None:
            answer = deepcopy(ask(deepcopy(messages)))
            results = []
            for block in answer["content"]:
                if block["type"] == "tool_use":
                    result = {"is_error": False, "tool_use_id": block["id"], "type": "tool_result"}
                    results.append(result)
                    if block["name"] in tools:
                        try:
                            result["content"] = tools[block["name"]](**block["input"])
                            continue
                        except Exception as error:
                            result["content"] = f"it failed, for {error}, alas"
                    result["content"] = result.get("content", f"what is {block['name']}?")
                    result["is_error"] = True
            if not results:
                return "\n\n".join(block["text"] for block in answer["content"])
            messages += [answer, {"content": results, "role": "user"}]
            return None

        assert verdict(function, self.ROUND).passed

    def test_what_became_of_the_history_is_said_and_how_prepare_ended(self) -> None:
        found = verdict(self.COMMIT.callable("rebinds"), self.COMMIT)
        assert found.lines[:7] == (
            "commit: It does not come out as it should.",
            "The smallest input found on which it fails:",
            '  0 user: "a"',
            "  prepare: returns a new question",
            'Expected: returned "committed"',
            "Got: the same",
            'The history afterwards: messages[0]["content"]: expected "new", got "a".',
        )
        assert found.runs is not None

    def test_what_an_error_result_has_to_say_is_said(self) -> None:
        found = verdict(self.ROUND.callable("one_text"), self.ROUND)
        line = 'expected a text with "next_1.txt cannot be read" in it, got "error".'
        assert f'The history afterwards: messages[2]["content"][0]["content"]: {line}' in found.lines
        assert found.message == message_of(self.ROUND, "one_text")

    def test_an_open_call_is_said_and_what_the_model_and_its_tools_did(self) -> None:
        found = verdict(self.ROUND.callable("call_first"), self.ROUND)
        assert found.kind == "error"
        assert found.lines[2:8] == (
            '  0 user: "a"',
            "  ask: returns assistant: call next_1",
            "  tools: next_1 raises OSError",
            "Expected: returned None",
            "Got: raised OSError: next_1.txt cannot be read",
            'The history afterwards: messages[2]: expected a dict with "role", "content", got nothing.',
        )

    def test_a_missing_mark_is_said_before_the_words_beside_it(self) -> None:
        line = 'The history afterwards: messages[2]["content"][0]["is_error"]: expected True, got False.'
        assert line in verdict(self.ROUND.callable("no_mark"), self.ROUND).lines

    def test_the_arguments_of_a_tool_count(self) -> None:
        line = 'read_file was given arguments["path"]: expected "next_1.txt", got "next_2.txt".'
        assert line in verdict(self.ROUND.callable("last_first"), self.ROUND).lines

    def test_a_history_that_others_hold_parts_of_is_no_copy(self) -> None:
        found = verdict(self.COMMIT.callable("shares"), self.COMMIT)
        assert found.kind == "shares_history"
        line = "No copy: messages[0] is prepare(...)[0] itself. Whoever changes one changes the other."
        assert line in found.lines

    def test_an_interruption_is_to_pass_through(self) -> None:
        found = verdict(self.ROUND.callable("half_on_ctrl_c"), self.ROUND)
        assert "  tools: next_1 is interrupted, as by Ctrl-C" in found.lines
        assert "Expected: raised Interruption" in found.lines
        assert any(
            line.startswith("The history afterwards: messages[1]: expected nothing") for line in found.lines
        )

    def test_a_case_is_named_with_what_is_different_in_it(self) -> None:
        right = self.COMMIT.callable("solution")

        def function(messages: Any, prepare: Any) -> Any:
            # Wrong on the scenario alone, and on nothing generated.
            is_named = "notes.txt" in str(messages[0])
            status = right(messages, prepare)
            return "done" if is_named and messages[1:] and status == "context_error" else status

        of = replace(self.COMMIT, scenarios=("fit",))
        found = verdict(function, of)
        assert "On the scenario trim, where prepare empties its list, then raises Refusal:" in found.lines
        assert "  prepare: empties its list, then raises Refusal" in found.lines

    def test_the_prepare_of_a_scenario_is_named_with_its_budget(self) -> None:
        def function(messages: Any, prepare: Any) -> Any:
            return (
                "done"
                if "notes.txt" in str(messages[0])
                else self.COMMIT.callable("solution")(messages, prepare)
            )

        found = verdict(function, replace(self.COMMIT, cases=()))
        assert "  prepare: prepare_context, with a budget of 1600 bytes" in found.lines


class TestSettled:
    """Nothing is held against a function for an input that the exercise does not speak of."""

    def test_settings_that_the_solution_does_not_refuse(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            if type(keep_recent) is not int or not 1 <= keep_recent <= 4:
                raise Refusal("bad_argument", "")
            return RIGHT(messages, keep_recent)

        assert verdict(function).passed

    def test_faults_of_which_no_scenario_has_one(self) -> None:
        def function(messages: Any, keep_recent: int) -> Any:
            split_history(messages)  # refuses more than the solution does
            return RIGHT(messages, keep_recent)

        assert verdict(function).passed

    def test_one_of_two_faults_of_which_no_scenario_has_one(self) -> None:
        of = exercise("my_split")
        right = of.callable("solution")

        def function(messages: Any, keep_recent: int) -> Any:
            # Before an open call, which the exercise speaks of.
            if "'type': 'image'" in str(messages):
                raise Refusal("unsupported_block", "")
            return right(messages, keep_recent)

        assert verdict(function, of).passed

    def test_but_those_of_a_scenario_are(self) -> None:
        def function(messages: Any) -> Any:
            split_history(messages)  # an open call is refused, which the exercise does not ask for
            return deepcopy(messages[:1] + messages[3:])

        assert verdict(function, exercise("drop_oldest_exchange")).kind == "differs"


@pytest.mark.parametrize("before", [gc.unfreeze, gc.freeze])
def test_a_collection_during_the_check_leaves_older_objects_alone(before: Callable[[], None]) -> None:
    seen = []
    before()

    def split(messages: Any, keep_recent: Any = 1) -> Any:
        seen.append(gc.get_freeze_count())
        return split_history(messages, keep_recent)

    try:
        frozen = gc.get_freeze_count()
        verdict(split)
        assert min(seen) > 10_000
        assert (gc.get_freeze_count() > 0) == (frozen > 0)
    finally:
        gc.unfreeze()


def test_what_is_no_function_is_a_misuse() -> None:
    with pytest.raises(
        CtxlabError, match=r'needs the function itself, not a str: check\("safe_cut", safe_cut\)'
    ):
        check_exercise(CUT, "safe_cut")


def test_outside_the_main_thread_it_says_so() -> None:
    said: list[str] = []

    def work() -> None:
        try:
            check_exercise(CUT, RIGHT)
        except CtxlabError as error:
            said.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert said == ["code can be checked in the main thread only; run the cell itself, not a thread"]


@settings(max_examples=2)
@given(st.integers())
def test_works_inside_a_hypothesis_test(number: int) -> None:
    assert check_exercise(CUT, CUT.callable("half")).kind == "differs"


class TestProgress:
    def test_every_check_is_kept(self) -> None:
        check("safe_cut", CUT.callable("stub"))
        assert check("safe_cut", RIGHT).passed
        kept, notice = read()
        assert notice == ""
        record = kept.exercise("safe_cut")
        assert (record.attempts, record.passed) == (2, True)

    def test_a_folder_that_cannot_be_used_is_one_more_line(self, home: Path) -> None:
        home.write_text("a file in its place", encoding="utf-8")
        found = check("safe_cut", RIGHT)
        assert found.passed
        assert found.lines[:-1] == verdict(RIGHT).lines
        assert "progress" in found.lines[-1]

    def test_an_unknown_exercise(self) -> None:
        with pytest.raises(CtxlabError, match="did you mean 'safe_cut'"):
            check("safecut", RIGHT)

"""Check a learner's function: the named scenarios, then generated inputs, each compared with the solution.

What counts of a run is everything but its words: the result with its types, the state afterwards, the calls
of the stand-ins, whether the input is unchanged, and whether the result is a copy. Of a function that works
in place, what became of its messages is a part of the result.
"""

import gc
import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from hypothesis.strategies import SearchStrategy

from ctxlab.errors import CtxlabError
from ctxlab.exercises.both_runs import CHANGING, BothRuns, both_runs
from ctxlab.exercises.exercise import Exercise, exercise
from ctxlab.exercises.generated import inputs, suspects, twice_wrong
from ctxlab.exercises.guard import guarded, namespace_of, python_code
from ctxlab.exercises.inputs import Input, Log, named_inputs
from ctxlab.exercises.observing import Observation, Trial, observe
from ctxlab.exercises.plain import plain_value
from ctxlab.exercises.progress_file import record_check
from ctxlab.exercises.search import OutOfTime, search
from ctxlab.exercises.swallowed import slips
from ctxlab.exercises.telling import INDENT, difference_lines, input_lines, output_lines
from ctxlab.exercises.verdict import Verdict
from ctxlab.messages.wording import type_words

SECONDS = 10.0  # for a whole check
RESERVE = 3.5  # of these, for what follows the search
ENOUGH = 3.0  # for one call: a history of a check has some dozen messages at most
QUICK = 1.0  # for one call of a version that is known, and for one on a generated input

SOUND = 250  # generated inputs
UNSOUND = 15  # generated inputs for each thing that can be wrong in one
TWICE_WRONG = 10  # generated inputs for each second thing that can be wrong in one
MORE = 30  # generated inputs, to tell a known mistake from others

REPEATS = 5  # of a run, to see whether it comes out again as it did

HEADINGS = {
    "passed": "Passed.",
    "not_written": "Not written yet.",
    "differs": "It does not come out as it should.",
    "changes_input": "It changes its input. Work on a copy.",
    "in_steps": "The history changes in more than one step.",
    "lends": "It hands a part of its input itself to a stand-in. Hand over a deep copy.",
    "shares": "Its result is no copy: it shares a part with its input.",
    "shares_history": "The history is no copy: it shares a part with what a stand-in may keep.",
    "never_ends": "It does not end.",
    "exits": "It ends the whole program. Return a result, or raise an exception.",
    "error": "It raises an exception that it should not raise.",
    "wrong_signature": "It cannot be called in the way of the exercise.",
    "too_slow": "It is too slow to be checked.",
}

# Where nothing else is wrong, both runs look the same side by side: whose a value is cannot be seen there.
SHARING = ("lends", "shares", "shares_history")

# What stands above the message of a known mistake, since another one may come out the same.
KNOWN = "A known mistake comes out the same on everything that was tried:"

FASTER = (
    "A call should take a few milliseconds. Look for a sleep, or for a loop that counts or repeats more than "
    "the history needs."
)

# Ends of a run after which more inputs would tell nothing new.
FINAL = ("not_written", "not_ended")


def check(name: str, function: Callable[..., Any]) -> Verdict:
    """Check `function` as an answer to the exercise `name`, within 10 seconds, and keep the result.

    Whatever the function does is told in the verdict; only Ctrl-C passes through. Nothing holds back
    `os._exit`, code that switches off the timer, one call of C code that never returns, a thread that goes
    on, or code that replaces parts of ctxlab: a verdict can be trusted only for code that does not try to
    deceive it. Raises CtxlabError for an unknown exercise, for what is no function, and outside the main
    thread.
    """
    verdict = check_exercise(exercise(name), function)
    notice = record_check(name, verdict.passed)
    return replace(verdict, lines=(*verdict.lines, notice)) if notice else verdict


def check_exercise(exercise: Exercise, function: Any) -> Verdict:
    """Check `function` as an answer to an exercise, as `check` does, and keep nothing."""
    if not callable(function):
        wanted = f'check("{exercise.name}", {exercise.function})'
        raise CtxlabError(f"check needs the function itself, not {type_words(function)}: {wanted}")
    with _one_at_a_time(), _without_older_garbage():
        return Check(exercise, function).verdict()


_running: list[str] = []


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    # A function that checks itself would never end: each check has time of its own.
    if _running:
        raise CtxlabError("a check is running already; call check outside the function that is checked")
    _running.append("check")
    try:
        yield
    finally:
        _running.clear()


@contextmanager
def _without_older_garbage() -> Iterator[None]:
    # Where a kernel holds millions of objects, one collection takes seconds: the call in which it happens
    # would be taken for one that never ends. So meanwhile only what the check makes is collected.
    frozen = gc.get_freeze_count()
    gc.freeze()
    try:
        yield
    finally:
        if not frozen:  # otherwise somebody wants it so
            gc.unfreeze()


class Check:
    """One check of one function."""

    def __init__(self, exercise: Exercise, function: Callable[..., Any]) -> None:
        self.end = time.monotonic() + SECONDS
        self.exercise = exercise
        self.function = function
        self.solution = exercise.callable("solution")
        self.names = list(inspect.signature(self.solution).parameters)
        self.scenarios = named_inputs(exercise)
        self.slowest = 0.0  # seconds of the longest call so far

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.end - time.monotonic()

    def verdict(self) -> Verdict:
        """Run the check."""
        complaint = self.complaint()
        if complaint:
            return self.made("wrong_signature", [complaint])
        trials = self.on_scenarios()
        last = trials[-1]
        if last.got.kind == "not_written":
            return self.made("not_written", self.partly_written(trials))
        if last.got.kind == "not_ended":
            return self.failed(trials, last)
        # That a change takes several steps is told of a function that is right in all else.
        stepped = [trial for trial in trials if trial.kind == "in_steps"]
        failing = [trial for trial in trials if trial.kind not in ("passed", "in_steps")]
        if len(trials) < len(self.scenarios) and not failing and not stepped:
            what = "scenarios and cases" if self.exercise.cases else "scenarios"
            return self.made("too_slow", [how_far(len(trials), len(self.scenarios), what), FASTER])
        generated, finished = self.on_generated(failing)
        # Each input that failed is smaller than the one before it.
        smallest_first = reversed([trial for trial in generated if not trial.right])
        found = self.certain([*smallest_first, *failing, *stepped])
        if found:
            return self.failed([*trials, *generated], found)
        return self.passed(trials, generated, finished)

    # What is run

    def complaint(self) -> str:
        """Return what is wrong with the function's parameters, or ""."""

        def taken() -> str:
            signature = inspect.signature(self.function)
            try:
                signature.bind(**dict.fromkeys(self.names))
            except TypeError:
                bare = [p.replace(default=p.empty, annotation=p.empty) for p in signature.parameters.values()]
                return f"It takes {signature.replace(parameters=bare, return_annotation=signature.empty)}."
            return ""

        ended = guarded(taken, QUICK, {})
        if ended.value == "":
            return ""
        takes = ended.value or "It does not say which parameters it takes."
        header = f"def {self.exercise.function}{inspect.signature(self.solution)}:"
        *most, last = self.names
        called = f"{', '.join(most)} and {last}" if most else last
        return f"{takes} It is called with {called}, by name. Begin it with {header}"

    def observed(self, function: Callable[..., Any], given: Input, seconds: float) -> Observation:
        """Run a version of the function on an input."""
        return observe(function, given, self.names, seconds, in_place=self.exercise.in_place)

    def expected(self, given: Input) -> Observation:
        """Run the solution on an input."""
        return self.observed(self.solution, given, ENOUGH)

    def tried(self, given: Input, expected: Observation, seconds: float) -> Trial:
        """Run the function on an input."""
        started = time.monotonic()
        got = self.observed(self.function, given, seconds)
        self.slowest = max(self.slowest, time.monotonic() - started)
        return Trial(given, expected, got)

    def on_scenarios(self) -> list[Trial]:
        """Run the function on the named scenarios, as long as there is time and something to learn."""
        trials: list[Trial] = []
        for given in self.scenarios:
            if trials and (self.left < RESERVE or trials[-1].got.kind in FINAL):
                break
            trials.append(self.tried(given, self.expected(given), ENOUGH))
        return trials

    def on_generated(self, failing: list[Trial]) -> tuple[list[Trial], bool]:
        """Run the function on generated inputs, and once it fails, on ever smaller ones.

        Returns the trials, and whether the search came to its end in time. Given those that failed before, it
        looks for one that fails in the same way, so that it is the fault first met that gets smaller.
        """
        # A call that takes so much longer than those before is taken for endless, until that is confirmed.
        limit = max(QUICK, 20 * self.slowest)
        faults = {given.fault for given in self.scenarios}
        wanted = failing[0].kind if failing else None
        trials: list[Trial] = []

        def fails(given: Input) -> bool:
            nonlocal wanted
            expected = self.expected(given)
            if not settled(given, expected, faults):
                return False
            # Which of two faults counts is settled only where each of them is.
            if not all(settled(each, self.expected(each), faults) for each in given.alone):
                return False
            seconds = min(limit, self.left - RESERVE)
            if seconds <= 0:
                raise OutOfTime
            trial = self.tried(given, expected, seconds)
            if trial.got.kind == "not_ended" and seconds < limit:
                raise OutOfTime
            if not trial.right:
                wanted = wanted or trial.kind
                if trial.kind != wanted:
                    return False
            trials.append(trial)
            return not trial.right

        finished = True
        # Sound inputs first: a fault that shows in one of them is easier to see there.
        for strategy, most in self.planned():
            if finished and all(trial.right for trial in trials):
                finished = search(strategy, fails, most)
        return trials, finished

    def planned(self) -> list[tuple[SearchStrategy[Input], int]]:
        """Return the generated inputs, and how many there are of each kind."""
        return [
            (inputs(self.names), SOUND),
            *((inputs(self.names, (wrong,)), UNSOUND) for wrong in suspects(self.names)),
            *((strategy, TWICE_WRONG) for strategy in twice_wrong(self.names)),
        ]

    def certain(self, failing: list[Trial]) -> Trial | None:
        """Return the first trial that fails for certain."""
        tried_again = False
        for trial in failing:
            if trial.got.kind != "not_ended":
                return trial
            # It may only be slow on this input. That is tried with more time, but once.
            if not tried_again:
                tried_again = True
                again = self.tried(trial.given, trial.expected, RESERVE / 2)
                if not again.right:
                    return again
        return None

    # What is said

    def made(self, kind: str, lines: list[str], **more: Any) -> Verdict:
        """Return a verdict under the heading of its kind."""
        return Verdict(self.exercise.name, kind, (f"{self.exercise.name}: {HEADINGS[kind]}", *lines), **more)

    def partly_written(self, trials: list[Trial]) -> list[str]:
        """Say where a function that is written in part is not."""
        if len(trials) == 1:
            return []
        return [f"On {trials[-1].given.place} it raises NotImplementedError."]

    def passed(self, trials: list[Trial], generated: list[Trial], finished: bool) -> Verdict:
        """Return the verdict on a function that does what it should."""
        done = sum(trial.right for trial in generated)
        named = f"{len(self.exercise.scenarios)} scenarios"
        if self.exercise.cases:
            named += f", {len(self.exercise.cases)} cases with other stand-ins,"
        lines = [f"It was tried on {named} and {done} generated inputs."]
        if not finished or done < len(generated):
            planned = sum(most for _, most in self.planned())
            lines = [f"It was tried on {named.rstrip(',')}.", how_far(done, planned, "generated inputs")]
        lines.append(f"Why it works: {self.exercise.why}")
        return self.made("passed", [*lines, *self.other_version(trials)])

    def other_version(self, trials: list[Trial]) -> list[str]:
        """Say what a common wrong version does on a scenario, best on one where its result differs."""
        for wrong in self.exercise.commonest_first():
            function = self.exercise.callable(wrong.name)
            tried = [replace(trial, got=self.observed(function, trial.given, QUICK)) for trial in trials]
            failing = [trial for trial in tried if not trial.right]
            for trial in sorted(failing, key=lambda each: each.kind in ("in_steps", *SHARING))[:1]:
                heading = f"A common wrong version ({wrong.name}) on {trial.given.place}:"
                return [heading, *(f"{INDENT}{line}" for line in difference_lines(trial))]
        return []

    def failed(self, trials: list[Trial], found: Trial) -> Verdict:
        """Return the verdict on a function that fails on an input."""
        given = found.given
        runs, message, where = CHANGING, "", parting(CHANGING)
        if self.repeats((trials[0], found)):
            message = self.mistake(trials)
            runs = self.recorded(found)
            # The runs part at a slip, which says more than the decision after it.
            where = self.swallowed(found) or parting(runs)
        heading = "The smallest input found on which it fails:"
        lines = [
            heading if given.generated else f"On {given.place}:",
            *input_lines(given, self.names),
            *difference_lines(found),
            *self.place(found),
            *where,
            *([KNOWN, message] if message else []),
            *output_lines(found.got),
        ]
        return self.made(found.kind, lines, message=message, runs=runs.traces)

    def repeats(self, before: tuple[Trial, Trial]) -> bool:
        """Say whether runs come out again as they did, after all those in between.

        They do, as far as is known, where that takes too long.
        """
        for trial in before * REPEATS:
            if self.left < RESERVE / 2 or trial.got.kind == "not_ended":
                continue
            again = self.tried(trial.given, trial.expected, QUICK).got
            if again.kind == "not_ended":
                return True
            if not again.agrees(trial.got):
                return False
        return True

    def place(self, found: Trial) -> list[str]:
        """Say in which line of the function's own file a wrong exception was raised."""
        function, failure = python_code(self.function), found.got.failure
        if found.kind != "error" or function is None or failure is None:
            return []
        line = failure.lines.get(function.__code__.co_filename)
        return [f"It was raised in line {line}."] if line else []

    def swallowed(self, found: Trial) -> list[str]:
        """Name the first slip in the function's own lines that its own `except` caught."""
        if found.kind in ("error", "never_ends") or self.left < QUICK:
            return []
        namespace = namespace_of(self.function)
        arguments = found.given.arguments(self.names, Log())
        with slips(namespace) as raised:
            guarded(lambda: plain_value(self.function(**arguments)), QUICK, namespace)
        return [f"{line}, and your except caught it." for line in raised[:1]]

    def recorded(self, found: Trial) -> BothRuns:
        """Record both runs on an input, where they do not look the same."""
        if found.kind in SHARING:
            return BothRuns(None, ())
        return both_runs(self.solution, self.function, found, self.names, max(self.left, QUICK) / 2)

    def mistake(self, trials: list[Trial]) -> str:
        """Return the message of the known mistake that does the same on these inputs and some more, or ""."""
        more: list[Trial] = []
        for wrong in self.exercise.wrong:
            function = self.exercise.callable(wrong.name)
            if all(self.does_the_same(function, trial) for trial in trials):
                more = more or self.on_more()
                if all(self.does_the_same(function, trial) for trial in more):
                    return wrong.message
        return ""

    def on_more(self) -> list[Trial]:
        """Run the function on some more generated inputs: the search for the smallest one may be short."""
        trials: list[Trial] = []

        def keep(given: Input) -> bool:
            if self.left > RESERVE / 2:
                trials.append(self.tried(given, self.expected(given), QUICK))
            return False

        search(inputs(self.names), keep, MORE)
        return trials

    def does_the_same(self, function: Callable[..., Any], trial: Trial) -> bool:
        """Say whether a wrong version does what the function did; no, if there is no time to see it."""
        if self.left < QUICK:
            return False
        return self.observed(function, trial.given, QUICK).agrees(trial.got)


def parting(runs: BothRuns) -> list[str]:
    """Return where two runs part, or why they cannot be shown."""
    if not runs.traces or not runs.sentences:
        return list(runs.sentences)
    return ["Where the two runs part:", *(f"{INDENT}{line}" for line in runs.sentences)]


def how_far(done: int, planned: int, what: str) -> str:
    """Say how far a slow function got."""
    return f"The time, {SECONDS:.0f} seconds, was enough for {done} of {planned} {what}. They came out right."


def settled(given: Input, expected: Observation, faults: set[str]) -> bool:
    """Say whether the exercise settles what comes of an input, given what its solution does with it.

    A refusal settles it, and so does what a stand-in raised. Another exception does not; nor does a result
    for an unsound history, unless a scenario of the exercise has the same fault; nor a result for settings
    or stand-ins that the solution might have refused.
    """
    if expected.kind != "returned":
        return expected.kind == "refused" or expected.raised
    called = {call.name for call in expected.calls}
    unused = {"archive", "summarize"} - called
    return (not given.fault or given.fault in faults) and given.odd in (None, *unused)

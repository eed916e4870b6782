"""Check a learner's function: the named scenarios, then generated inputs, each compared with the solution.

What counts of a run is everything but its words: the result with its types, the state afterwards, the calls
of archive and summarize, whether the input is unchanged, and whether the result is a copy.
"""

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.exercises.both_runs import CHANGES, BothRuns, both_runs
from ctxlab.exercises.exercise import Exercise, exercise
from ctxlab.exercises.guard import guarded, python_code
from ctxlab.exercises.inputs import Input, inputs, named, suspects
from ctxlab.exercises.observing import Observation, Trial, observe
from ctxlab.exercises.progress_file import record_check
from ctxlab.exercises.search import OutOfTime, search
from ctxlab.exercises.telling import INDENT, difference_lines, input_lines, output_lines
from ctxlab.exercises.verdict import Verdict

SECONDS = 10.0  # for a whole check
RESERVE = 3.5  # of these, for what follows the search
ENOUGH = 3.0  # for one call: a history of a check has some dozen messages at most
QUICK = 1.0  # for one call of a version that is known, and for one on a generated input

SOUND = 150  # generated inputs
UNSOUND = 40  # generated inputs for each thing that can be wrong in one

HEADINGS = {
    "passed": "Passed.",
    "not_written": "Not written yet.",
    "differs": "It does not come out as it should.",
    "changes_input": "It changes its input. Work on a copy.",
    "shares": "Its result is no copy: it shares a part with its input.",
    "never_ends": "It does not end.",
    "exits": "It ends the whole program. Return a result, or raise an exception.",
    "error": "It raises an exception that it should not raise.",
    "wrong_signature": "It cannot be called in the way of the exercise.",
    "too_slow": "It is too slow to be checked.",
}

# Ends of a run after which more inputs would tell nothing new.
FINAL = ("not_written", "not_ended")


def check(name: str, function: Callable[..., Any]) -> Verdict:
    """Check `function` as an answer to the exercise `name`, within 10 seconds, and keep the result.

    Whatever the function does is told in the verdict; only Ctrl-C passes through. Out of reach are `os._exit`
    and a single call of C code that never returns. Raises CtxlabError for an unknown exercise, for what is no
    function, and outside the main thread.
    """
    verdict = check_exercise(exercise(name), function)
    notice = record_check(name, verdict.passed)
    return replace(verdict, lines=(*verdict.lines, notice)) if notice else verdict


def check_exercise(exercise: Exercise, function: Any) -> Verdict:
    """Check `function` as an answer to an exercise, as `check` does, and keep nothing."""
    if not callable(function):
        wanted = _call(exercise)
        raise CtxlabError(f"check needs the function itself, not a {type(function).__name__}: {wanted}")
    with _one_at_a_time():
        return Check(exercise, function).verdict()


def _call(exercise: Exercise) -> str:
    return f'check("{exercise.name}", {exercise.function})'


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


class Check:
    """One check of one function."""

    def __init__(self, exercise: Exercise, function: Callable[..., Any]) -> None:
        self.end = time.monotonic() + SECONDS
        self.exercise = exercise
        self.function = function
        self.solution = exercise.callable("solution")
        self.names = list(inspect.signature(self.solution).parameters)
        self.scenarios = [named(name) for name in exercise.scenarios]
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
        failing = [trial for trial in trials if not trial.right]
        if len(trials) < len(self.scenarios) and not failing:
            return self.made("too_slow", [how_far(len(trials), len(self.scenarios), "scenarios")])
        generated, finished = self.on_generated(failing)
        # Each input that failed is smaller than the one before it.
        found = self.certain([*reversed([trial for trial in generated if not trial.right]), *failing])
        return self.failed(trials, found) if found else self.passed(trials, generated, finished)

    # What is run

    def complaint(self) -> str:
        """Return what is wrong with the function's parameters, or ""."""

        def taken() -> str:
            signature = inspect.signature(self.function)
            try:
                signature.bind(**dict.fromkeys(self.names))
            except TypeError:
                bare = [p.replace(default=p.empty, annotation=p.empty) for p in signature.parameters.values()]
                return f"It takes ({', '.join(map(str, bare))})."
            return ""

        ended = guarded(taken, QUICK, {})
        if ended.value == "":
            return ""
        takes = ended.value or "It does not say which parameters it takes."
        header = f"def {self.exercise.function}{inspect.signature(self.solution)}:"
        return f"{takes} It is called with {' and '.join(self.names)}, by name. Begin it with {header}"

    def tried(self, given: Input, expected: Observation, seconds: float) -> Trial:
        """Run the function on an input."""
        started = time.monotonic()
        got = observe(self.function, given, self.names, seconds)
        self.slowest = max(self.slowest, time.monotonic() - started)
        return Trial(given, expected, got)

    def on_scenarios(self) -> list[Trial]:
        """Run the function on the named scenarios, as long as there is time and something to learn."""
        trials: list[Trial] = []
        for given in self.scenarios:
            if trials and (self.left < RESERVE or trials[-1].got.kind in FINAL):
                break
            expected = observe(self.solution, given, self.names, ENOUGH)
            trials.append(self.tried(given, expected, ENOUGH))
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
            expected = observe(self.solution, given, self.names, ENOUGH)
            if not settled(given, expected, faults):
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
        for wrong, most in self.planned():
            if finished and all(trial.right for trial in trials):
                finished = search(inputs(self.names, wrong), fails, most)
        return trials, finished

    def planned(self) -> list[tuple[str | None, int]]:
        """Return what is wrong in the generated inputs, and how many there are of each kind."""
        return [(None, SOUND), *((wrong, UNSOUND) for wrong in suspects(self.names))]

    def certain(self, failing: list[Trial]) -> Trial | None:
        """Return the first trial that fails for certain."""
        endless = None
        for trial in failing:
            if trial.got.kind != "not_ended" or endless:
                return trial
            # It may only be slow on this input. That is tried with more time, but once.
            if endless is None:
                again = self.tried(trial.given, trial.expected, RESERVE / 2)
                if not again.right:
                    return again
                endless = False
        return None

    # What is said

    def made(self, kind: str, lines: list[str], **more: Any) -> Verdict:
        """Return a verdict under the heading of its kind."""
        return Verdict(self.exercise.name, kind, (f"{self.exercise.name}: {HEADINGS[kind]}", *lines), **more)

    def partly_written(self, trials: list[Trial]) -> list[str]:
        """Say where a function that is written in part is not."""
        if len(trials) == 1:
            return []
        return [f"On the scenario {trials[-1].given.scenario.name} it raises NotImplementedError."]

    def passed(self, trials: list[Trial], generated: list[Trial], finished: bool) -> Verdict:
        """Return the verdict on a function that does what it should."""
        done = sum(trial.right for trial in generated)
        lines = [f"It was tried on {len(trials)} scenarios and {done} generated inputs."]
        if not finished or done < len(generated):
            planned = sum(most for _, most in self.planned())
            lines = [f"It was tried on {len(trials)} scenarios.", how_far(done, planned, "generated inputs")]
        lines.append(f"Why it works: {self.exercise.why}")
        return self.made("passed", [*lines, *self.other_version(trials)])

    def other_version(self, trials: list[Trial]) -> list[str]:
        """Say what a common wrong version does on one of the scenarios."""
        for wrong in self.exercise.wrong:
            function = self.exercise.callable(wrong.name)
            for trial in trials:
                other = replace(trial, got=observe(function, trial.given, self.names, QUICK))
                if not other.right:
                    where = f"on the scenario {trial.given.scenario.name}"
                    heading = f"A common wrong version ({wrong.name}) {where}:"
                    return [heading, *(f"{INDENT}{line}" for line in difference_lines(other))]
        return []

    def failed(self, trials: list[Trial], found: Trial) -> Verdict:
        """Return the verdict on a function that fails on an input."""
        given = found.given
        message = self.mistake(trials if found in trials else [*trials, found])
        runs = BothRuns(None, (CHANGES,))
        if self.repeats(trials[0]):
            runs = both_runs(self.solution, self.function, found, self.names, max(self.left, QUICK) / 2)
        heading = "The smallest input found on which it fails:"
        lines = [
            heading if given.generated else f"On the scenario {given.scenario.name}:",
            *input_lines(given, self.names),
            *difference_lines(found),
            *self.place(found),
            *(["Where the two runs part:"] if runs.traces and runs.sentences else []),
            *(f"{INDENT}{line}" if runs.traces else line for line in runs.sentences),
            *([message] if message else []),
            *output_lines(found.got),
            *([f"In a notebook, {_call(self.exercise)}.compare() shows both runs."] if runs.traces else []),
        ]
        return self.made(found.kind, lines, message=message, runs=runs.traces)

    def repeats(self, first: Trial) -> bool:
        """Say whether the first run of all comes out again as it did, after all those in between."""
        if first.got.kind == "not_ended":
            return True
        return self.tried(first.given, first.expected, QUICK).got.agrees(first.got)

    def place(self, found: Trial) -> list[str]:
        """Say in which line of the function's own file a wrong exception was raised."""
        function, failure = python_code(self.function), found.got.failure
        if found.kind != "error" or function is None or failure is None:
            return []
        line = failure.lines.get(function.__code__.co_filename)
        return [f"It was raised in line {line}."] if line else []

    def mistake(self, trials: list[Trial]) -> str:
        """Return the message of the known mistake that does the same on all these inputs, or ""."""
        for wrong in self.exercise.wrong:
            function = self.exercise.callable(wrong.name)
            if all(self.does_the_same(function, trial) for trial in trials):
                return wrong.message
        return ""

    def does_the_same(self, function: Callable[..., Any], trial: Trial) -> bool:
        """Say whether a wrong version does what the function did; no, if there is no time to see it."""
        if self.left < QUICK:
            return False
        return observe(function, trial.given, self.names, QUICK).agrees(trial.got)


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
    called = {name for name, _ in expected.calls}
    unused = {"archive", "summarize"} - called
    return (not given.fault or given.fault in faults) and given.odd in (None, *unused)

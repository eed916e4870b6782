"""Run the standard library's own tests on instrumented modules, and compare with the same tests untraced.

python tools/differential.py [MODULE...]

Ten modules, or those named, are instrumented in place: every plain function and method is replaced by its
traced rebuild, with a recorder attached. Each module's own test suite then runs in a process of its own, once
untraced and once traced. A test that comes out differently is a fault of the tracer. The exit status is 1
when there is one, 2 when this Python has no test suites.
"""

import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import types
import unittest
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from ctxlab.errors import TraceError
from ctxlab.tracer.instrument import Program, Traced, instrument
from ctxlab.tracer.objects import has_fields
from ctxlab.tracer.record import Outcome, Recorder
from ctxlab.tracer.source import find_source

SUITES = {
    "bisect": "test.test_bisect",
    "colorsys": "test.test_colorsys",
    "configparser": "test.test_configparser",
    "difflib": "test.test_difflib",
    "fnmatch": "test.test_fnmatch",
    "heapq": "test.test_heapq",
    "shlex": "test.test_shlex",
    "statistics": "test.test_statistics",
    "string": "test.test_string",
    "textwrap": "test.test_textwrap",
}
NO_LIMIT = 10**9
SECONDS = 900  # for one test suite
ADDRESS = re.compile("0x[0-9a-f]+")


@dataclass
class Report:
    """What one run of a test suite found: the outcome of each test, and which functions were traced."""

    outcomes: dict[str, str] = field(default_factory=dict)
    traced: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    calls: int = 0


class Instrumenter(MetaPathFinder, Loader):
    """Imports one module as usual and then instruments it, each time that a test imports it afresh."""

    def __init__(self, name: str, report: Report) -> None:
        self.name = name
        self.report = report
        self.recorded: list[tuple[Program, dict[str, types.CellType]]] = []
        self.recorders: list[Recorder] = []

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname == self.name else None
        if spec is not None and spec.loader is not None:
            self.loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, _spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        self.loader.exec_module(module)
        # A function may have several names: each then gets the same rebuilt one.
        homes: dict[types.FunctionType, list[Home]] = {}
        for home, function in callables(module):
            if isinstance(function, types.FunctionType):
                homes.setdefault(function, []).append(home)
            else:
                self.report.left[home.shown] = "wrapped by a decorator"
        functions = []
        for function in homes:
            try:
                if function.__code__.co_filename != module.__file__:
                    raise TraceError("made by a decorator or by generated code")
                functions.append(Traced(function, find_source(function), {}))
                self.report.traced.append(function.__qualname__)
            except TraceError as error:
                self.report.left[function.__qualname__] = str(error)
        program = instrument(functions)
        recorder = Recorder(program, NO_LIMIT, self.shows)
        cells = {name: types.CellType(hook) for name, hook in recorder.hooks().items()}
        for traced, rebuilt in zip(functions, program.bind(functions, cells), strict=True):
            for home in homes[traced.function]:
                home.put(disguised(rebuilt, traced.function))
        self.recorded.append((program, cells))
        self.recorders.append(recorder)

    def shows(self, kind: type) -> bool:
        """Say whether objects of a class are recorded with their fields."""
        return vars(kind).get("__module__") == self.name and has_fields(kind)

    def begin(self) -> None:
        """Give every rebuilt function a new recorder, so that a recording is as long as one test."""
        self.recorders = []
        for program, cells in self.recorded:
            recorder = Recorder(program, NO_LIMIT, self.shows)
            for name, hook in recorder.hooks().items():
                cells[name].cell_contents = hook
            self.recorders.append(recorder)

    def end(self) -> None:
        """Complete the recordings of a test."""
        for recorder in self.recorders:
            self.report.calls += len(recorder.frames)
            recorder.finish(Outcome("returned"))


@dataclass(frozen=True)
class Home:
    """Where a function stands: under a name of a module or class, there perhaps inside a wrapper."""

    owner: Any
    name: str
    part: str = ""  # of a property: getter, setter or deleter

    @property
    def shown(self) -> str:
        return f"{self.owner.__name__}.{self.name}"

    def put(self, function: types.FunctionType) -> None:
        """Put another function there, in the same wrapper."""
        there: Any = vars(self.owner)[self.name]
        made: Any = function
        if self.part:
            made = getattr(there, self.part)(function)
        elif isinstance(there, (staticmethod, classmethod)):
            made = type(there)(function)
        setattr(self.owner, self.name, made)


def callables(module: types.ModuleType) -> Iterator[tuple[Home, Any]]:
    """Yield each function of a module and each method of its classes, with what decorators made of some."""
    own = [value for value in vars(module).values() if getattr(value, "__module__", None) == module.__name__]
    for owner in (module, *dict.fromkeys(value for value in own if isinstance(value, type))):
        for name, value in list(vars(owner).items()):
            if isinstance(value, property):
                parts = {"getter": value.fget, "setter": value.fset, "deleter": value.fdel}
                found = {Home(owner, name, part): function for part, function in parts.items() if function}
            else:
                function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
                found = {Home(owner, name): function}
            for home, function in found.items():
                wrapped = isinstance(function, types.FunctionType) or hasattr(function, "__wrapped__")
                if wrapped and function.__module__ == module.__name__:
                    yield home, function


def disguised(rebuilt: types.FunctionType, function: types.FunctionType) -> types.FunctionType:
    """Give a rebuilt function everything that can be read from the other one."""
    for attribute in ("__doc__", "__annotations__", "__qualname__", "__module__"):
        setattr(rebuilt, attribute, getattr(function, attribute))
    vars(rebuilt).update(vars(function))
    return rebuilt


class Outcomes(unittest.TestResult):
    """Writes down how each test ended, and has a recording begun and completed with each."""

    def __init__(self, report: Report, instrumenter: Instrumenter | None) -> None:
        super().__init__()
        self.report = report
        self.instrumenter = instrumenter

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        super().startTest(test)
        self.report.outcomes[test.id()] = "passed"
        if self.instrumenter:
            self.instrumenter.begin()

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().stopTest(test)
        if self.instrumenter:
            self.instrumenter.end()

    def note(self, test: unittest.TestCase, outcome: str) -> None:
        outcome = ADDRESS.sub("0x...", outcome)
        before = self.report.outcomes.get(test.id(), "passed")
        self.report.outcomes[test.id()] = outcome if before == "passed" else f"{before}, {outcome}"

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        self.note(test, f"error {err[0].__name__}: {err[1]}")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        self.note(test, f"failed: {err[1]}")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        self.note(test, f"skipped: {reason}")

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:  # noqa: N802
        if err is not None:
            self.note(test, f"{subtest.id()} {err[0].__name__}: {err[1]}")


def run_suite(name: str, traced: bool) -> Report:
    """Run the test suite of a module in this process."""
    report = Report()
    instrumenter = Instrumenter(name, report) if traced else None
    # What is loaded already belongs to the machinery of the tests and stays as it is: the tests get their
    # own.
    sys.modules.pop(name, None)
    if instrumenter:
        sys.meta_path.insert(0, instrumenter)
    suite = unittest.defaultTestLoader.loadTestsFromName(SUITES[name])
    suite.run(Outcomes(report, instrumenter))
    return report


def in_process(name: str, kind: str) -> Report:
    """Run a test suite in a process of its own."""
    command = [sys.executable, __file__, f"--{kind}", name]
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    try:
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        sys.exit(f"differential: the {kind} tests of {name} did not end within {SECONDS} s")
    if ended.returncode != 0:
        sys.exit(f"differential: the {kind} tests of {name} broke off:\n{ended.stderr[-2000:]}")
    return Report(**json.loads(ended.stdout.splitlines()[-1]))


def differences(plain: Report, traced: Report) -> list[str]:
    """Name each test that came out differently, with both outcomes."""
    names = {**plain.outcomes, **traced.outcomes}
    return [
        f"{name}\n      untraced: {plain.outcomes.get(name)}\n      traced:   {traced.outcomes.get(name)}"
        for name in names
        if plain.outcomes.get(name) != traced.outcomes.get(name)
    ]


def compare(modules: list[str]) -> int:
    """Run each module's tests both ways and print what came out."""
    table = "{:<14} {:>9} {:>10} {:>6} {:>12}".format
    print(table("module", "functions", "calls", "tests", "differences"))
    totals = [0, 0, 0, 0]
    left: list[str] = []
    for name in modules:
        plain, traced = in_process(name, "untraced"), in_process(name, "traced")
        found = differences(plain, traced)
        figures = [len(set(traced.traced)), traced.calls, len(plain.outcomes), len(found)]
        totals = [total + figure for total, figure in zip(totals, figures, strict=True)]
        print(table(name, *(f"{figure:,}" for figure in figures)), flush=True)
        print("".join(f"    {line}\n" for line in found), end="")
        left += [f"  {name}: {function}: {reason}" for function, reason in traced.left.items()]
    print(table(f"all {len(modules)}", *(f"{total:,}" for total in totals)))
    print("\n".join([f"functions that are not traced: {len(left)}", *left]))
    return 1 if totals[-1] else 0


def main(arguments: list[str]) -> int:
    if importlib.util.find_spec("test") is None or importlib.util.find_spec("test.support") is None:
        print(
            "differential: this Python comes without the standard library's own tests (the package `test`).\n"
            "  Debian, Ubuntu, WSL: sudo apt-get install libpython3-testsuite\n"
            "  A Python from python.org, pyenv or conda has them.",
            file=sys.stderr,
        )
        return 2
    if arguments and arguments[0] in ("--traced", "--untraced"):
        print(json.dumps(vars(run_suite(arguments[1], arguments[0] == "--traced"))))
        return 0
    if unknown := set(arguments) - set(SUITES):
        print(f"differential: {', '.join(sorted(unknown))}: not one of {', '.join(SUITES)}", file=sys.stderr)
        return 2
    return compare(arguments or list(SUITES))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

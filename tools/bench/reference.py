"""The untraced functions: against deepcopy, and how long the package takes to import."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from ctxlab.reference import prepare_context

from .report import Row, per_size
from .timing import ROUNDS, in_turn, ratio
from .workload import Work, deepcopy_reference

SIZES = (9, 101, 1001)


def rows() -> list[Row]:
    """Measure the reference functions and the import."""
    return [*structural_copies(), import_time()]


def structural_copies() -> list[Row]:
    """Compare the reference functions with the same ones that copy with `copy.deepcopy`."""
    deep = deepcopy_reference().prepare_context
    found: dict[str, dict[int, float]] = {"trim": {}, "summary": {}, "fits": {}}
    for size in SIZES:
        work = Work(size)
        budgets = {"trim": work.trimmed, "summary": work.trimmed - 1, "fits": work.size}
        for path, budget in budgets.items():
            cases = {
                "own": partial(run, prepare_context, work, budget),
                "deepcopy": partial(run, deep, work, budget),
            }
            times = in_turn(cases, repeat=max(1, 500 // size))
            found[path][size] = ratio(times, "own", "deepcopy")
    limits = {"trim": 0.65, "summary": 0.65, "fits": 0.8}
    return [
        Row(
            f"untraced prepare_context / the same with deepcopy, path {path}",
            max(figures.values()),
            limits[path],
            details=[per_size(figures)],
        )
        for path, figures in found.items()
    ]


def run(function: Callable[..., Any], work: Work, budget: int) -> None:
    function(*work.arguments(budget))


def import_time() -> Row:
    """Time the import in fresh processes, and that of the names that are loaded when they are first used."""
    bare, used = (median(imported(line) for _ in range(ROUNDS)) for line in ("import ctxlab", USE))
    return Row(
        "import ctxlab", bare, 0.15, unit=" s", details=[f"with trace, Player and Lab used: {used:.2f} s"]
    )


USE = "import ctxlab; ctxlab.trace, ctxlab.Player, ctxlab.Lab"


def imported(line: str) -> float:
    """Return the seconds that a line takes in a new process, its start left out."""
    program = f"import time; start = time.perf_counter()\n{line}\nprint(time.perf_counter() - start)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(ended.stdout)

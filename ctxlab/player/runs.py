"""What a lab runs: one function on one scenario, with a real archive where the function needs one."""

import difflib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Literal

from ctxlab.errors import CtxlabError, Refusal, TraceError
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.wording import shown
from ctxlab.reference import (
    archive_writer,
    check_pairs,
    count_request,
    prepare_context,
    run_loop,
    split_history,
    trim_results,
)
from ctxlab.scenarios import Scenario, scenario_names
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

# The settings of a run, and the parameters through which a function can take each of them.
PARAMETERS = {
    "budget": ("budget", "prepare"),
    "keep_recent": ("keep_recent", "prepare"),
    "max_chars": ("max_chars",),
    "max_summaries": ("state", "prepare"),
    "window": ("window",),
    "max_output": ("max_output",),
    "per_message": ("per_message",),
}

# A page with more steps than this is slow. The reference functions reach it on some thousand exchanges.
STEP_LIMIT = 30_000


@dataclass(frozen=True)
class Subject:
    """A function that a lab can run. `scenarios` are those that matter most for it; it opens on the first.

    `takes` says what it can read: a history in any shape, one of Anthropic's blocks, or one of nothing but a
    question and whole exchanges.
    """

    name: str
    function: Callable[..., Any]
    scenarios: tuple[str, ...] = ("normal",)
    takes: Literal["any shape", "blocks", "exchanges"] = "any shape"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the function's parameters."""
        try:
            return tuple(inspect.signature(self.function).parameters)
        except (TypeError, ValueError):  # a callable without a signature; tracing it will say what is wrong
            return ()

    @property
    def settings(self) -> list[str]:
        """The settings that the function takes."""
        taken = set(self.parameters)
        return [name for name, parameters in PARAMETERS.items() if not taken.isdisjoint(parameters)]

    @property
    def order(self) -> list[str]:
        """The names of all scenarios, those that matter most for this function first."""
        return list(dict.fromkeys([*self.scenarios, *scenario_names()]))


SUBJECTS = {
    "split": Subject("split", split_history, ("normal", "pending", "mismatch", "multi"), "exchanges"),
    "trim": Subject("trim", trim_results, ("old", "error", "recent"), "exchanges"),
    "prepare": Subject(
        "prepare",
        prepare_context,
        ("fit", "trim", "summary", "recent_large", "exhausted", "bad_summary", "archive_error"),
        "exchanges",
    ),
    "loop": Subject(
        "loop",
        run_loop,
        ("trim", "summary", "pending", "exhausted", "archive_error", "fit"),
        "exchanges",
    ),
    "count": Subject(
        "count",
        count_request,
        ("source_code", "json_rows", "chinese_notes", "many_tools", "image"),
        "blocks",
    ),
    "pairs": Subject(
        "pairs",
        check_pairs,
        ("normal", "text_first", "interrupted", "split_results", "mismatch"),
        "blocks",
    ),
}

# Looks at a history and changes nothing, so there is no run to replay: a lab shows what it finds.
DIAGNOSE = Subject("diagnose", diagnose, ("mismatch", "pending"))
CHOICES = {**SUBJECTS, DIAGNOSE.name: DIAGNOSE}


def subject(function: Any) -> Subject:
    """Return the subject of that name, or one for the learner's own function. Raises CtxlabError."""
    if callable(function):
        return Subject(getattr(function, "__name__", type(function).__name__), function)
    if not isinstance(function, str) or function not in CHOICES:
        hint = suggestion(function, list(CHOICES))
        raise CtxlabError(f"there is no function {shown(function)}; {hint} (or give a function of your own)")
    return CHOICES[function]


def suggestion(name: Any, names: list[str]) -> str:
    """Return the nearest of `names` as a question, or all of them."""
    nearest = difflib.get_close_matches(name.lower() if isinstance(name, str) else "", names, n=1, cutoff=0.5)
    return f"did you mean {nearest[0]!r}?" if nearest else f"one of {', '.join(names)}"


@dataclass(frozen=True)
class Run:
    """What came of one run: its trace (None when the function did not run), and what to say beside it."""

    trace: Trace | None
    lines: list[str]


def run(chosen: Subject, scenario: Scenario, settings: dict[str, int], snapshots: Path) -> Run:
    """Run the function on the scenario with these settings; its snapshots go into the directory `snapshots`.

    A function that takes a receipt gets that of a real snapshot, written first. What goes wrong is not
    raised: it is an outcome of the trace, or a line.
    """
    # A scenario promises what the reference functions do. Of the learner's own nothing is promised.
    promise = scenario.promise if chosen in SUBJECTS.values() else ""
    scenario = replace(scenario, promise=promise).with_settings(settings)
    writer = archive_writer(snapshots, new_id=_numbered(count(1)))
    archive = scenario.archive if scenario.archive_fails else writer
    offered = scenario.arguments(archive)
    given: dict[str, Any] = {
        name: offered[name] for name in ("archive", "state", "prepare") if name in chosen.parameters
    }
    if "receipt" in chosen.parameters:
        try:
            given["receipt"] = archive(scenario.messages)
        except (OSError, Refusal) as error:
            without = f"Without a receipt {chosen.name} does not run, and nothing is removed."
            return Run(None, [f"The archive comes first, and it failed: {error}. {without}"])
    try:
        recorded = trace(chosen.function, scenario=scenario, step_limit=STEP_LIMIT, **given)
    except TraceError as error:
        return Run(None, [f"Nothing was recorded: {error}."])
    recorded_in = offered["state"] if "state" in given or "prepare" in given else None
    return Run(recorded, _left_behind(snapshots, recorded_in))


def _numbered(numbers: Iterator[int]) -> Callable[[], str]:
    """Return a maker of snapshot ids that counts, so that every run comes out the same."""
    return lambda: f"{next(numbers):012x}"


def _left_behind(snapshots: Path, state: Any) -> list[str]:
    """Say what a run left outside the history: snapshots, and the state as it is now."""
    lines = []
    for path in sorted(snapshots.glob("*.jsonl")):
        with path.open("rb") as file:
            lines.append(f"Snapshot on disk: {path.name}, {sum(1 for _ in file)} messages.")
    if state is not None:
        lines.append(f"State after the run: {shown(state)}.")
    return lines

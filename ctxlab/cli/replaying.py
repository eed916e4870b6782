"""`ctxlab replay`: one real run of a reference function, as text, as JSON or as a page."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ctxlab.cli.arguments import Parser, added_command, whole_number
from ctxlab.cli.output import UsageError, as_json
from ctxlab.cli.pages import save_page
from ctxlab.cli.statuses import DONE, FAILED, exit_status
from ctxlab.reference import (
    check_pairs,
    count_request,
    prepare_context,
    run_loop,
    split_history,
    trim_results,
)
from ctxlab.reference.history import MAX_KEEP_RECENT, MIN_BUDGET

if TYPE_CHECKING:
    from ctxlab.scenarios import Scenario, SystemScenario

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "split": split_history,
    "trim": trim_results,
    "prepare": prepare_context,
    "loop": run_loop,
    "count": count_request,
    "pairs": check_pairs,
}

# The options that only some of the functions have a use for.
ONLY_FOR = {
    "budget": ("prepare", "loop"),
    "keep_recent": ("split", "trim", "prepare", "loop"),
    "max_chars": ("trim",),
}

STATUSES = exit_status(
    "the run was replayed; a refusal is a result like any other",
    "it ended early: with an exception, or at the step limit",
)


def add_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the command to the parser."""
    text = "run a function on a scenario and print what it decided"
    command = added_command(commands, "replay", text, _answer, STATUSES)
    command.add_argument(
        "scenario", metavar="SCENARIO", help="the name of a scenario, or a path of a .yaml file"
    )
    command.add_argument(
        "--function",
        choices=list(FUNCTIONS),
        help="what runs on a history, prepare if left out; a scenario of a system has its own",
    )
    command.add_argument(
        "--budget",
        type=whole_number(MIN_BUDGET),
        metavar="N",
        help=f"bytes that the history may have, {MIN_BUDGET} or more (prepare, loop)",
    )
    command.add_argument(
        "--keep-recent",
        type=whole_number(1, MAX_KEEP_RECENT),
        metavar="N",
        help=f"newest exchanges that stay as they are, 1 to {MAX_KEEP_RECENT}",
    )
    command.add_argument(
        "--max-chars",
        type=whole_number(1),
        metavar="N",
        help="characters that an older result text may have, 1 or more (trim)",
    )
    command.add_argument("--html", metavar="FILE", help="also write a page that replays the run, offline")
    command.add_argument(
        "--mask",
        action="store_true",
        help="mask what looks like a secret in the page",
    )
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the trace as JSON instead")
    form.add_argument(
        "--calls", action="store_true", help="also print the decisions of the functions it called"
    )


def _answer(arguments: argparse.Namespace) -> tuple[int, str]:
    from ctxlab.scenarios import SystemScenario, load_scenario

    if arguments.mask and arguments.html is None:
        raise UsageError("--mask is about the page; say --html FILE, or leave it out")
    given = {name: value for name in ONLY_FOR if (value := getattr(arguments, name)) is not None}
    scenario = load_scenario(arguments.scenario)
    if isinstance(scenario, SystemScenario):
        return _replayed(arguments, _own_function(arguments, scenario, given), scenario)
    function = arguments.function or "prepare"
    for name, functions in ONLY_FOR.items():
        if name in given and function not in functions:
            option, others = name.replace("_", "-"), " or ".join(functions)
            raise UsageError(f"{function} has no --{option}; leave it out, or say --function {others}")
    return _replayed(arguments, FUNCTIONS[function], scenario.with_settings(given))


def _own_function(
    arguments: argparse.Namespace, scenario: "SystemScenario", given: dict[str, int]
) -> Callable[..., Any]:
    """Return the function that a scenario of a system calls; it takes no other, and no settings."""
    options = ["--function"] if arguments.function else []
    options += [f"--{name.replace('_', '-')}" for name in given]
    if options:
        raise UsageError(
            f"{scenario.name} is a scenario of {scenario.system.name}, with a function and arguments of its "
            f"own; leave out {' and '.join(options)}"
        )
    return scenario.function


def _replayed(
    arguments: argparse.Namespace, function: Callable[..., Any], scenario: "Scenario | SystemScenario"
) -> tuple[int, str]:
    from ctxlab.tracer.run import trace

    run = trace(function, scenario=scenario)
    if arguments.html is not None:
        save_page(run.save_html, arguments.html, arguments.mask)
    status = DONE if run.outcome.kind in ("returned", "refused") else FAILED
    return status, as_json(run.data) if arguments.json else run.text(arguments.calls)

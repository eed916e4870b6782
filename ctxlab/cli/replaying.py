"""`ctxlab replay`: one real run of a reference function, as text, as JSON or as a page."""

import argparse
from collections.abc import Callable
from typing import Any

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
    command.add_argument("--function", choices=list(FUNCTIONS), default="prepare", help="default: prepare")
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
    from ctxlab.scenarios import load_scenario
    from ctxlab.tracer.run import trace

    if arguments.mask and arguments.html is None:
        raise UsageError("--mask is about the page; say --html FILE, or leave it out")
    names = ("budget", "keep_recent", "max_chars")
    given = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    for name, functions in ONLY_FOR.items():
        if name in given and arguments.function not in functions:
            option, others = name.replace("_", "-"), " or ".join(functions)
            raise UsageError(
                f"{arguments.function} has no --{option}; leave it out, or say --function {others}"
            )
    scenario = load_scenario(arguments.scenario).with_settings(given)
    run = trace(FUNCTIONS[arguments.function], scenario=scenario)
    if arguments.html is not None:
        save_page(run.save_html, arguments.html, arguments.mask)
    status = DONE if run.outcome.kind in ("returned", "refused") else FAILED
    return status, as_json(run.data) if arguments.json else run.text(arguments.calls)

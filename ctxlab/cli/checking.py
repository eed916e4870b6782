"""`ctxlab check`: the functions of a file as answers to the exercises."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli.arguments import Parser, added_command
from ctxlab.cli.output import UsageError, as_json, complain
from ctxlab.cli.statuses import DONE, FAILED, exit_status

if TYPE_CHECKING:
    from ctxlab.exercises.verdict import Verdict

DESCRIPTION = """\
Check the functions of FILE that are named as exercises are.
FILE is executed for that: check only code that you would run.

A function that loops for ever, ends the program or raises anything gets its
verdict. Nothing holds back os._exit, which ends the command with any status
and no output; code that switches off the timer, or one call of C code that
never returns; a thread that goes on when the check is over; and code that
replaces parts of ctxlab. The exit status can be trusted only for code that
does not try to deceive it.
"""
STATUSES = exit_status("every function that was checked has passed", "one of them has not")


def add_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the command to the parser."""
    text = "check the functions of a file as answers to the exercises"
    command = added_command(commands, "check", text, _answer, STATUSES, DESCRIPTION)
    command.add_argument("file", metavar="FILE", help="the path of a Python file")
    command.add_argument(
        "names", metavar="NAME", nargs="*", default=[], help="an exercise to check (default: all in FILE)"
    )
    command.add_argument(
        "--json", action="store_true", help="print a JSON list of {name, kind, passed, lines}"
    )


def _answer(arguments: argparse.Namespace) -> tuple[int, str]:
    try:
        verdicts = _verdicts(arguments.file, arguments.names)
    except KeyboardInterrupt:
        # The code of the file can raise it too, and then nobody pressed a key.
        complain(f"ctxlab: {arguments.file} was not checked to the end: Ctrl-C or its own KeyboardInterrupt")
        raise
    passed = sum(verdict.passed for verdict in verdicts)
    status = DONE if passed == len(verdicts) else FAILED
    if arguments.json:
        fields = ("name", "kind", "passed", "lines")
        return status, as_json([{field: getattr(verdict, field) for field in fields} for verdict in verdicts])
    texts = [f"{verdict.text()}\n" for verdict in verdicts]
    return status, "\n".join([*texts, f"{passed} of {len(verdicts)} passed\n"])


def _verdicts(file: str, chosen: list[str]) -> list["Verdict"]:
    """Check the functions of a file: those that were chosen, or all that are named as an exercise is."""
    from ctxlab.exercises.checking import check
    from ctxlab.exercises.exercise import exercise, exercise_names
    from ctxlab.exercises.learner_file import definitions

    wanted = [exercise(name).name for name in dict.fromkeys(chosen)]
    names = wanted or exercise_names()
    found = definitions(Path(file))
    for name in wanted:
        if not callable(found.get(name)):
            raise UsageError(f"{file} defines no function {name}; define it, or leave the name out")
    verdicts = [check(name, found[name]) for name in names if callable(found.get(name))]
    if not verdicts:
        raise UsageError(f"{file} defines none of the functions {', '.join(names)}")
    return verdicts

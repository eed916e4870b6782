"""The command line: one module for each command. `main` parses the arguments and lets the command answer.

What takes long to load is imported where it is used: `--help` answers at once, and Ctrl-C is caught while it
loads.
"""

import argparse
from importlib.metadata import version

from ctxlab.cli import checking, comparing, diagnosing, listing, practising, repairing, replaying
from ctxlab.cli.arguments import Answer, Parser
from ctxlab.cli.output import complain, write
from ctxlab.cli.statuses import DONE, INTERRUPTED, UNUSABLE, exit_status
from ctxlab.errors import CtxlabError

STATUSES = exit_status(
    "done", "a run ended early, a check failed, a history has findings, or there is no safe repair"
)
COMMANDS = (diagnosing, repairing, comparing, listing, replaying, practising, checking)


def main(argv: list[str] | None = None) -> int:
    """Run the command line with `argv` (default: the process's arguments) and return the exit status."""
    try:
        status, text = _answer(argv)
        write(text)
    except CtxlabError as error:
        complain(" ".join(["ctxlab:", *str(error).splitlines()]))
        return UNUSABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _answer(argv: list[str] | None) -> tuple[int, str]:
    """Return the exit status, and the text for standard output."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    answer: Answer | None = arguments.answer
    if answer is None:
        parser.error("say diagnose, repair, compare, list, replay, practice or check")
    return answer(arguments)


def _parser() -> Parser:
    parser = Parser(
        prog="ctxlab",
        description="Find what is wrong with a history; replay how one is made smaller without being broken.",
        epilog=STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version", dest="answer", action="store_const", const=_version, help="print the version"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add_command(commands)
    return parser


def _version(_arguments: argparse.Namespace) -> tuple[int, str]:
    return DONE, f"ctxlab {version('ctxlab')}\n"

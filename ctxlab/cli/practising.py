"""`ctxlab practice`: a real run of the loop."""

import argparse

from ctxlab.cli.arguments import Parser, added_command, whole_number
from ctxlab.cli.output import complain, write
from ctxlab.cli.statuses import DONE, FAILED, exit_status
from ctxlab.reference.history import MIN_BUDGET

DESCRIPTION = """\
Run the loop for real: a model reads four logs, sends a sub-agent, asks you
before it starts a program, starts it, and compares what it printed. All of it
happens in a new directory, which stays. The models are scripted, and nothing
is sent anywhere, unless you say --live.

One line for each request: who sends it, its number, the bytes of the history
before -> after its preparation, what the preparation did, and its snapshot.
"""
STATUSES = exit_status("the run ended with an answer", "it ended without one")


def add_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the command to the parser."""
    text = "run the loop on a real task, with a permission that you give or refuse"
    command = added_command(commands, "practice", text, _answer, STATUSES, DESCRIPTION)
    command.add_argument(
        "--decision", choices=["allow", "deny"], help="answer the question about the program beforehand"
    )
    command.add_argument(
        "--summary-limit",
        type=whole_number(0),
        metavar="N",
        help="summaries that the run may spend (default: 1)",
    )
    command.add_argument(
        "--budget",
        type=whole_number(MIN_BUDGET),
        metavar="B",
        help=f"bytes that the history may have, {MIN_BUDGET} or more (default: 3200; live 4800)",
    )
    command.add_argument(
        "--live", choices=["anthropic", "openai"], help="ask a provider's model: needs a key, costs money"
    )
    command.add_argument("--model", metavar="NAME", help="the model to ask (with --live)")
    command.add_argument("--yes", action="store_true", help="send without asking first (with --live)")
    command.add_argument(
        "--directory", metavar="DIR", help="a new or empty directory (default: a temporary one)"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object at the end instead")


def _answer(arguments: argparse.Namespace) -> tuple[int, str]:
    from ctxlab.practice.terminal import Options, practise

    options = Options(
        decision=arguments.decision,
        summary_limit=arguments.summary_limit,
        budget=arguments.budget,
        live=arguments.live,
        model=arguments.model,
        directory=arguments.directory,
        yes=arguments.yes,
        json=arguments.json,
    )
    # It writes as it goes: a person answers in the middle of it.
    return DONE if practise(options, write, complain) else FAILED, ""

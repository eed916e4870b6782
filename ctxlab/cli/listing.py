"""`ctxlab list`: the scenarios."""

import argparse

from ctxlab.cli.arguments import Parser, added_command
from ctxlab.cli.output import as_json
from ctxlab.cli.statuses import DONE, exit_status


def add_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the command to the parser."""
    from ctxlab.scenarios.systems import NAMES

    text = "list the scenarios, each with its promise"
    command = added_command(commands, "list", text, _answer, exit_status("the scenarios are printed", ""))
    command.add_argument(
        "system",
        metavar="SYSTEM",
        nargs="?",
        choices=NAMES,
        help=f"the scenarios of one system: {', '.join(NAMES)}; left out: those of split, trim and prepare",
    )
    command.add_argument("--json", action="store_true", help="print a JSON list of {name, promise}")


def _answer(arguments: argparse.Namespace) -> tuple[int, str]:
    from ctxlab.scenarios import load_scenario, scenario_names

    promises = {name: load_scenario(name).promise for name in scenario_names(arguments.system)}
    if arguments.json:
        return DONE, as_json([{"name": name, "promise": promise} for name, promise in promises.items()])
    width = max(map(len, promises), default=0)
    return DONE, "".join(f"{name:{width}}  {promise}\n" for name, promise in promises.items())

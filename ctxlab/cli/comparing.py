"""`ctxlab compare`: what each strategy does to one history, side by side."""

import argparse
from functools import partial
from typing import TYPE_CHECKING

from ctxlab.cli import transcripts
from ctxlab.cli.arguments import Parser, added_command, whole_number
from ctxlab.cli.new_files import same_file
from ctxlab.cli.output import UsageError, as_json
from ctxlab.cli.pages import save_page
from ctxlab.cli.statuses import DONE, exit_status
from ctxlab.errors import CtxlabError, Refusal
from ctxlab.messages.wording import visible

if TYPE_CHECKING:
    from ctxlab.messages.report import Report
    from ctxlab.strategies.outcome import Comparison

DESCRIPTION = """\
Run every strategy on one history, request by request, and print for each what
became of it: tokens, refusals, what a prompt cache could reuse, which facts
are lost, summaries, and what diagnose finds that was not there before.

FILE is what ctxlab diagnose reads; - reads standard input. No model is asked:
a summary is a stand-in of one sentence. Nothing is sent anywhere, and FILE is
never changed. What looks like a secret is masked in all that is printed.
"""
STATUSES = exit_status("the comparison is printed, whatever the strategies did", "")
REMEDY = "before you pass the file on, have a masked copy made: ctxlab repair FILE -o OUT --mask"


def add_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the command to the parser."""
    text = "run every strategy on a history, and show what each keeps and costs"
    command = added_command(commands, "compare", text, _answer, STATUSES, DESCRIPTION)
    command.add_argument("file", metavar="FILE", help="the path of a transcript, or -")
    transcripts.add_options(command)
    command.add_argument(
        "--limit",
        type=_limit,
        metavar="TOKENS",
        help="what a request may hold (default: half of the whole history, at least 500)",
    )
    command.add_argument(
        "--facts",
        metavar="FACTS",
        help="a JSON or YAML list of {kind, text}: what each should keep (default: some that are found)",
    )
    command.add_argument("--strategies", metavar="NAME,NAME", help="only these (default: all)")
    command.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    command.add_argument("--html", metavar="PAGE", help="also write a page that shows it, with a chart")
    command.add_argument("--mask", action="store_true", help="mask what looks like a secret in the page, too")


def _limit(text: str) -> int:
    from ctxlab.strategies.strategy import MOST_LIMIT

    return whole_number(1, MOST_LIMIT)(text)


def _answer(arguments: argparse.Namespace) -> tuple[int, str]:
    if arguments.mask and arguments.html is None:
        raise UsageError("--mask is about the page; say --html PAGE, or leave it out")
    with transcripts.opened(arguments, arguments.file) as (report, _):
        comparison = _compared(arguments, report)
    if arguments.html is not None:
        if any(same_file(arguments.html, read) for read in (arguments.file, arguments.facts or "")):
            raise UsageError(f"{arguments.html} is a file that is read; give the page another name")
        from ctxlab.player.strategies import save_strategies

        save_page(partial(save_strategies, comparison, report), arguments.html, arguments.mask)
    transcripts.warn_of_secrets(report, REMEDY)
    shown = comparison.masked(report.mask)
    if arguments.json:
        return DONE, as_json(shown.to_json())
    return DONE, shown.text()


def _compared(arguments: argparse.Namespace, report: "Report") -> "Comparison":
    from ctxlab.strategies.facts import read_facts
    from ctxlab.strategies.reported import compare_reported

    names = arguments.strategies
    if arguments.facts in ("", "-"):
        raise UsageError(f"--facts is {arguments.facts!r}; give the path of a JSON or YAML file")
    try:
        facts = None if arguments.facts is None else read_facts(arguments.facts)
    except CtxlabError as error:
        # It may quote what only the history shows to be a secret, and a path may hold anything.
        raise CtxlabError(visible(report.masked_text(str(error)))) from error
    try:
        return compare_reported(
            report,
            limit=arguments.limit,
            names=None if names is None else [name for name in map(str.strip, names.split(",")) if name],
            facts=facts,
        )
    except Refusal as refusal:
        text = visible(report.masked_text(str(refusal)))
        if refusal.code == "bad_argument":
            raise UsageError(text) from refusal
        raise CtxlabError(
            f"{report.name} cannot be compared: {text}; ctxlab diagnose names every fault in it"
        ) from refusal

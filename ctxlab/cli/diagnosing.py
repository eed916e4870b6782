"""`ctxlab diagnose`: what is wrong with the histories in files, as a linter says it."""

import argparse
from typing import TYPE_CHECKING, Any

from ctxlab.cli import transcripts
from ctxlab.cli.arguments import Parser, added_command
from ctxlab.cli.new_files import same_file
from ctxlab.cli.output import UsageError, as_json, complain, write
from ctxlab.cli.pages import save_page
from ctxlab.cli.statuses import DONE, FAILED, UNUSABLE, exit_status
from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    from ctxlab.messages.report import Report

DESCRIPTION = """\
Find what a provider would refuse in a history, and what a program that
shortens it must not do. For each finding: the file and line, a code, the
message and block (counted from 0), and what a careful repair would be.

FILE is a JSON list of messages, one message a line, a request body, a session
file of Claude Code or Codex CLI, a dump of LangChain messages, or a database
of the OpenAI Agents SDK; - reads standard input. Nothing is sent anywhere,
and FILE is never changed.

What looks like a secret is counted on standard error, and masked in all that
is printed.
"""
STATUSES = exit_status("nothing was found", "there are findings")
REMEDY = "before you pass the file on, have a masked copy made: ctxlab repair FILE -o OUT --mask"


def add_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the command to the parser."""
    text = "say what is wrong with a history, and where"
    command = added_command(commands, "diagnose", text, _answer, STATUSES, DESCRIPTION)
    command.add_argument("files", metavar="FILE", nargs="+", help="the path of a transcript, or -")
    transcripts.add_options(command)
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print a JSON list with an object for each FILE")
    form.add_argument("--sarif", action="store_true", help="print SARIF 2.1.0, which code hosts can show")
    command.add_argument(
        "--html", metavar="PAGE", help="also write a page that shows the whole history (one FILE)"
    )
    command.add_argument("--mask", action="store_true", help="mask what looks like a secret in the page, too")


def _answer(arguments: argparse.Namespace) -> tuple[int, str]:
    if arguments.html is not None and len(arguments.files) > 1:
        raise UsageError(f"--html takes one FILE, not {len(arguments.files)}; write a page for each")
    told = _Told(arguments.json, arguments.sarif)
    for file in arguments.files:
        try:
            with transcripts.opened(arguments, file) as (report, _):
                pass
        except CtxlabError as error:
            told.add_unusable(file, str(error))
            continue
        if arguments.html is not None:
            if same_file(arguments.html, file):
                raise UsageError(f"{arguments.html} is the transcript itself; give the page another name")
            _save_page(report, arguments.html, arguments.mask)
        transcripts.warn_of_secrets(report, REMEDY)
        told.add(report)
    return told.status, told.last()


def _save_page(report: "Report", page: str, mask: bool) -> None:
    from ctxlab.player.diagnosis import Diagnosis

    save_page(Diagnosis(report).save_html, page, mask)


class _Told:
    """What was said of the files so far. Text is written at once, JSON and SARIF at the end."""

    def __init__(self, json: bool, sarif: bool) -> None:
        self.json, self.sarif = json, sarif
        self.objects: list[dict[str, Any]] = []
        self.reports: list[Report] = []
        self.unusable: list[str] = []
        self.read = self.findings = 0

    def add(self, report: "Report") -> None:
        self.read += 1
        self.findings += len(report.findings)
        if self.sarif:
            # A sound history has nothing to say there, and need not stay in memory.
            self.reports += [report.masked()] if report.findings else []
        elif self.json:
            self.objects.append(report.masked_words().to_json())
        else:
            write(report.masked_words().text())

    def add_unusable(self, file: str, text: str) -> None:
        complain(f"ctxlab: {text}")
        self.unusable.append(text)
        self.objects.append({"file": file, "error": text})

    @property
    def status(self) -> int:
        if self.unusable:
            return UNUSABLE
        return FAILED if self.findings else DONE

    def last(self) -> str:
        """Return what comes after the last file."""
        from ctxlab.messages.readers.transcript import counted
        from ctxlab.messages.sarif import sarif

        if self.json:
            return as_json(self.objects)
        if self.sarif:
            return as_json(sarif(self.reports, self.unusable))
        if not self.read:
            return ""
        findings = counted(self.findings, "finding") if self.findings else "no findings"
        unusable = f"; {counted(len(self.unusable), 'file')} not read" if self.unusable else ""
        return f"{findings} in {counted(self.read, 'file')}{unusable}\n"

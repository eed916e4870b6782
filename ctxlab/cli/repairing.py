"""`ctxlab repair`: a repaired copy of a history, in a new file."""

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxlab.cli import transcripts
from ctxlab.cli.arguments import Parser, added_command
from ctxlab.cli.new_files import write_new_files
from ctxlab.cli.output import UsageError, as_json, complain
from ctxlab.cli.statuses import DONE, FAILED, exit_status
from ctxlab.errors import Refusal
from ctxlab.messages.wording import visible

if TYPE_CHECKING:
    from ctxlab.cli.copies import Form
    from ctxlab.messages.diagnosis.finding import Finding
    from ctxlab.messages.repairing import Change
    from ctxlab.messages.report import Report

DESCRIPTION = """\
Write a repaired copy of a history to OUT, and print each change. Only what
loses nothing and claims nothing that may be untrue is changed: where a repair
would have to guess, it is refused, and nothing is written.

A JSON list, lines and a request body keep their form; of a session file, a
dump or a database, OUT is a JSON list of the messages. What is taken out goes
whole to OUT.removed.jsonl. FILE, which may be - for standard input, is never
changed, nor overwritten by --force.
"""
STATUSES = exit_status(
    "the copy is written, also where no change was needed",
    "there is no safe repair; nothing is written",
)
REMEDY = "OUT holds the same; --mask masks it there"
TAKEN_OUT = ".removed.jsonl"


def add_command(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the command to the parser."""
    text = "write a repaired copy of a history, and say what was changed"
    command = added_command(commands, "repair", text, _answer, STATUSES, DESCRIPTION)
    command.add_argument("file", metavar="FILE", help="the path of a transcript, or -")
    command.add_argument("-o", "--out", metavar="OUT", required=True, help="the new file")
    transcripts.add_options(command)
    command.add_argument("--force", action="store_true", help="overwrite OUT and OUT.removed.jsonl")
    command.add_argument("--mask", action="store_true", help="mask what looks like a secret in OUT")
    command.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def _answer(arguments: argparse.Namespace) -> tuple[int, str]:
    from ctxlab.cli.copies import copy_of, lines, written

    if arguments.out == transcripts.STANDARD_INPUT:
        raise UsageError("OUT is the path of a new file; on standard output stand the changes")
    with transcripts.opened(arguments, arguments.file) as (report, path):
        try:
            messages, changes = _repaired(report)
            form, value = copy_of(report, path, messages)
            removed = [_removed(change) for change in changes if change.removed is not None]
            if arguments.mask:
                value, removed = _masked(report, messages, value, removed)
        except Refusal as refusal:
            complain(visible(f"ctxlab: {_told(report, refusal)}"))
            return FAILED, ""
        files = {arguments.out: written(form, value)}
        if removed:
            files[arguments.out + TAKEN_OUT] = lines(removed)
        write_new_files(files, path, arguments.force)
    if not arguments.mask:
        transcripts.warn_of_secrets(report, REMEDY)
    done = _Done(report, len(messages), changes, form, *files)
    return DONE, as_json(done.to_json()) if arguments.json else done.text()


def _repaired(report: "Report") -> tuple[list[Any], list["Change"]]:
    """Return what `repair` returns. Refuses, too, where a part of the file could not be read."""
    from ctxlab.messages.repairing import repair

    for torn in report.transcript.findings:
        raise Refusal(torn.code, f"no safe repair: {torn.text}. {torn.fix}")
    return repair(report.transcript.messages, report.transcript.api)


def _masked(
    report: "Report", messages: list[Any], value: Any, removed: list[dict[str, Any]]
) -> tuple[Any, list[dict[str, Any]]]:
    """Mask what is written. Refuses where that would break the history, as where an id holds a secret."""
    from ctxlab.messages.diagnosis.examining import diagnose
    from ctxlab.messages.masking import Mask

    mask = Mask([value, removed])
    for finding in diagnose(mask.throughout(messages), report.transcript.api):
        raise Refusal(finding.code, f"masked, the history would have a fault: {finding.text}")
    return mask.throughout(value), mask.throughout(removed)


def _removed(change: "Change") -> dict[str, Any]:
    return {
        "code": change.code,
        "message": change.message,
        "block": change.block,
        "id": change.id,
        "removed": change.removed,
    }


def _told(report: "Report", refusal: Refusal) -> str:
    """Return a refusal with its place in the file and its remedy."""
    from ctxlab.messages.diagnosis.remedies import REMEDIES

    text = str(refusal)
    for finding in report.findings:
        if finding.code == refusal.code and finding.text in text and finding.fix in text:
            return f"{report.at(finding)}: {refusal.code}: {report.masked_text(text)}"
    # It is about the history as it would be.
    remedy = REMEDIES[refusal.code]
    return f"{report.name}: {refusal.code}: {report.masked_text(text)}. {remedy}"


class _Done(NamedTuple):
    """A repair that was made, and where it went."""

    report: "Report"
    messages: int
    changes: list["Change"]
    form: "Form"
    out: str
    taken_out: str | None = None

    def to_json(self) -> dict[str, Any]:
        transcript = self.report.transcript
        return {
            "file": self.report.name,
            "format": transcript.format,
            "api": transcript.api,
            "out": self.out,
            "form": self.form,
            "messages": self.messages,
            "taken_out": self.taken_out,
            "changes": [
                {
                    "code": change.code,
                    "message": change.message,
                    "block": change.block,
                    "id": change.id,
                    "line": self.report.line(change),
                    "text": change.text,
                }
                for change in self._findings()
            ],
        }

    def text(self) -> str:
        from ctxlab.messages.readers import plain, request_body
        from ctxlab.messages.readers.transcript import counted

        transcript = self.report.transcript
        lines = [f"{self.report.at(change)}: {change.code}: {change.text}" for change in self._findings()]
        words = [self.form, transcript.api, counted(self.messages, "message")]
        words.append(counted(len(self.changes), "change") if self.changes else "no change was needed")
        if transcript.format not in (plain.NAME, request_body.NAME):
            words.append(f"no {transcript.format} any more")
        lines.append(f"{self.out}: {', '.join(words)}")
        if transcript.skipped:
            kinds = ", ".join(f"{count} x {kind}" for kind, count in transcript.skipped.items())
            lines.append(f"    not part of the history, and left out: {kinds}")
        if self.taken_out:
            lines.append(f"{self.taken_out}: what was taken out, whole")
        return "".join(f"{visible(line)}\n" for line in lines)

    def _findings(self) -> list["Finding"]:
        """Return the changes as findings, with what they quote masked."""
        from ctxlab.messages.diagnosis.finding import Finding
        from ctxlab.messages.secrets import masked

        return [
            Finding(
                change.code,
                change.message,
                change.block,
                masked(change.id),
                self.report.masked_text(change.text),
                "",
            )
            for change in self.changes
        ]

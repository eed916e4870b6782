"""What can be said of one history: how it was read, what is wrong with it, and what looks like a secret."""

import os
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ctxlab.errors import HistoryError
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.diagnosis.finding import Finding
from ctxlab.messages.masking import Mask
from ctxlab.messages.readers.reading import TORN, read_transcript
from ctxlab.messages.readers.transcript import Origin, Transcript, counted
from ctxlab.messages.secrets import Secret, found_secrets, masked
from ctxlab.messages.shapes import Api, shape_of
from ctxlab.messages.wording import type_words, visible

LIST = "a list"
SHOWN_PLACES = 5
# A torn line from which no message came: the text of its finding begins with it.
TORN_LINE = re.compile(r"line (\d+): ")


@dataclass(frozen=True)
class Report:
    """What is wrong with one history, and what in it looks like a secret.

    `name` is the path as it was given, "" for a list. `findings` are the faults of the file and of the
    messages, sorted by place; `transcript.api` is the shape in which they were looked for. The paths of
    `secrets` start with "messages", "system" or "tools".
    """

    name: str
    transcript: Transcript
    findings: list[Finding]
    secrets: list[Secret]

    def line(self, finding: Finding) -> int | None:
        """Return the line of the file on which the message of a finding begins, where that is known."""
        if finding.message is not None:
            return next(iter(self.transcript.origin[finding.message].lines), None)
        torn = TORN_LINE.match(finding.text) if finding.code == TORN else None
        return int(torn[1]) if torn else None

    def place(self, finding: Finding) -> str:
        """Return where in the file the message of a finding is, such as "lines 3 and 5"; "" if in none."""
        return "" if finding.message is None else self.transcript.origin[finding.message].place

    def at(self, finding: Finding) -> str:
        """Return the place of a finding as a linter writes it: the file and, where it is known, the line."""
        name, line, place = self.name or LIST, self.line(finding), self.place(finding)
        if line:
            return f"{name}:{line}"
        return name if finding.text.startswith(place) else f"{name}: {place}"

    def masked(self) -> "Report":
        """Return this report with every secret masked: in the history and in what is said of it."""
        shown = self.masked_words()
        if not self.secrets:
            return shown
        return replace(
            shown, transcript=replace(shown.transcript, **self.mask.throughout(_texts_of(self.transcript)))
        )

    def masked_words(self) -> "Report":
        """Return this report with the secrets masked that its findings and notes quote, whole or cut."""
        given = self.transcript
        transcript = replace(
            given,
            skipped=masked(given.skipped),
            notes=self.mask.value(given.notes),
            findings=self._masked_findings(given.findings),
        )
        return replace(self, transcript=transcript, findings=self._masked_findings(self.findings))

    def masked_text(self, text: str) -> str:
        """Return a text about the history, with the secrets masked that it quotes, whole or cut."""
        return self.mask.text(text)

    def masked_value(self, value: Any) -> Any:
        """Return a copy of a JSON value about the history, with the secrets masked that its texts quote."""
        return self.mask.value(value)

    @cached_property
    def mask(self) -> Mask:
        """What masks the secrets of this history in any text."""
        return Mask([_texts_of(self.transcript)] if self.secrets else [])

    def _masked_findings(self, findings: list[Finding]) -> list[Finding]:
        return [
            replace(finding, text=self.mask.text(finding.text), id=self.mask.value(finding.id))
            for finding in findings
        ]

    def warning(self) -> str | None:
        """Return one line on the secrets, with their kinds and places; it quotes none. None without any."""
        if not self.secrets:
            return None
        places: dict[str, dict[str, None]] = {}
        for secret in self.secrets:
            top, *rest = secret.path
            place = str(rest[0]) if top == "messages" else f"the {top}"
            places.setdefault(secret.kind, {})[place] = None
        kinds = [f"{kind} ({_listed(list(at))})" for kind, at in places.items()]
        looks = "looks like a secret" if len(self.secrets) == 1 else "look like secrets"
        return f"{counted(len(self.secrets), 'text')} {looks}: {', '.join(kinds)}"

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values. It quotes ids and names, and no message."""
        transcript = self.transcript
        return {
            "file": self.name,
            "format": transcript.format,
            "api": transcript.api,
            "messages": len(transcript.messages),
            "skipped": transcript.skipped,
            "notes": transcript.notes,
            "findings": [
                {
                    "code": finding.code,
                    "message": finding.message,
                    "block": finding.block,
                    "id": finding.id,
                    "line": self.line(finding),
                    "place": self.place(finding),
                    "text": finding.text,
                    "fix": finding.fix,
                }
                for finding in self.findings
            ],
            "secrets": [{"kind": secret.kind, "path": list(secret.path)} for secret in self.secrets],
        }

    def text(self) -> str:
        """Return the report as lines: what was read as what, then each finding as a linter writes it."""
        transcript = self.transcript
        name = self.name or LIST
        messages = counted(len(transcript.messages), "message")
        read_as = [transcript.format] if self.name else []
        lines = [f"{name}: {', '.join([*read_as, transcript.api, messages])}"]
        if transcript.skipped:
            kinds = ", ".join(f"{count} x {kind}" for kind, count in transcript.skipped.items())
            lines.append(f"    not part of the history: {kinds}")
        lines += [f"    {note}" for note in transcript.notes]
        for finding in self.findings:
            lines += [f"{self.at(finding)}: {finding.code}: {finding.text}", f"    {finding.fix}"]
        return "".join(f"{visible(line)}\n" for line in lines)


def report_on(source: Any, api: Api | None = None, session: str | None = None) -> Report:
    """Return the report on a list of messages, or on the transcript that a path names.

    `api` is the shape to look at it in, recognised when it is not given; `session` chooses one of a database.
    Raises HistoryError for a file that cannot be read or holds no messages, and for a source that is neither;
    refuses (`bad_argument`) an unknown api, and (`not_a_history`) a list that contains itself.
    """
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        transcript = read_transcript(source, session)
    elif isinstance(source, list):
        name = ""
        transcript = _of_list(source)
    else:
        raise HistoryError(f"a history is a list of messages or a path, not {type_words(source)}")
    transcript = replace(transcript, api=api or transcript.api)
    findings = [*transcript.findings, *diagnose(transcript.messages, transcript.api)]
    secrets = found_secrets(_texts_of(transcript))
    return Report(name, transcript, sorted(findings, key=_position), secrets)


def _of_list(messages: list[Any]) -> Transcript:
    places = [Origin(f"message {index}") for index in range(len(messages))]
    return Transcript(LIST, messages, shape_of(messages, None), None, None, places, {}, [], [])


def _texts_of(transcript: Transcript) -> dict[str, Any]:
    return {"messages": transcript.messages, "system": transcript.system, "tools": transcript.tools}


def _position(finding: Finding) -> tuple[int, int]:
    message = -1 if finding.message is None else finding.message
    return message, -1 if finding.block is None else finding.block


def _listed(places: list[str]) -> str:
    """Return places as words, such as "messages 3, 5" or "message 2, the system"; of many the first."""
    shown_places = places[:SHOWN_PLACES]
    if shown_places[0].isdecimal():
        several = len(shown_places) > 1 and shown_places[1].isdecimal()
        shown_places[0] = f"{'messages' if several else 'message'} {shown_places[0]}"
    more = len(places) - SHOWN_PLACES
    return ", ".join(shown_places) + (f" and {more} more" if more > 0 else "")

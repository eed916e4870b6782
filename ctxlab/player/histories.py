"""The histories of a lab: how one of the learner's own is read, and what of it each function gets."""

import os
import tempfile
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ctxlab.errors import HistoryError, Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.readers.transcript import counted, listed
from ctxlab.messages.report import Report, report_on
from ctxlab.messages.texts import texts
from ctxlab.messages.tool_exchanges import NO_QUESTION, ToolExchanges, tool_exchanges
from ctxlab.player.runs import Subject
from ctxlab.reference import history_bytes
from ctxlab.scenarios import Scenario
from ctxlab.scenarios.fields import Settings
from ctxlab.scenarios.stand_ins import SUMMARY
from ctxlab.tracer.tables import one_line

UNNAMED = "own history"
# The button with the name has room in a narrow notebook.
MOST_NAME_CHARS = 45


@dataclass(frozen=True)
class KnownHistory:
    """The history of a scenario, which every function gets as it is."""

    of: Scenario

    @property
    def name(self) -> str:
        """The name of its button."""
        return self.of.name

    @property
    def promise(self) -> str:
        """What stands on its button."""
        return self.of.promise

    @property
    def report(self) -> Report:
        """What is wrong with the history."""
        return report_on(self.of.messages)

    def scenario(self, _subject: Subject) -> Scenario:
        """Return the scenario."""
        return self.of

    def lines(self, _subject: Subject) -> list[str]:
        """Return nothing: the promise says what must be known."""
        return []


@dataclass(frozen=True)
class OwnHistory:
    """A history as it was read, and its tool exchanges, which the reference functions get.

    `name` is that of its button.
    """

    name: str
    report: Report
    exchanges: ToolExchanges

    @property
    def promise(self) -> str:
        """What stands on its button: how much it is."""
        return self._whole.promise

    def scenario(self, subject: Subject) -> Scenario:
        """Return what a function gets of the history: all of it in its own shape, or its tool exchanges."""
        return self._exchanges_alone if self._shortened(subject) else self._whole

    def lines(self, subject: Subject) -> list[str]:
        """Return lines on what a function does not get, on findings, and on what looks like a secret."""
        found, warning = len(self.report.findings), self.report.warning()
        return [
            *(self._left_out() if self._shortened(subject) else []),
            *([f"diagnose has {counted(found, 'finding')} in the whole history."] if found else []),
            *([f"{warning}. Nothing is sent anywhere; look at it before you share it."] if warning else []),
        ]

    def _shortened(self, subject: Subject) -> bool:
        transcript = self.report.transcript
        if subject.takes == "any shape" or self.exchanges.messages == transcript.messages:
            return False
        return subject.takes == "exchanges" or transcript.api != "anthropic-messages"

    @cached_property
    def _whole(self) -> Scenario:
        messages = self.report.transcript.messages
        return self._scenario(f"Your history: {_size(messages)}.", messages)

    @cached_property
    def _exchanges_alone(self) -> Scenario:
        found, messages = self.exchanges, self.report.transcript.messages
        used = len({index for indices in found.sources for index in indices})
        promise = (
            f"The tool exchanges of your history: {_size(found.messages)}, "
            f"made from {used} of its {counted(len(messages), 'message')}."
        )
        return self._scenario(promise, found.messages)

    def _scenario(self, promise: str, messages: list[Any]) -> Scenario:
        transcript = self.report.transcript
        return Scenario(
            name=self.name,
            promise=promise,
            question=_said(self.exchanges.messages[0]["content"]),
            settings=Settings(),
            must_survive=(),
            expect=None,
            history=messages,
            summary=SUMMARY,
            archive_fails=False,
            system=_said(transcript.system),
            tool_definitions=tuple(tool for tool in transcript.tools or () if isinstance(tool, dict)),
        )

    def _left_out(self) -> list[str]:
        places: dict[str, list[int]] = defaultdict(list)
        for left in self.exchanges.left:
            places[left.reason].append(left.message)
        lines = [f"{reason}: {_at(indices)}" for reason, indices in places.items()]
        found = [f"Left out, or not as it was: {'; '.join(lines)}."] if lines else []
        if () in self.exchanges.sources:
            found.append(f"No words of a user are in it, so {NO_QUESTION!r} stands in for the question.")
        return found


def own_history(source: Any) -> OwnHistory:
    """Return the learner's own history: a list of messages, or the path of a transcript.

    Raises HistoryError for what cannot be read, is empty or is no JSON value.
    """
    if isinstance(source, (str, os.PathLike)):
        return _read(Path(source).name, source)
    return _read(UNNAMED, _checked(source) if isinstance(source, list) else source)


def uploaded_history(name: str, content: bytes) -> OwnHistory:
    """Return the history in a file of this name and content. Raises HistoryError, which names the file."""
    with tempfile.TemporaryDirectory(prefix="ctxlab-upload-") as folder:
        path = Path(folder) / "upload"
        path.write_bytes(content)
        try:
            history = _read(name, path)
        except HistoryError as error:
            raise HistoryError(str(error).replace(str(path), name)) from error
    return replace(history, report=replace(history.report, name=name))


def _read(name: str, source: Any) -> OwnHistory:
    try:
        report = report_on(source)
        exchanges = tool_exchanges(report.transcript.messages, report.transcript.api)
    except Refusal as refusal:
        raise HistoryError(f"{name}: {refusal}") from refusal
    return OwnHistory(one_line(name, MOST_NAME_CHARS), report, exchanges)


def _checked(messages: list[Any]) -> list[Any]:
    if not messages:
        raise HistoryError("messages: the history is empty; it needs at least the question")
    checked = []
    for index, message in enumerate(messages):
        try:
            checked.append(copied(message))
        except Refusal as refusal:
            raise HistoryError(f"messages: message {index} cannot be written as JSON: {refusal}") from refusal
    return checked


def _said(content: Any) -> str:
    """Return the text of a question or a system text: a string, or the texts of its blocks."""
    if isinstance(content, list):
        return "\n".join(texts([block.get("text") for block in content if isinstance(block, dict)]))
    return content if isinstance(content, str) else ""


def _size(messages: list[Any]) -> str:
    number = counted(len(messages), "message")
    try:
        return f"{number}, {history_bytes(messages)} bytes"
    except Refusal:  # half a character, or a number that JSON lacks: it has no size in bytes
        return number


def _at(indices: list[int]) -> str:
    """Return how often something was found, and in which messages."""
    distinct = tuple(dict.fromkeys(indices))
    return f"{len(indices)} ({'message' if len(distinct) == 1 else 'messages'} {listed(distinct)})"

"""Runs without what looks like a secret in them, with the figures and places that they had."""

import io
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ctxlab.messages.diagnosis.finding import Finding
from ctxlab.messages.masking import WORDS, Mask
from ctxlab.player.disclosing import checked_choice, must_mask
from ctxlab.tracer.assemble import sums
from ctxlab.tracer.objects import has_names
from ctxlab.tracer.replay import is_container
from ctxlab.tracer.traces import Trace
from ctxlab.tracer.values import message_value


def mask_for(secrets: str, traces: Sequence[Trace], beside: dict[str, Any]) -> "RunMask | None":
    """Return the mask for a page that shows some runs, and beside them what is in `beside`; None for none.

    `secrets` is "keep" (no mask), "mask", or "refuse", which raises SecretsError where something looks like a
    secret. Raises CtxlabError for any other choice. The keys of `beside` say where a secret was found.
    """
    if checked_choice(secrets) == "keep":
        return None
    mask = RunMask(traces, beside)
    return mask if must_mask(secrets, mask.found) else None


class RunMask(Mask):
    """Masks the secrets of some runs, and of what is beside them, in every text.

    A secret that was said, and that variables hold too, is told where it was said.
    """

    def __init__(self, traces: Sequence[Trace], beside: dict[str, Any]) -> None:
        super().__init__(
            said=[*map(_said, traces), beside],
            also=(value for trace in traces for value in _held_by(trace)),
            words=WORDS.union(*map(_names, traces)),
        )
        self._alike: dict[str, str] = {}
        self._taken: Counter[str] = Counter()

    def trace(self, trace: Trace) -> Trace:
        """Return the run as it is shown: every step and figure as it was, every text masked."""
        data = trace.data
        ended = data["outcome"]
        return Trace(
            {
                **data,
                "scenario": self.value(data["scenario"]),
                "sources": [
                    {**self.value(source), "text": self._lines(source["text"])} for source in data["sources"]
                ],
                "strings": [self._held(text) for text in data["strings"]],
                "messages": self._cells(data["messages"]),
                "sites": self.value(data["sites"]),
                "variables": {**data["variables"], "value": self._cells(data["variables"]["value"])},
                "heap": {**data["heap"], "cells": self._cells(data["heap"]["cells"])},
                "decisions": {**data["decisions"], "values": self._cells(data["decisions"]["values"])},
                "calls": self._cells(data["calls"]),
                "checks": {**data["checks"], "facts": self.value(data["checks"]["facts"])},
                "outcome": {
                    **ended,
                    **self.value({part: ended[part] for part in ("code", "message")}),
                    "value": self._cells(ended["value"]),
                },
                "notes": self.value(data["notes"]),
            }
        )

    def findings(self, findings: list[Finding]) -> list[Finding]:
        """Return findings that quote no secret."""
        return [
            replace(finding, text=self.text(finding.text), id=self.value(finding.id)) for finding in findings
        ]

    def _cells(self, cells: Any) -> Any:
        """Return cells with the texts in them masked: what a call raised, and the starts of long texts."""
        if isinstance(cells, str):
            return self.text(cells)
        if not isinstance(cells, (list, tuple)):
            return cells
        if len(cells) == 3 and cells[0] == "~":
            return ["~", self.without_end(self.text(cells[1])), cells[2]]
        return [self._cells(cell) for cell in cells]

    def _held(self, text: str) -> str:
        """Return a text that the run held: masked, and different from other texts if it was before.

        So ids still tell which call a result belongs to, and two runs still compare as they did.
        """
        if text not in self._alike:
            shown = self.text(text)
            if shown != text:
                self._taken[shown] += 1
                shown += f" ({self._taken[shown]})" if self._taken[shown] > 1 else ""
            self._alike[text] = shown
        return self._alike[text]

    def _lines(self, text: str) -> str:
        """Return the text of a source, masked line by line, so that each line keeps its number."""
        return "".join(map(self.text, text.splitlines(keepends=True)))


def _said(trace: Trace) -> dict[str, Any]:
    """Return what a run is about and what was said in it, each under the words for its place."""
    data = trace.data
    values = [message_value(nested, data["strings"]) for nested in data["messages"]]
    given: list[int] = next((row[4] for row in data["histories"] if row[1] == 0), [])
    others = set(range(len(values))) - set(given)
    return {
        "messages": [values[index] for index in given],
        "messages that the run made": [values[index] for index in sorted(others)],
        "the source": {source["name"]: source["text"] for source in data["sources"]},
        "the scenario": data["scenario"],
        "the outcome": {part: data["outcome"][part] for part in ("code", "message")},
        "the notes": data["notes"],
    }


def _held_by(trace: Trace) -> Iterator[dict[str, Any]]:
    """Yield what a run held in variables: texts under their names, then all texts."""
    yield {"named": [{name: text} for name, text in _named(trace)]}
    yield {"values": _texts(trace)}


def _named(trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield each text that stands under a name: in a variable, a dict that is no message, or an object."""
    data = trace.data
    strings, columns, heap = data["strings"], data["variables"], data["heap"]
    pairs = [(2 * name + 1, cell) for name, cell in zip(columns["name"], columns["value"], strict=True)]
    moments = trace.moments()
    for step, number, cells in zip(sums(heap["step"]), sums(heap["object"]), heap["cells"], strict=True):
        held = () if isinstance(cells, int) else moments.at(step)[number]
        if not held or not has_names(held[0]):
            continue
        if cells[0] == "=":
            pairs.append((held[cells[1]], cells[2]))
        else:
            entries = cells[2:] if cells[0] == "+" else cells[1:]
            pairs += zip(entries[::2], entries[1::2], strict=True)
    for pair in dict.fromkeys(pair for pair in pairs if all(map(_is_text, pair))):
        yield strings[pair[0] // 2], strings[pair[1] // 2]


def _texts(trace: Trace) -> list[str]:
    """Return every text that the run held, each once; of long ones that only a variable held, the start."""
    data = trace.data
    cells = [
        data["variables"]["value"],
        data["heap"]["cells"],
        data["decisions"]["values"],
        data["calls"],
        data["outcome"]["value"],
    ]
    return list(dict.fromkeys([*data["strings"], *_texts_in(cells)]))


def _texts_in(cells: Any) -> Iterator[str]:
    if isinstance(cells, str):
        yield cells
    elif isinstance(cells, (list, tuple)):
        for cell in cells:
            yield from _texts_in(cell)


def _is_text(cell: Any) -> bool:
    return type(cell) is int and not is_container(cell)


def _names(trace: Trace) -> set[str]:
    """Return the words of the program itself: a page whose code lacks them cannot be read."""
    found = set()
    for source in trace.data["sources"]:
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(source["text"]).readline))
        except (tokenize.TokenError, SyntaxError):
            continue
        found |= {token.string for token in tokens if token.type == tokenize.NAME}
    return found

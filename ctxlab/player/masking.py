"""Runs without what looks like a secret in them, with the figures that they had."""

import io
import re
import tokenize
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from ctxlab.messages.secrets import Path, Secret, masked
from ctxlab.player.disclosing import checked_choice, must_mask
from ctxlab.tracer.assemble import sums
from ctxlab.tracer.replay import is_container
from ctxlab.tracer.traces import Trace
from ctxlab.tracer.values import message_value

MASK = re.compile(r"\[([^\[\]]+) masked, (\d+) characters\]")
RUN = re.compile(r"\\[a-z]|([^\W_]+)")  # "\n" in a JSON text parts words, and is no part of the next one
CUT = re.compile(r"…|\.\.\.")
LEAST_CHARS = 6
LEAST_CUT_CHARS, MOST_CUT_CHARS = 4, 200

# A password that is one of these words cannot be told from the word, without which a page cannot be read.
WORDS = frozenset(
    """arguments assistant call_id content custom decisions developer function function_call
    function_call_output is_error message messages outcome output output_text operation
    input input_text reasoning reasoning_content refusal result server_tool_use status stderr stdout summary
    system thinking tool_call_id tool_calls tool_result tool_use tool_use_id unbound""".split()
)


def mask_for(secrets: str, traces: Sequence[Trace], beside: dict[str, Any]) -> "Mask | None":
    """Return the mask for a page that shows some runs, and beside them what is in `beside`; None for none.

    `secrets` is "keep" (no mask), "mask", or "refuse", which raises SecretsError where something looks like a
    secret. Raises CtxlabError for any other choice. The keys of `beside` say where a secret was found.
    """
    if checked_choice(secrets) == "keep":
        return None
    mask = Mask(traces, beside)
    return mask if must_mask(secrets, mask.found) else None


class Mask:
    """Masks the secrets of some runs in every text, also where a text does not show that it is one.

    A password is found by the name beside it, and then masked wherever it stands. `found` are the secrets by
    their places. One that was said, and that variables hold too, is told where it was said. What does not
    look like a secret is not masked: see `ctxlab.messages.secrets`.
    """

    def __init__(self, traces: Sequence[Trace], beside: dict[str, Any]) -> None:
        self.found: list[Secret] = []
        self._masks: dict[str, str] = {}
        for said in (*map(_said, traces), beside):
            self._learn(said)
        for trace in traces:
            self._learn({"named": [{name: text} for name, text in _named(trace)]}, told=set(self._masks))
            self._learn({"values": _texts(trace)}, told=set(self._masks))
        for word in WORDS.union(*map(_names, traces)):
            self._masks.pop(word, None)
        self._sorted = sorted(self._masks)
        # Each under its rarest run of letters and digits, so that a text is searched for few of them.
        self._by_run: dict[str, list[str]] = defaultdict(list)
        count = Counter(run for secret in self._masks for run in _runs(secret))
        for secret in self._masks:
            rarest = min(_runs(secret), key=lambda run: (count[run], -len(run), run), default="")
            self._by_run[rarest].append(secret)
        self._alike: dict[str, str] = {}
        self._taken: Counter[str] = Counter()

    def _learn(self, value: Any, told: set[str] | frozenset[str] = frozenset()) -> None:
        for path, text, hidden in _differing(value, masked(value), ()):
            for secret, kind, mask in _aligned(text, hidden):
                if secret not in told:
                    self.found.append(Secret(path, kind, mask))
                self._masks.setdefault(secret, mask)
                # A private key may be taken apart into its lines, which say no more what they are.
                if "-----END" in secret:
                    for line in map(str.strip, re.split(r"\n|\\n", secret)):
                        if len(line) >= LEAST_CHARS:
                            self._masks.setdefault(line, f"[{kind} masked, {len(line)} characters]")

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

    def value(self, value: Any) -> Any:
        """Return a copy of a JSON value with its texts masked. Its keys are those of a page's own form."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, (list, tuple)) else value

    def _cells(self, cells: Any) -> Any:
        """Return cells with the texts in them masked: what a call raised, and the starts of long texts."""
        if isinstance(cells, str):
            return self.text(cells)
        if not isinstance(cells, (list, tuple)):
            return cells
        if len(cells) == 3 and cells[0] == "~":
            return ["~", self._without_end(self.text(cells[1])), cells[2]]
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

    def text(self, text: str) -> str:
        """Return a text without the secrets, also those that stand at a mark of omission cut short."""
        if len(text) < LEAST_CUT_CHARS:
            return text
        likely = {secret for run in {*_runs(text), ""} for secret in self._by_run.get(run, ())}
        known = sorted((secret for secret in likely if secret in text), key=len, reverse=True)
        if known:
            # In one go and the longest first: a mask must not be masked again.
            alternatives = re.compile("|".join(map(re.escape, known)))
            text = alternatives.sub(lambda match: self._masks[match[0]], text)
        pieces = []
        end = 0
        for mark in CUT.finditer(text):
            pieces += [self._without_end(text[end : mark.start()]), mark[0]]
            end = mark.end()
        shown: str = masked("".join([*pieces, text[end:]]))
        return shown

    def _lines(self, text: str) -> str:
        """Return the text of a source, masked line by line, so that each line keeps its number."""
        return "".join(map(self.text, text.splitlines(keepends=True)))

    def _without_end(self, text: str) -> str:
        """Return a text that was cut off, without the beginning of a secret at its end."""
        for size in range(min(len(text), MOST_CUT_CHARS), LEAST_CUT_CHARS - 1, -1):
            end = text[-size:]
            at = bisect_left(self._sorted, end)
            if at < len(self._sorted) and self._sorted[at].startswith(end):
                return f"{text[:-size]}[start of a secret masked, {size} characters]"
        return text


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


def _named(trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield each text that stands under a name: in a variable, or in a dict that is no message."""
    data = trace.data
    strings, columns, heap = data["strings"], data["variables"], data["heap"]
    pairs = [(2 * name + 1, cell) for name, cell in zip(columns["name"], columns["value"], strict=True)]
    moments = trace.moments()
    for step, number, cells in zip(sums(heap["step"]), sums(heap["object"]), heap["cells"], strict=True):
        held = () if isinstance(cells, int) else moments.at(step)[number]
        if not held or held[0] != "d":
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


def _runs(text: str) -> set[str]:
    """Return the runs of letters and digits in a text."""
    return set(RUN.findall(text)) - {""}


def _differing(value: Any, hidden: Any, path: Path) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, text, masked text) where a value differs from its masked copy, keys included."""
    if isinstance(value, str):
        if value != hidden:
            yield path, value, hidden
    elif isinstance(value, dict):
        for (key, item), (name, other) in zip(value.items(), hidden.items(), strict=True):
            if isinstance(key, str) and key != name:
                yield (*path, name), key, name
            yield from _differing(item, other, (*path, name))
    elif isinstance(value, (list, tuple)):
        for index, (item, other) in enumerate(zip(value, hidden, strict=True)):
            yield from _differing(item, other, (*path, index))


def _aligned(text: str, hidden: str) -> Iterator[tuple[str, str, str]]:
    """Yield (secret, kind, mask) for each mask that `hidden` has in the place of a part of `text`."""
    at = end = 0
    for mask in MASK.finditer(hidden):
        at += mask.start() - end
        end = mask.end()
        # A transcript may have been masked before.
        length = len(mask[0]) if text.startswith(mask[0], at) else int(mask[2])
        if text[at : at + length] != mask[0]:
            yield text[at : at + length], mask[1], mask[0]
        at += length

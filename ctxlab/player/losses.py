"""What each of several runs on one scenario kept, what it lost, and what it cost: one table."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.messages.wording import shown
from ctxlab.player.static import CELL, CELL_STYLE
from ctxlab.tracer.tables import Row, one_line
from ctxlab.tracer.traces import Trace

MOST_CHARS = 60  # of a fact or a name; a longer one would push the columns out of sight

LOST = "lost"

# Only what is lost stands out among the rows.
ROW_HEAD = f'style="{CELL_STYLE};font-weight:normal"'


@dataclass(frozen=True, repr=False)
class Losses:
    """A table with one column for each run, shown as text or as HTML.

    names    what stands above the columns
    facts    for each fact that must survive: the fact, then for each run what became of it
    figures  the same for how the run ended, for messages and bytes before and after, and for the summaries
             spent where a run had a `state`
    """

    scenario: str
    names: tuple[str, ...]
    facts: tuple[Row, ...]
    figures: tuple[Row, ...]

    @property
    def title(self) -> str:
        """What the table shows, in one line."""
        none = "" if self.facts else " (it lists no facts that must survive)"
        return f"Kept and lost on {self.scenario}{none}"

    def __repr__(self) -> str:
        rows = [("fact", *self.names), *self.facts, *self.figures]
        widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
        lines = [_aligned(row, widths) for row in rows]
        facts_end = 1 + len(self.facts)
        return "\n".join([self.title, "", *lines[:facts_end], "", *lines[facts_end:]])

    def _repr_html_(self) -> str:
        heads = "".join(f'<th scope="col" {CELL}>{escape(head)}</th>' for head in ("fact", *self.names))
        parts = ("".join(map(_html_row, rows)) for rows in (self.facts, self.figures))
        bodies = "".join(f"<tbody>{part}</tbody>" for part in parts if part)
        table = f"<table><thead><tr>{heads}</tr></thead>{bodies}</table>"
        return f"<div><p><strong>{escape(self.title)}</strong></p>{table}</div>"


def losses(*traces: Trace, names: Iterable[str] | None = None) -> Losses:
    """Return a table of what runs on one scenario kept and lost: a row for each fact, a column for each run.

    A fact is kept when a text of the history at the end still holds it: of the final candidate, or of the
    active history where the run worked in place. A run that was refused has no candidate: the history stays
    as it was, so nothing is lost. `names` stand above the columns, by default
    the names of the traced functions. Raises CtxlabError when there are no traces, when they are not all of
    one scenario, and when `names` do not fit.
    """
    scenario = _scenario(traces)
    wanted = scenario["must_survive"]
    columns = [_fates(trace, wanted) for trace in traces]
    facts = [
        (f"{fact['kind']}: {one_line(fact['text'], MOST_CHARS)}", *fates)
        for fact, *fates in zip(wanted, *columns, strict=True)
    ]
    figures = [
        (label, *cells)
        for label, *cells in zip(FIGURES, *map(_figures, traces), strict=True)
        if any(cell != NONE for cell in cells)
    ]
    name = one_line(scenario["name"], MOST_CHARS)
    return Losses(name, _names(traces, names), tuple(facts), tuple(figures))


def _scenario(traces: tuple[Trace, ...]) -> dict[str, Any]:
    """Return the scenario of all the traces."""
    if not traces:
        raise CtxlabError("losses needs at least one trace: losses(first, second)")
    for trace in traces:
        if not isinstance(trace, Trace):
            raise CtxlabError(
                f"losses needs traces, not {type(trace).__name__}: losses(first, second); "
                "make one with ctxlab.trace(...)"
            )
        if trace.data["scenario"] is None:
            raise CtxlabError(
                f"the trace of {trace.function} has no scenario, so no facts to keep; "
                "record it with trace(..., scenario=...)"
            )
    first, *others = (trace.data["scenario"] for trace in traces)
    for other in others:
        if other["name"] != first["name"]:
            raise CtxlabError(
                f"one table shows one scenario, but these traces are of {shown(first['name'])} and "
                f"{shown(other['name'])}; make a table for each"
            )
        if other["must_survive"] != first["must_survive"]:
            raise CtxlabError(
                f"these traces are of two versions of {shown(first['name'])}, with other facts that must "
                "survive; record both runs again"
            )
    scenario: dict[str, Any] = first
    return scenario


def _names(traces: tuple[Trace, ...], names: Iterable[str] | None) -> tuple[str, ...]:
    if names is None:
        return tuple(_numbered([one_line(trace.function, MOST_CHARS) for trace in traces]))
    given = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    if len(given) != len(traces) or not all(isinstance(name, str) for name in given):
        raise CtxlabError(
            f"names is {shown(names)}; give a list with a text for each trace, {len(traces)} in all"
        )
    return tuple(one_line(name, MOST_CHARS) for name in given)


def _numbered(names: list[str]) -> list[str]:
    """Return the names, those that stand there more than once with a number."""
    times, seen = Counter(names), Counter[str]()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(f"{name} {seen[name]}" if times[name] > 1 else name)
    return numbered


def _fates(trace: Trace, wanted: list[dict[str, str]]) -> list[str]:
    """Return in a word what became of each fact in this run."""
    if not trace.provenance:
        changed = "nothing changed" if trace.data["checks"]["input_unchanged"] else "input changed"
        kind = trace.data["outcome"]["kind"]
        ended = "no candidate" if kind == "returned" else kind.replace("_", " ")
        return [f"{ended}: {changed}"] * len(wanted)
    words = {(fact.kind, fact.text): "kept" if fact.kept else LOST for fact in trace.facts or ()}
    return [words.get((fact["kind"], fact["text"]), "not in the input") for fact in wanted]


FIGURES = (
    "how it ended",
    "pairs complete",
    "messages before",
    "messages after",
    "bytes before",
    "bytes after",
    "summaries spent",
)
NONE = "-"


def _figures(trace: Trace) -> Row:
    """Return the figures of one run, in the order of FIGURES."""
    rows = trace.data["histories"]
    active = [row for row in rows if row[1] == 0]
    candidate = trace.provenance and trace.data["checks"]["in_place"] is None
    after = [row for row in rows if row[1] == 1] if candidate else active
    counts = [_count(active[:1]), _count(after), _size(active[:1]), _size(after)]
    return (_ending(trace), _pairs(trace), *counts, _spent(trace))


def _ending(trace: Trace) -> str:
    outcome = trace.data["outcome"]
    reason = outcome["code"] or outcome["type"] or _status(trace)
    return one_line(f"{outcome['kind'].replace('_', ' ')} {reason}".strip(), MOST_CHARS)


def _status(trace: Trace) -> str:
    """Return the status that a run returned, as the loop does in a dict, or ""."""
    returned = trace.value(trace.data["outcome"]["value"], _last(trace))
    status = returned.get("status") if isinstance(returned, dict) else None
    return status if isinstance(status, str) else ""


def _last(trace: Trace) -> int:
    """Return the stop at the end of the run."""
    return len(trace.data["steps"]["place"])


def _pairs(trace: Trace) -> str:
    """Return whether each call of the history at the end has its result, and each result its call."""
    complete = trace.data["checks"]["pairs_complete"]
    return NONE if complete is None else ("yes" if complete else "no")


def _count(splices: list[Any]) -> str:
    """Return how many messages a history holds after these changes, which begin with an empty one."""
    return str(sum(len(added) - removed for _, _, _, removed, added, *_ in splices)) if splices else NONE


def _size(splices: list[Any]) -> str:
    return str(splices[-1][5]) if splices else NONE


def _spent(trace: Trace) -> str:
    """Return how many summary attempts the run added to the first `state` that one of its functions had."""
    columns, strings = trace.data["variables"], trace.data["strings"]
    steps = accumulate(columns["step"])  # they are written as differences
    rows = zip(steps, columns["name"], columns["value"], strict=True)
    step, cell = next(((step, cell) for step, name, cell in rows if strings[name] == "state"), (0, None))
    states = (trace.value(cell, step), trace.value(cell, _last(trace)))
    before, after = (state.get("summaries") if isinstance(state, dict) else None for state in states)
    return str(after - before) if type(before) is int and type(after) is int else NONE


def _width(text: str) -> int:
    """Return how many columns a terminal gives to a text: two for a wide character."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _aligned(row: Row, widths: list[int]) -> str:
    cells = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
    return "  ".join(cells).rstrip()


def _html_row(row: Row) -> str:
    label, *cells = (escape(cell) for cell in row)
    shown = (f"<strong>{cell}</strong>" if cell == LOST else cell for cell in cells)
    data = "".join(f"<td {CELL}>{cell}</td>" for cell in shown)
    return f'<tr><th scope="row" {ROW_HEAD}>{label}</th>{data}</tr>'

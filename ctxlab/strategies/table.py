"""A comparison as a text: a table, what its columns mean, and what stands behind its figures."""

from collections.abc import Iterator
from itertools import groupby
from textwrap import TextWrapper
from typing import TYPE_CHECKING

from ctxlab.messages.readers.transcript import counted
from ctxlab.messages.wording import shown

if TYPE_CHECKING:
    from ctxlab.strategies.outcome import Comparison, Outcome

# Each column with what it means.
COLUMNS = {
    "strategy": "",
    "last": "tokens of the last request",
    "largest": "tokens of the largest request",
    "over": "requests over the limit",
    "refused": "requests for which the strategy refused; they go out with the history as it was",
    "reused": "share of all tokens sent that a prompt cache could take from the request before",
    "kept": "facts that the last request still says",
    "summaries": "calls of a model for a summary",
    "tokens": "tokens of these calls, in and out",
    "new": "what diagnose finds in the last request, and not in the whole history",
}
WIDTH = 100  # of the sentences; a table is as wide as it has to be
LOST, KEPT = "lost", "."


def lines(comparison: "Comparison") -> Iterator[str]:
    """Yield the lines of the text."""
    outcomes = comparison.outcomes
    requests = len(outcomes[0].turns)
    tokens = "token" if comparison.limit == 1 else "tokens"
    yield (
        f"{comparison.source}: {comparison.api}, {counted(comparison.messages, 'message')} in Chat form, "
        f"{counted(requests, 'request')}; limit {comparison.limit:,} {tokens}"
    )
    yield ""
    yield from _table([[*COLUMNS], *(_row(outcome, comparison) for outcome in outcomes)])
    yield ""
    width = max(map(len, COLUMNS))
    yield from (f"  {name:{width}}  {text}" for name, text in COLUMNS.items() if text)
    yield ""
    yield "What each does"
    width = max(len(outcome.name) for outcome in outcomes)
    indent = " " * (width + 6)
    for outcome in outcomes:
        yield f"  {outcome.name:{width}}  {outcome.says}"
        yield from _wrapped(" ".join(outcome.notes), indent)
    yield from _section("Facts", _facts(comparison))
    yield from _section("Refusals", (line for outcome in outcomes for line in _refusals(outcome)))
    yield from _section("New findings", (line for outcome in outcomes for line in _findings(outcome)))
    yield from _section("Notes", (line for note in comparison.notes for line in _wrapped(note)))


def _wrapped(text: str, indent: str = "") -> list[str]:
    # A word, such as a path, can be copied only where it is whole.
    return TextWrapper(
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ).wrap(text)


def _row(outcome: "Outcome", comparison: "Comparison") -> list[str]:
    facts = len(comparison.facts)
    return [
        outcome.name,
        f"{outcome.last:,}",
        f"{outcome.largest:,}",
        str(outcome.over(comparison.limit)),
        str(len(outcome.refusals)),
        f"{100 * outcome.reused // outcome.sent} %" if outcome.sent else "-",
        f"{len(outcome.kept)} of {facts}" if facts else "-",
        str(outcome.summaries),
        f"{outcome.summary_tokens:,}",
        str(len(outcome.new_findings)),
    ]


def _table(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *figures = row
        cells = [f"{cell:>{width}}" for cell, width in zip(figures, widths[1:], strict=True)]
        yield "  ".join([f"{first:{widths[0]}}", *cells])


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    held = list(lines)
    if held:
        yield ""
        yield title
        yield from (f"  {line}" for line in held)


def _facts(comparison: "Comparison") -> Iterator[str]:
    """Yield a row for each fact. Its text comes last, for it may be long."""
    outcomes = comparison.outcomes
    rows = [["", *(outcome.name for outcome in outcomes)]] if comparison.facts else []
    for fact in comparison.facts:
        rows.append([fact.kind, *(LOST if fact in outcome.lost else KEPT for outcome in outcomes)])
    texts = ["", *(shown(fact.text) for fact in comparison.facts)]
    yield from (f"{row}  {text}".rstrip() for row, text in zip(_table(rows), texts, strict=False))


def _refusals(outcome: "Outcome") -> Iterator[str]:
    refusals = sorted(outcome.refusals, key=lambda turn: (turn.refused, turn.at))
    for code, group in groupby(refusals, key=lambda turn: turn.refused):
        turns = list(group)
        first = f"{outcome.name}: {code}, {counted(len(turns), 'time')}, first at message {turns[0].at}"
        yield f"{first}: {turns[0].reason}" if turns[0].reason else first


def _findings(outcome: "Outcome") -> Iterator[str]:
    for finding in outcome.new_findings:
        yield f"{outcome.name}: {finding.code}: {finding.text}"

"""A comparison of the history that a report is on."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ctxlab.messages.report import Report
from ctxlab.strategies.comparison import compare_strategies
from ctxlab.strategies.facts import Fact
from ctxlab.strategies.outcome import Comparison


def compare_reported(
    report: Report,
    *,
    limit: int | None = None,
    names: Iterable[str] | None = None,
    facts: Sequence[Fact] | None = None,
) -> Comparison:
    """Return what each strategy does to the history of a report, with what its reader said of the file first.

    Refuses as `compare_strategies` does.
    """
    transcript = report.transcript
    comparison = compare_strategies(
        transcript.messages,
        api=transcript.api,
        system=transcript.system,
        limit=limit,
        names=names,
        facts=facts,
        source=report.name or "a list",
        mask=report.mask,
    )
    torn = [f"{finding.text}." for finding in transcript.findings]
    return replace(comparison, notes=(*transcript.notes, *torn, *comparison.notes))

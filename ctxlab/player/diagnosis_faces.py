"""A diagnosis as text and as static HTML, for a terminal and for viewers that run no widget."""

from dataclasses import replace
from html import escape
from typing import Any

from ctxlab.messages.report import Report
from ctxlab.player.diagnosis_state import headline
from ctxlab.player.static import MOST_ROWS, folded, table
from ctxlab.tracer.tables import Row, one_line


def title(name: str) -> str:
    """Return what the diagnosis of a file is called, in one line; a list has no name."""
    return f"Diagnosis of {one_line(name) or 'a list of messages'}"


def diagnosis_text(report: Report) -> str:
    """Return the headline, what was read, the warning about secrets, and the first findings."""
    hidden = len(report.findings) - MOST_ROWS
    warning = report.warning()
    lines = [
        f"{title(report.name)}: {headline(report)}\n",
        f"Before you share this: {warning}.\n" if warning else "",
        replace(report, findings=report.findings[:MOST_ROWS]).text(),
        f"… {hidden} more findings\n" if hidden > 0 else "",
    ]
    return "".join(lines)


def diagnosis_html(state: dict[str, Any]) -> str:
    """Return headline, facts, findings and messages as HTML without script, text escaped.

    `state` is that of `diagnosis_state`.
    """
    heading = state["heading"]
    warning = [f"Before you share this: {heading['warning']}."] if heading["warning"] else []
    about = [", ".join(heading["facts"]), *heading["lines"], *warning]
    heads = ("message", "block", "place", "code", "why", "what to do")
    findings = table(heads, [_finding_row(finding) for finding in state["findings"]])
    messages = table(("message", "role", "kind", "ids", "bytes", "text"), _message_rows(state["cards"]))
    parts = [
        f"<p><strong>{escape(title(heading['name']))}: {escape(heading['headline'])}</strong></p>",
        *(f"<p>{escape(one_line(line))}</p>" for line in about),
        folded("Findings", findings),
        folded("Messages", messages),
    ]
    return f"<div>{''.join(parts)}</div>"


def _finding_row(finding: dict[str, Any]) -> Row:
    cells = [finding[part] for part in ("message", "block", "place", "code", "text", "fix")]
    return tuple("" if cell is None else one_line(str(cell)) for cell in cells)


def _message_rows(cards: list[dict[str, Any]]) -> list[Row]:
    return [
        (
            str(number),
            one_line(card["role"]),
            card["kind"],
            one_line(" ".join(card["ids"])),
            str(card["bytes"]),
            one_line(card["preview"]),
        )
        for number, card in enumerate(cards)
    ]

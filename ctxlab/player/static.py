"""The static HTML face of a trace, for viewers that run no widget: folded tables, no script.

It sets no colour, so that it fits any theme, and reads the same in a viewer that strips its styles.
"""

from html import escape

from ctxlab.tracer.tables import (
    Row,
    check_rows,
    decision_rows,
    message_rows,
    no_messages,
    notes,
    title,
)
from ctxlab.tracer.traces import Trace

MOST_ROWS = 200

# Notebooks set the cells of a table to the right, which makes sentences hard to read.
CELL_STYLE = "text-align:left;vertical-align:top;white-space:normal;padding:2px 8px"
CELL = f'style="{CELL_STYLE}"'


def static_html(trace: Trace) -> str:
    """Return title, notes, decisions, the fate of every message and the checks as HTML, text escaped."""
    decisions, hidden = decision_rows(trace, calls=False)
    left_out = f"<p>and {hidden} in the functions that it called</p>" if hidden else ""
    messages = message_rows(trace)
    fates = table(("before", "after", "what became of it", "step", "place", "message"), messages)
    parts = [
        f"<p><strong>{escape(title(trace))}</strong></p>",
        *(f"<p>Note: {escape(note)}</p>" for note in notes(trace)),
        folded("Decisions", table(("step", "place", "what was asked and seen"), decisions) + left_out),
        folded("Messages", fates if messages else f"<p>{no_messages(trace)}</p>"),
        folded("Checks", table(("check", "result"), check_rows(trace))),
    ]
    return f"<div>{''.join(parts)}</div>"


def folded(name: str, inner: str) -> str:
    """Return HTML that can be folded under a name."""
    return f"<details open><summary>{name}</summary>{inner}</details>"


def table(heads: Row, rows: list[Row]) -> str:
    """Return rows as a table, text escaped; below it how many rows are left out."""
    if not rows:
        return "<p>none</p>"
    head = "".join(f'<th scope="col" {CELL}>{escape(head)}</th>' for head in heads)
    body = "".join(
        f"<tr>{''.join(f'<td {CELL}>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows[:MOST_ROWS]
    )
    more = f"<p>… {len(rows) - MOST_ROWS} more</p>" if len(rows) > MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

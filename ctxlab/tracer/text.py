"""The text face of a trace: what a test compares and a terminal shows."""

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

MOST_ROWS = 300


def text_face(trace: Trace, calls: bool) -> str:
    """Return title, notes, decisions, the fate of every message, and the checks of a trace.

    Of the functions that were called, only the decision that made one raise is shown, unless `calls` asks
    for all.
    """
    decisions, hidden = decision_rows(trace, calls)
    messages = message_rows(trace)
    lines = [title(trace), *(f"Note: {note}" for note in notes(trace))]
    lines += ["", "Decisions (step, place, what was asked and seen)", *_table(decisions, (5, 0, 0))]
    if hidden:
        lines.append(f"  and {hidden} in the functions that it called")
    lines += [
        "",
        "Messages (before, after, what became of it, step, place)",
        *_table(messages, (4, 4, 0, 5, 0, 0)),
    ]
    if not messages:
        lines.append(f"  {no_messages(trace)}")
    checks = check_rows(trace)
    lines += ["", "Checks", *(f"  {check}: {result}" for check, result in checks[:MOST_ROWS]), *_more(checks)]
    return "\n".join(lines) + "\n"


def _table(rows: list[Row], widths: tuple[int, ...]) -> list[str]:
    """Return rows as lines. A width aligns numbers to the right; 0 aligns words to the left."""
    shown = rows[:MOST_ROWS]
    longest = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = []
    for row in shown:
        cells = [
            cell.rjust(width) if width else cell.ljust(length)
            for cell, width, length in zip(row, widths, longest, strict=True)
        ]
        lines.append("  ".join(["", *cells]).rstrip())
    return lines + _more(rows)


def _more(rows: list[Row]) -> list[str]:
    return [f"  … {len(rows) - MOST_ROWS} more"] if len(rows) > MOST_ROWS else []

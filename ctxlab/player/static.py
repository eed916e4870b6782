"""The static HTML face of a trace, for viewers that run no widget: tables and folded text, no script."""

from html import escape

from ctxlab.tracer.tables import Row, check_rows, decision_rows, message_rows, title
from ctxlab.tracer.traces import Trace

MOST_ROWS = 200


def static_html(trace: Trace) -> str:
    """Return title, notes, decisions, the fate of every message and the checks as HTML. All text is escaped."""
    decisions, hidden = decision_rows(trace, calls=False)
    left_out = f"<p>and {hidden} in the functions that it called</p>" if hidden else ""
    parts = [
        f"<p><strong>{_text(title(trace))}</strong></p>",
        *(f"<p>Note: {_text(note)}</p>" for note in trace.data["notes"]),
        _folded("Decisions", _table(("step", "place", "what was asked and seen"), decisions) + left_out),
        _folded(
            "Messages",
            _table(("before", "after", "what became of it", "step", "place", "message"), message_rows(trace)),
        ),
        _folded("Checks", _table(("check", "result"), check_rows(trace))),
    ]
    return f"<div>{''.join(parts)}</div>"


def _folded(name: str, inner: str) -> str:
    return f"<details open><summary>{name}</summary>{inner}</details>"


def _table(heads: Row, rows: list[Row]) -> str:
    if not rows:
        return "<p>none</p>"
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows[:MOST_ROWS])
    more = f"<p>… {len(rows) - MOST_ROWS} more</p>" if len(rows) > MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _text(text: str) -> str:
    """Escape a text for HTML. Invisible characters, which could turn the text around, are written as escapes."""
    shown = "".join(char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in text)
    return escape(shown)

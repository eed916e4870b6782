"""Two runs side by side as text and as static HTML, for a terminal and for viewers that run no widget."""

from html import escape

from ctxlab.player.comparison import Comparison
from ctxlab.player.static import folded, table
from ctxlab.tracer.tables import Row, notes, one_line, title
from ctxlab.tracer.traces import Trace

MOST_ROWS = 200

TABLE = "Decisions side by side"
NOT_ASKED = "does not ask this"


def heading(compared: Comparison) -> str:
    """Return both names in one line."""
    return f"{compared.names[0]} and {compared.names[1]}"


def comparison_text(compared: Comparison) -> str:
    """Return how both runs ended, where they part, and their decisions side by side."""
    rows, left_out = _pair_rows(compared)
    wide = max(map(len, compared.names))
    lines = [heading(compared), *(f"  {line}" for line in _about(compared)), "", *_parting(compared), ""]
    lines.append(f"{TABLE} (step, place, what was asked and seen)")
    for verdict, *cells in rows[:MOST_ROWS]:
        lines.append(f"  {verdict}")
        for name, cell in zip(compared.names, cells, strict=True):
            lines.append(f"    {name.ljust(wide)}  {cell}")
    if not rows:
        lines.append("  none")
    if len(rows) > MOST_ROWS:
        lines.append(f"  … {len(rows) - MOST_ROWS} more")
    lines += [f"  {line}" for line in left_out]
    return "\n".join(lines) + "\n"


def comparison_html(compared: Comparison) -> str:
    """Return the same as HTML without script, text escaped."""
    rows, left_out = _pair_rows(compared)
    beside = table(("", *compared.names), rows)
    parts = [
        f"<p><strong>{escape(heading(compared))}</strong></p>",
        *(f"<p>{escape(line)}</p>" for line in _about(compared)),
        *(f"<p><strong>{escape(line)}</strong></p>" for line in _parting(compared)),
        folded(TABLE, beside + "".join(f"<p>{escape(line)}</p>" for line in left_out)),
    ]
    return f"<div>{''.join(parts)}</div>"


def _about(compared: Comparison) -> list[str]:
    """Return how each run ended, what must be told of it, and what differs in the calls."""
    found = []
    for name, trace in zip(compared.names, (compared.left, compared.right), strict=True):
        found.append(f"{name}: {title(trace)}")
        found += [f"Note on {name}: {note}" for note in notes(trace)]
    return found + compared.unlike


def _parting(compared: Comparison) -> list[str]:
    return [one_line(line) for line in compared.lines]


def _pair_rows(compared: Comparison) -> tuple[list[Row], list[str]]:
    """Return (what the pair comes to, left decision, right decision) of each, and what is said of the others.

    Of the functions that were called, only decisions that came out differently are shown.
    """
    left, right = compared.names
    words = {
        "same": "same",
        "answer": "other answer",
        "values": "other values",
        "left": f"only {left}",
        "right": f"only {right}",
    }
    rows: list[Row] = []
    for number, (pair, verdict) in enumerate(zip(compared.pairs, compared.verdicts, strict=True)):
        first = number == compared.first_difference
        if not (first or verdict == "answer" or _is_own(compared, pair)):
            continue
        mark = ", first difference" if first else ""
        cells = (_decision(compared.left, pair[0]), _decision(compared.right, pair[1]))
        rows.append((f"{words[verdict]}{mark}", *cells))
    hidden = len(compared.pairs) - len(rows)
    return rows, [f"and {hidden} in the functions that were called"] if hidden else []


def _is_own(compared: Comparison, pair: tuple[int | None, int | None]) -> bool:
    """Say whether a decision of the pair was made by an entry function itself."""
    traces = (compared.left, compared.right)
    return any(
        number is not None and trace.steps[trace.decisions[number].step].depth == 0
        for trace, number in zip(traces, pair, strict=True)
    )


def _decision(trace: Trace, number: int | None) -> str:
    if number is None:
        return NOT_ASKED
    decision = trace.decisions[number]
    step = trace.steps[decision.step]
    return one_line(f"{decision.step}  {step.function}:{step.line}  {decision.sentence}")

"""The static faces of a gated player: its first question and the options, and nothing of the run."""

from html import escape

from ctxlab.player.questions import Question
from ctxlab.tracer.tables import one_line
from ctxlab.tracer.traces import Trace

MOST_OPTIONS = 200


def gated_title(trace: Trace) -> str:
    """Return what stands in place of the trace's title, which says how the run ended.

    The scenario is not named: many are named after what happens in them.
    """
    return one_line(f"{trace.function}: a prediction comes first")


def question_text(trace: Trace, question: Question) -> str:
    """Return the question and its options as text."""
    asked, options = _parts(question)
    lines = [gated_title(trace), "", asked, *(f"  {option}" for option in options)]
    return "\n".join(lines) + "\n"


def question_html(trace: Trace, question: Question) -> str:
    """Return the question and its options as HTML without script, text escaped."""
    asked, options = _parts(question)
    items = "".join(f"<li>{escape(option)}</li>" for option in options)
    return (
        f"<div><p><strong>{escape(gated_title(trace))}</strong></p>"
        f"<p>{escape(asked)}</p><ul>{items}</ul></div>"
    )


def nothing_asked(trace: Trace) -> str:
    """Return what is said where the questions would be, in a run without any."""
    return one_line(f"In this run {trace.function} itself decides nothing: there is nothing to predict.")


def _parts(question: Question) -> tuple[str, list[str]]:
    """Return the question and its options, one line each."""
    where = f"Line {question['line']}: " if question["line"] else ""
    asked = one_line(f"{where}{question['question']} {question['code']}".strip())
    options = question["options"]
    shown = [one_line(option) for option in options[:MOST_OPTIONS]]
    more = [f"… {len(options) - MOST_OPTIONS} more"] if len(options) > MOST_OPTIONS else []
    return asked, shown + more

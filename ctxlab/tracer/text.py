"""The text face of a trace: what a test compares and a terminal shows."""

from typing import TYPE_CHECKING

from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.texts import texts
from ctxlab.tracer.values import message_value, quoted

if TYPE_CHECKING:
    from ctxlab.tracer.traces import Trace

MOST = 300


def text_face(trace: "Trace", calls: bool) -> str:
    """Return outcome, notes, decisions, the fate of every message, and the checks of a trace.

    Of the functions that were called, only the decision that made one raise is shown, unless `calls` asks for all.
    """
    data = trace.data
    on = f" on {data['scenario']['name']}" if data["scenario"] else ""
    lines = [f"{trace.function}{on}: {outcome_text(trace)}", *(f"Note: {note}" for note in data["notes"])]
    lines += ["", "Decisions (step, function:line)", *_limited(_decisions(trace, calls), "decisions")]
    lines += ["", "Messages (before, after, what became of it, step)", *_limited(_messages(trace), "messages")]
    lines += ["", "Checks", *_checks(trace)]
    return "\n".join(lines) + "\n"


def outcome_text(trace: "Trace") -> str:
    """Return how the run ended, in one line."""
    outcome, data = trace.data["outcome"], trace.data
    if outcome["kind"] == "returned":
        sizes = [row for row in data["histories"] if row[1] == 1]
        if not sizes or not data["provenance"]:
            return "returned"
        kept = sum(row["to"] is not None and row["fate"] != "summarised" for row in data["provenance"])
        return f"returned {kept} messages, {sizes[-1][5]} bytes"
    if outcome["kind"] == "refused":
        return f"refused {outcome['code']}: {outcome['message']}"
    if outcome["kind"] == "step_limit":
        return "stopped at the step limit"
    return f"error {outcome['type']}: {outcome['message']}"


def _decisions(trace: "Trace", calls: bool) -> list[str]:
    steps = trace.steps
    raising = _raising(trace)
    rows = []
    hidden = 0
    for decision in trace.decisions:
        step = steps[decision.step]
        if calls or step.depth == 0 or decision.step in raising:
            rows.append(f"{decision.step:>5}  {step.function}:{step.line}  {decision.sentence}")
        else:
            hidden += 1
    if hidden:
        rows.append(f"       and {hidden} in the functions that it called")
    return rows or ["  none"]


def _raising(trace: "Trace") -> set[int]:
    """Return the step of the last decision in each call that raised."""
    last: dict[int, int] = {}
    found = set()
    for number, step in enumerate(trace.steps):
        frame = trace.frame_at[number]
        if step.event == "decision":
            last[frame] = number
        elif step.event == "raise" and frame in last:
            found.add(last[frame])
    return found


def _messages(trace: "Trace") -> list[str]:
    data = trace.data
    steps = trace.steps
    if not data["provenance"]:
        return ["  no candidate: the input is as it was"]
    rows = []
    for fate in trace.provenance:
        before = "-" if fate.source is None else str(fate.source)
        after = "-" if fate.target is None else str(fate.target)
        where = steps[fate.step]
        value = message_value(data["messages"][fate.message], data["strings"])
        ids = ", ".join([*call_ids(value), *result_ids(value)])
        text = " ".join(texts(value.get("content")))
        shown = f"{value.get('role')} {ids}" if ids else f"{value.get('role')} {quoted(text, len(text))}"
        rows.append(f"{before:>5} {after:>5}  {fate.fate:<10}  {fate.step:>5} {where.function}:{where.line}  {shown}")
    return rows


def _checks(trace: "Trace") -> list[str]:
    checks = trace.data["checks"]
    words = {True: "yes", False: "no", None: "does not apply"}
    rows = [
        f"  input unchanged: {words[checks['input_unchanged']]}",
        f"  pairs complete: {words[checks['pairs_complete']]}",
        f"  within budget: {words[checks['within_budget']]}",
    ]
    if checks["first_broken_step"] is not None:
        rows.append(f"  the pairing broke at step {checks['first_broken_step']}")
    return rows


def _limited(rows: list[str], what: str) -> list[str]:
    return rows if len(rows) <= MOST else [*rows[:MOST], f"  … {len(rows) - MOST} more {what}"]

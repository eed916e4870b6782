"""What the text face and the static page show of a trace, as rows of words."""

from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.texts import texts
from ctxlab.tracer.traces import Trace
from ctxlab.tracer.values import message_value, quoted

Row = tuple[str, ...]

WORDS = {True: "yes", False: "no", None: "does not apply"}


def title(trace: Trace) -> str:
    """Return the function, the scenario and how the run ended, in one line."""
    scenario = trace.data["scenario"]
    on = f" on {scenario['name']}" if scenario else ""
    return f"{trace.function}{on}: {ending(trace)}"


def ending(trace: Trace) -> str:
    """Return how the run ended."""
    data, outcome = trace.data, trace.data["outcome"]
    if outcome["kind"] == "refused":
        return f"refused {outcome['code']}: {outcome['message']}"
    if outcome["kind"] == "error":
        return f"error {outcome['type']}: {outcome['message']}"
    if outcome["kind"] == "step_limit":
        return "stopped at the step limit"
    if not data["provenance"]:
        return "returned"
    last = [row for row in data["histories"] if row[1] == 1][-1]
    messages = 1 + max(row["to"] for row in data["provenance"] if row["to"] is not None)
    return f"returned {messages} messages, {last[5]} bytes"


def decision_rows(trace: Trace, calls: bool) -> tuple[list[Row], int]:
    """Return (step, place, sentence) of each decision, and how many are left out.

    Of the functions that were called, only the decision that made one raise is shown, unless `calls` asks for all.
    """
    steps = trace.steps
    raising = _raising(trace)
    rows = []
    for decision in trace.decisions:
        step = steps[decision.step]
        if calls or step.depth == 0 or decision.step in raising:
            rows.append((str(decision.step), f"{step.function}:{step.line}", decision.sentence))
    return rows, len(trace.decisions) - len(rows)


def _raising(trace: Trace) -> set[int]:
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


def message_rows(trace: Trace) -> list[Row]:
    """Return (index before, index after, fate, step, place, message) of each message; none without a candidate."""
    data, steps = trace.data, trace.steps
    rows = []
    for fate in trace.provenance:
        step = steps[fate.step]
        value = message_value(data["messages"][fate.message], data["strings"])
        ids = ", ".join([*call_ids(value), *result_ids(value)])
        text = " ".join(texts(value.get("content")))
        rows.append(
            (
                "-" if fate.source is None else str(fate.source),
                "-" if fate.target is None else str(fate.target),
                fate.fate,
                str(fate.step),
                f"{step.function}:{step.line}",
                f"{value.get('role')} {ids or quoted(text, len(text))}",
            )
        )
    return rows


def check_rows(trace: Trace) -> list[Row]:
    """Return (check, result) of each check."""
    checks = trace.data["checks"]
    rows = [
        ("input unchanged", WORDS[checks["input_unchanged"]]),
        ("pairs complete", WORDS[checks["pairs_complete"]]),
        ("within budget", WORDS[checks["within_budget"]]),
    ]
    if checks["first_broken_step"] is not None:
        rows.append(("the pairing broke at step", str(checks["first_broken_step"])))
    return rows

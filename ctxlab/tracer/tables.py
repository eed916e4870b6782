"""What the text face and the static page show of a trace, as rows of words.

Whatever a transcript or an exception says, each text is one line of limited length without unseen characters.
"""

from typing import Any

from ctxlab.messages.links import links_of
from ctxlab.messages.spoken import spoken
from ctxlab.messages.wording import visible
from ctxlab.tracer.traces import Trace
from ctxlab.tracer.values import described_result, message_value, quoted

Row = tuple[str, ...]

# A longer text, such as the message of an exception, would hide everything beside it.
MOST_CHARS = 1000

WORDS = {True: "yes", False: "no", None: "does not apply"}


def title(trace: Trace) -> str:
    """Return the function, the scenario and how the run ended, in one line."""
    scenario = trace.data["scenario"]
    on = f" on {scenario['name']}" if scenario else ""
    return one_line(f"{trace.function}{on}: {_ending(trace)}")


def notes(trace: Trace) -> list[str]:
    """Return what the reader must be told besides, one line each."""
    return [one_line(note) for note in trace.data["notes"]]


def _ending(trace: Trace) -> str:
    data, outcome = trace.data, trace.data["outcome"]
    if outcome["kind"] == "refused":
        return f"refused {outcome['code']}: {outcome['message']}"
    if outcome["kind"] == "error":
        return f"error {outcome['type']}: {outcome['message'] or 'no message'}"
    if outcome["kind"] == "step_limit":
        return "stopped at the step limit"
    in_place = data["checks"]["in_place"] is not None
    contents = trace.moments().at(len(data["steps"]["place"]))
    returned = f"returned {described_result(outcome['value'], data['strings'], contents)}"
    if not data["provenance"]:
        return returned
    last = [row for row in data["histories"] if row[1] == (0 if in_place else 1)][-1]
    messages = 1 + max((row["to"] for row in data["provenance"] if row["to"] is not None), default=-1)
    size = f"{messages} message{'' if messages == 1 else 's'}, {last[5]} bytes"
    return f"{returned}; worked in place: {size}" if in_place else f"returned {size}"


def decision_rows(trace: Trace, calls: bool) -> tuple[list[Row], int]:
    """Return (step, place, sentence) of each decision, and how many are left out.

    Of the functions that were called, only the decision that made one raise is shown, unless `calls` asks
    for all.
    """
    steps = trace.steps
    raising = _raising(trace)
    rows: list[Row] = []
    for decision in trace.decisions:
        step = steps[decision.step]
        if calls or step.depth == 0 or decision.step in raising:
            rows.append((str(decision.step), f"{step.function}:{step.line}", one_line(decision.sentence)))
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
    """Return (index before, index after, fate, step, place, message) of each; none where nothing took the
    place of the input."""
    data, steps = trace.data, trace.steps
    rows: list[Row] = []
    for fate in trace.provenance:
        step = steps[fate.step]
        value = message_value(data["messages"][fate.message], data["strings"])
        links = links_of(value)
        ids = ", ".join(links.ids)
        rows.append(
            (
                "-" if fate.source is None else str(fate.source),
                "-" if fate.target is None else str(fate.target),
                fate.fate,
                str(fate.step),
                f"{step.function}:{step.line}",
                one_line(f"{links.role} {ids or _quoted_text(value)}"),
            )
        )
    return rows


def _quoted_text(message: Any) -> str:
    text = " ".join(spoken(message))
    return quoted(text, len(text))


def check_rows(trace: Trace) -> list[Row]:
    """Return (check, result) of each check."""
    checks = trace.data["checks"]
    rows: list[Row] = [
        _input_row(trace),
        ("pairs complete", WORDS[checks["pairs_complete"]]),
        ("within budget", WORDS[checks["within_budget"]]),
    ]
    if checks["first_broken_step"] is not None:
        rows.append(("the pairing broke at step", str(checks["first_broken_step"])))
    return rows + _fact_rows(trace)


def _input_row(trace: Trace) -> Row:
    """Return whether the input is as it was; of a run that worked in place, where the history changed."""
    checks = trace.data["checks"]
    if not trace.data["histories"]:
        return "input unchanged", WORDS[None]
    if checks["in_place"] is None:
        return "input unchanged", WORDS[checks["input_unchanged"]]
    commits = trace.data["commits"]
    committed = f"; a candidate was committed at {_steps(commits)}" if commits else ""
    return (
        "worked in place",
        f"yes, the history itself changed, first at step {checks['in_place']}{committed}",
    )


def _steps(numbers: list[int]) -> str:
    """Return numbers as "step 1" or "steps 1, 2 and 3"."""
    *others, last = map(str, numbers)
    return f"steps {', '.join(others)} and {last}" if others else f"step {last}"


def _fact_rows(trace: Trace) -> list[Row]:
    """Return a row for each fact, or one that says why none is judged; none where no fact must survive."""
    if trace.facts:
        return [
            (f"{fact.kind} {'kept' if fact.kept else 'LOST'}", one_line(fact.text)) for fact in trace.facts
        ]
    scenario = trace.data["scenario"]
    if not scenario or not scenario["must_survive"]:
        return []
    if trace.provenance:
        result = "the input says none of them"
    elif trace.data["checks"]["input_unchanged"]:
        result = "nothing is lost, for the input stays as it was"
    else:
        result = "not judged: no candidate, and the input was changed"
    return [("facts that must survive", result)]


def no_messages(trace: Trace) -> str:
    """Return what stands in place of the messages when `message_rows` is empty."""
    if not trace.data["histories"]:
        return "no history in this run"
    unchanged = trace.data["checks"]["input_unchanged"]
    return (
        "no candidate: the input stays as it was" if unchanged else "no candidate, and the input was changed"
    )


def one_line(text: str, most: int = MOST_CHARS) -> str:
    """Return the first `most` characters of a text on one line, and its length if there are more."""
    shown = visible(text[:most])
    return shown if len(text) <= most else f"{shown}… ({len(text)} characters)"

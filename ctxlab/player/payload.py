"""What the page needs to show a trace. The widget and the exported file hand over the same."""

from typing import Any

from ctxlab.player.cards import cards, with_figures_of
from ctxlab.player.faults import faults
from ctxlab.player.masking import RunMask
from ctxlab.player.questions import questions
from ctxlab.tracer.diagram import diagrams
from ctxlab.tracer.traces import Trace
from ctxlab.tracer.values import describe

MOST_CHARS = 4000


def payload(trace: Trace, ask: str = "", mask: RunMask | None = None) -> dict[str, Any]:
    """Return trace, clipped, cards, encoding, heading, maps, questions, findings, diagnosed, as JSON values.

    Texts of over 4,000 characters are shortened; `clipped` maps their place in `strings` to the full length.
    The message of the outcome and the facts, which are not in `strings`, end with their length instead.
    `maps` are the diagrams of the sources, in their order; `questions` are those of `ask`, `findings`
    and `diagnosed` those of `faults`. With a mask every text is masked, and the figures of the cards stay
    those of the run.
    """
    real = trace
    findings, diagnosed = faults(real)
    if mask is not None:
        trace = mask.trace(trace)
        findings = [{**finding, **mask.value(_named(finding))} for finding in findings]
    strings = trace.data["strings"]
    clipped = {str(index): len(text) for index, text in enumerate(strings) if len(text) > MOST_CHARS}
    shown = [text[:MOST_CHARS] for text in strings]
    made, encoding = cards(trace)
    if mask is not None:
        measured, encoding = cards(real)
        made = with_figures_of(measured, made)
    scenario, checks, outcome = (trace.data[part] for part in ("scenario", "checks", "outcome"))
    return {
        "trace": {
            **trace.data,
            "strings": shown,
            "scenario": scenario and {**scenario, "must_survive": _short(scenario["must_survive"])},
            "checks": {**checks, "facts": checks["facts"] and _short(checks["facts"])},
            "outcome": {**outcome, "message": _shortened(outcome["message"])},
        },
        "clipped": clipped,
        "cards": made,
        "encoding": encoding,
        "heading": heading(trace),
        "maps": [made.to_json() for made in diagrams(trace)],
        "questions": questions(trace, ask, made),
        "findings": findings,
        "diagnosed": diagnosed,
    }


def _named(finding: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a finding that quote the history."""
    return {key: finding[key] for key in ("id", "text")}


def _short(facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**fact, "text": _shortened(fact["text"])} for fact in facts]


def _shortened(message: str | None) -> str | None:
    if message is None or len(message) <= MOST_CHARS:
        return message
    return f"{message[:MOST_CHARS]}… ({len(message)} characters)"


def heading(trace: Trace) -> dict[str, Any]:
    """Return function, scenario and promise, and the arguments: settings, and stand-ins by their labels."""
    data = trace.data
    scenario = data["scenario"] or {"name": "", "promise": ""}
    settings, stand_ins = [], []
    for name, cell in arguments(trace):
        if isinstance(cell, str):
            stand_ins.append([name, cell])
        elif type(cell) is not int or cell % 2:
            settings.append([name, describe(cell, data["strings"], {})])
    return {
        "function": data["function"],
        "scenario": scenario["name"],
        "promise": scenario["promise"],
        "settings": settings,
        "stand_ins": stand_ins,
    }


def arguments(trace: Trace) -> list[tuple[str, Any]]:
    """Return the names and cells of the entry call's arguments."""
    columns = trace.data["variables"]
    found = []
    rows = zip(columns["step"], columns["frame"], columns["name"], columns["value"], strict=True)
    for step, frame, name, cell in rows:
        if (
            step or frame
        ):  # both are written as differences, so the first row that is not 0 ends the call's own step
            break
        found.append((trace.data["strings"][name], cell))
    return found

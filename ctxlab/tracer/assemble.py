"""A recording as trace data, in the JSON form `ctxlab.trace/1`."""

from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from ctxlab.tracer.heap import Cell
from ctxlab.tracer.histories import Histories, Splice
from ctxlab.tracer.instrument import Site
from ctxlab.tracer.provenance import provenance
from ctxlab.tracer.record import Recording
from ctxlab.tracer.source import Source

if TYPE_CHECKING:
    from ctxlab.scenarios import Scenario, SystemScenario

FORMAT = "ctxlab.trace/1"


def deltas(numbers: Iterable[int]) -> list[int]:
    """Return each number minus the one before it (the first as it is): short when written as JSON."""
    return [after - before for before, after in pairwise([0, *numbers])]


def sums(differences: Iterable[int]) -> list[int]:
    """Undo `deltas`."""
    return list(accumulate(differences))


def assemble(
    recording: Recording, scenario: "Scenario | SystemScenario | None", notes: list[str]
) -> dict[str, Any]:
    """Return the trace data of a recording. `notes` are what a reader must be told besides."""
    heap, program = recording.heap, recording.program
    histories = Histories(recording)
    # Only where the run returned has anything taken the place of the input.
    fates = provenance(histories) if recording.outcome.kind == "returned" else []
    names = [heap.string(name) // 2 for _, _, name, _, _ in recording.variables]
    outcome = recording.outcome
    return {
        "format": FORMAT,
        "function": program.sources[0].name,
        "scenario": _about(scenario) if scenario else None,
        "sources": [_source(source) for source in program.sources],
        "strings": heap.strings,
        "messages": heap.pool,
        "sites": [_site(site) for site in program.sites],
        "places": [[place.event, place.function, place.line, place.site] for place in recording.places],
        "steps": {"place": recording.steps, "turns": recording.turns},
        "frames": recording.frames,
        "variables": {
            "step": deltas(row[0] for row in recording.variables),
            "frame": deltas(row[1] for row in recording.variables),
            "name": names,
            "value": [row[3] for row in recording.variables],
        },
        "heap": {
            "step": deltas(row[0] for row in heap.rows),
            "object": deltas(row[1] for row in heap.rows),
            "cells": [row[2] for row in heap.rows],
        },
        "decisions": {"outcome": [int(truth) for truth in recording.outcomes], "values": recording.values},
        "calls": [[call.step, call.line, call.name, call.arguments, call.result] for call in recording.calls],
        "histories": [
            [part.step, part.which, part.at, part.removed, part.added, part.size, part.open, part.orphans]
            for part in sorted(
                [*histories.active.splices, *histories.candidate.splices], key=lambda part: part.step
            )
        ],
        "commits": histories.commits,
        "provenance": [
            {
                "message": fate.message,
                "fate": fate.fate,
                "step": fate.step,
                "from": fate.source,
                "to": fate.target,
            }
            for fate in fates
        ],
        "checks": {
            **_checks(recording, histories),
            "facts": _facts(scenario, histories) if scenario and fates else None,
        },
        "outcome": {
            "kind": outcome.kind,
            "code": outcome.code,
            "type": outcome.type,
            "message": outcome.message,
            "value": recording.returned,
        },
        "notes": [*_notes(recording), *notes, *program.notes],
    }


def _about(scenario: "Scenario | SystemScenario") -> dict[str, Any]:
    facts = [{"kind": fact.kind, "text": fact.text} for fact in scenario.must_survive]
    return {"name": scenario.name, "promise": scenario.promise, "must_survive": facts}


def _source(source: Source) -> dict[str, Any]:
    last = source.node.end_lineno or source.first_line
    comments = source.comments
    labels = [[line, text] for line in range(source.first_line, last + 1) if (text := comments.label(line))]
    lines = {
        str(line): text
        for line in range(source.first_line, last + 1)
        if line not in comments.own and (text := " ".join(comments.above(line)))
    }
    return {
        "name": source.name,
        "file": source.file,
        "first_line": source.first_line,
        "text": source.text,
        "labels": [label for label in labels if label[0] not in comments.own],
        "lines": lines,
    }


def _site(site: Site) -> dict[str, Any]:
    parts = [{"source": part.source, "pieces": part.pieces, "compare": part.compare} for part in site.parts]
    return {
        "function": site.function,
        "line": site.line,
        "source": site.source,
        "question": site.question,
        "yes": site.yes,
        "no": site.no,
        "parts": parts,
    }


def _checks(recording: Recording, histories: Histories) -> dict[str, Any]:
    result, in_place = histories.result, histories.in_place
    exists = bool(result.indices) and recording.outcome.kind == "returned"
    budget = _argument(recording, "budget")
    return {
        "input_unchanged": histories.active.first_change is None if in_place is None else None,
        "in_place": in_place,
        "pairs_complete": result.halves.complete if exists else None,
        "within_budget": result.splices[-1].size <= budget if exists and budget is not None else None,
        "budget": budget,
        "first_broken_step": _first_broken(result.splices) if exists else None,
    }


def _facts(scenario: "Scenario | SystemScenario", histories: Histories) -> list[dict[str, Any]] | None:
    """Return the facts that the input says, each with whether the result still says it; None for none.

    A run may be given other messages than those of its scenario. What they never said cannot be lost.
    """
    before = [histories.pool.value(index) for index in histories.input]
    after = [histories.pool.value(index) for index in histories.result.indices]
    kept = scenario.surviving(after)
    facts = [
        {"kind": fact.kind, "text": fact.text, "kept": fact in kept} for fact in scenario.surviving(before)
    ]
    return facts or None


def _first_broken(splices: list[Splice]) -> int | None:
    """Return the step from which on the pairing stayed broken to the end, or None when it is sound there."""
    step = None
    for splice in splices:
        if splice.open + splice.orphans == 0:
            step = None
        elif step is None:
            step = splice.step
    return step


def _argument(recording: Recording, wanted: str) -> int | None:
    """Return the whole number that the entry call got under this name, or None."""
    for _, frame, name, cell, _ in recording.variables:
        if frame == 0 and name == wanted:
            return _int(cell)
    return None


def _int(cell: Cell) -> int | None:
    return cell[0] if isinstance(cell, tuple) and len(cell) == 1 else None


def _notes(recording: Recording) -> list[str]:
    notes = []
    if recording.outcome.kind == "step_limit":
        notes.append(
            f"The run reached the step limit: only its first {len(recording.steps)} steps were recorded."
        )
    if recording.missed:
        notes.append(
            "Code that is not traced changed a value without being seen. The change shows at the last step, "
            "though it happened earlier."
        )
    return notes

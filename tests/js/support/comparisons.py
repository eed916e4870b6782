"""The comparisons that the page's tests open: real runs beside each other, as the widget hands them over."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compared_functions as functions

from ctxlab import Trace, load_scenario, trace
from ctxlab.player.compare import Compare
from ctxlab.player.module import joined_module
from ctxlab.reference import prepare_context, run_loop, split_history, trim_results

NAMES = ("reference", "yours")
PARTS = [
    "sides",
    "names",
    "unlike",
    "lines",
    "pairs",
    "verdicts",
    "stops",
    "divergence",
    "steps",
]
EVIL = "<img src=x onerror='window.hacked = 1'></script>\u202egpj.exe\u2066"
SIZES = [number * 7919 % 1000 for number in range(3000)]


def said(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}, {"role": "assistant", "content": text}] * 2


def pair(one: Any, other: Any, *arguments: Any) -> tuple[Trace, Trace]:
    return trace(one, *arguments), trace(other, *arguments)


def comparisons() -> Iterator[tuple[str, Compare]]:
    messages = load_scenario("normal").messages
    small = trace(prepare_context, scenario="summary")
    large = trace(prepare_context, scenario="summary", budget=4000)
    yield "budget", Compare(small, large, names=("small budget", "large budget"))
    yield "loop", Compare(*(trace(run_loop, scenario=name) for name in ("summary", "exhausted")))
    yield "slip", Compare(*pair(functions.cut, functions.slipped_cut, messages, 1), names=NAMES)
    yield "same", Compare(*pair(functions.cut, functions.cut, messages, 1), names=NAMES)
    yield "harmless", Compare(*pair(functions.cut, functions.careful_cut, messages, 1), names=NAMES)
    yield "alone", Compare(*pair(functions.cut, functions.anxious_cut, messages, 1), names=NAMES)
    copies = (functions.archived, functions.not_archived)
    yield "no-decision", Compare(*pair(*copies, messages, lambda _: "a receipt"), names=NAMES)
    in_place = (functions.committed, functions.rebound)
    left, right = (trace(each, said("Hello"), lambda given: given[-1:]) for each in in_place)
    yield "in-place", Compare(left, right, names=NAMES)
    unlike = (trace(split_history, scenario="pending"), trace(trim_results, scenario="old"))
    yield "unlike", Compare(*unlike)
    yield (
        "hostile",
        Compare(*pair(functions.cut, functions.slipped_cut, said(EVIL), 1), names=(EVIL, "yours")),
    )
    long = (trace(functions.count_long, SIZES, 999), trace(functions.count_long, SIZES, 499))
    yield "long", Compare(*long)


def write(folder: Path) -> None:
    """Write every comparison as compare/NAME.json, and the page's module."""
    (folder / "compare").mkdir()
    (folder / "compare.js").write_text(joined_module("compare.js"), encoding="utf-8")
    for name, made in comparisons():
        state = made.get_state(PARTS)
        (folder / "compare" / f"{name}.json").write_text(json.dumps(state), encoding="utf-8")

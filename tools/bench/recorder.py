"""The tracer against untraced runs of the same work."""

import tempfile
import types
import zlib
from functools import partial
from pathlib import Path
from statistics import median

from ctxlab.reference import prepare_context
from ctxlab.tracer.assemble import assemble
from ctxlab.tracer.instrument import instrument
from ctxlab.tracer.record import Recording, record
from ctxlab.tracer.traces import Trace

from .report import Row, per_size
from .timing import ROUNDS, Times, in_turn, milliseconds, ratio, seconds
from .workload import Work, deepcopy_reference, fresh_reference, to_trace

SIZES = (9, 101, 501, 1001, 2001)
LARGEST = 10_001
NO_LIMIT = 10**9


def rows() -> list[Row]:
    """Measure speed, size and instrumenting."""
    warm = {size: times(size) for size in SIZES}
    against_deepcopy = {size: ratio(found, "traced", "deepcopy") for size, found in warm.items()}
    against_own = {size: ratio(found, "traced", "own") for size, found in warm.items()}
    large = times(LARGEST, collector=True)
    absolute = {size: milliseconds(found, "traced") for size, found in {**warm, LARGEST: large}.items()}
    return [
        Row(
            "traced / untraced run with deepcopy, garbage collector off",
            max(against_deepcopy.values()),
            3.0,
            details=[per_size(against_deepcopy), f"traced, ms: {per_size(absolute, 1)}"],
        ),
        Row(
            "traced / own untraced run, garbage collector off",
            max(against_own.values()),
            4.0,
            details=[per_size(against_own)],
        ),
        Row("the same at 10,001 messages, garbage collector on", ratio(large, "traced", "own"), 5.0),
        Row("that ratio at 2,001 messages / at 101", against_own[2001] / against_own[101], 1.5),
        *sizes(),
        instrumenting(),
    ]


def times(size: int, collector: bool = False) -> Times:
    """Time the same work traced (already instrumented), untraced, and untraced with deepcopy."""
    work = Work(size)
    deep = deepcopy_reference().prepare_context
    functions = to_trace()
    cases = {
        "traced": lambda: record(functions, (work.arguments(), {}), NO_LIMIT),
        "own": lambda: prepare_context(*work.arguments()),
        "deepcopy": lambda: deep(*work.arguments()),
    }
    return in_turn(cases, repeat=max(1, 200 // size), collector=collector)


def recorded(work: Work) -> Recording:
    return record(to_trace(), (work.arguments(), {}), NO_LIMIT)


def sizes() -> list[Row]:
    """Compare the JSON form with that of the history itself."""
    plain, packed, making = {}, {}, {}
    for size in (101, 501, 1001, 2001, LARGEST):
        work = Work(size)
        recording = recorded(work)
        making[size] = seconds(partial(assemble, recording, None, [])) * 1000
        data = Trace.of(recording, None, []).dumps().encode()
        plain[size] = len(data) / work.size
        packed[size] = len(zlib.compress(data)) / work.size
    return [
        Row(
            "trace as JSON / history as JSON",
            max(plain.values()),
            1.4,
            details=[per_size(plain, 3), f"making the trace data, ms: {per_size(making, 0)}"],
        ),
        Row("compressed trace / history as JSON", max(packed.values()), 0.30, details=[per_size(packed, 3)]),
    ]


def instrument_module(module: types.ModuleType) -> None:
    instrument(to_trace(module))


def instrumenting() -> Row:
    """Time reading and rebuilding functions that the tracer has not seen."""
    each, again = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            unseen = fresh_reference(Path(folder), f"unseen_{number}")
            first = seconds(partial(instrument_module, unseen))
            functions = to_trace(unseen)
            each.append(first * 1000 / len(functions))
            again.append(seconds(partial(instrument, functions)) * 1000)
    details = [f"{len(functions)} functions; when cached, all of them: {median(again):.3f} ms"]
    return Row("instrumenting, per function", median(each), 5.0, unit=" ms", details=details)

"""Other tracers and another trimmer on the same work."""

import copy
import io
import os
import sys
import tempfile
import types
from collections.abc import Callable
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from ctxlab.reference import prepare_context
from ctxlab.tracer.record import record
from ctxlab.tracer.traces import Trace

from .report import Row
from .timing import in_turn, milliseconds, ratio
from .workload import Work, fresh_reference, to_trace

NO_LIMIT = 10**9
Decorator = Callable[[Any], Any]


def rows() -> list[Row]:
    """Compare cold runs, instrumenting and writing included, with what is installed beside ctxlab."""
    with tempfile.TemporaryDirectory() as folder:
        return [*line_tracers(Path(folder)), *viztracer(Path(folder)), clear_tool_uses()]


class Cold:
    """Runs of the work by functions that no tracer has seen before."""

    def __init__(self, folder: Path, messages: int) -> None:
        self.folder = folder
        self.work = Work(messages)
        self.number = count()

    def module(self) -> types.ModuleType:
        return fresh_reference(self.folder, f"cold_{len(self.work.messages)}_{next(self.number)}")

    def untraced(self) -> None:
        prepare_context(*self.work.arguments())

    def ctxlab(self) -> int:
        """Trace; return the bytes of the JSON form."""
        recording = record(to_trace(self.module()), (self.work.arguments(), {}), NO_LIMIT)
        return len(Trace.of(recording, None, []).dumps().encode())

    def decorated(self, decorator: Decorator) -> None:
        module = self.module()
        for name in traced_names():
            setattr(module, name, decorator(getattr(module, name)))
        module.prepare_context(*self.work.arguments())


def traced_names() -> list[str]:
    """Return the functions of the reference module that ctxlab traces; the others get the same."""
    return [traced.function.__name__ for traced in to_trace()]


def line_tracers(folder: Path) -> list[Row]:
    out = io.StringIO()
    # Birdseye asks the network for a newer version of itself, if this module can be imported.
    vars(sys)["modules"]["outdated"] = None
    os.environ["BIRDSEYE_DB"] = f"sqlite:///{folder / 'birdseye.db'}"
    snoop, pysnooper = import_module("snoop"), import_module("pysnooper")
    eye = import_module("birdseye").eye
    snoop.install(out=out, color=False, builtins=False)
    cold = Cold(folder, 101)
    decorators = {"snoop": snoop.snoop, "PySnooper": pysnooper.snoop(out, color=False), "birdseye": eye}

    def run(decorator: Decorator) -> Callable[[], None]:
        def case() -> None:
            out.seek(0)
            out.truncate()
            cold.decorated(decorator)

        return case

    peers = {name: run(decorator) for name, decorator in decorators.items()}
    times = in_turn({"untraced": cold.untraced, "ctxlab": cold.ctxlab, **peers}, rounds=7)
    for own in ("ctxlab", *decorators):
        times[f"{own} overhead"] = [
            one - base for one, base in zip(times[own], times["untraced"], strict=True)
        ]
    ours = f"{milliseconds(times, 'ctxlab'):.0f} ms"
    return [
        Row(
            f"overhead of {name} / of ctxlab, cold with JSON, 101 messages",
            ratio(times, f"{name} overhead", "ctxlab overhead"),
            10,
            unit=" x",
            least=True,
            details=[f"{name} {milliseconds(times, name):.0f} ms, ctxlab {ours}"],
        )
        for name in decorators
    ]


def viztracer(folder: Path) -> list[Row]:
    """Compare with viztracer's record of each assignment: no decisions and no state."""
    package, monkeys = import_module("viztracer"), import_module("viztracer.code_monkey")
    cold = Cold(folder, 1001)
    names = {name for traced in to_trace() for name in traced.function.__code__.co_varnames}
    out = folder / "viztracer.json"

    def case() -> None:
        tracer = package.VizTracer(verbose=0, output_file=str(out), tracer_entries=2_000_000)
        module = cold.module()
        monkey = monkeys.CodeMonkey(module.__file__)
        monkey.add_instrument("log_var", {"varnames": sorted(names)})
        source = Path(module.__file__ or "").read_text(encoding="utf-8")
        vars(module)["__viz_tracer__"] = tracer
        exec(monkey.compile(source, module.__file__, "exec"), vars(module))  # noqa: S102 - the peer's own way
        tracer.start()
        module.prepare_context(*cold.work.arguments())
        tracer.stop()
        tracer.save()

    times = in_turn({"ctxlab": cold.ctxlab, "viztracer": case}, rounds=7)
    bytes_ours, bytes_theirs = cold.ctxlab(), out.stat().st_size
    took = (
        f"ctxlab {milliseconds(times, 'ctxlab'):.0f} ms, viztracer {milliseconds(times, 'viztracer'):.0f} ms"
    )
    sizes = f"ctxlab {bytes_ours / 1e6:.1f} MB, viztracer {bytes_theirs / 1e6:.1f} MB"
    return [
        Row(
            "time of ctxlab / of viztracer log_var, 1,001 messages",
            ratio(times, "ctxlab", "viztracer"),
            0.7,
            details=[took],
        ),
        Row(
            "size of ctxlab / of viztracer log_var, 1,001 messages",
            bytes_ours / bytes_theirs,
            0.2,
            details=[sizes],
        ),
    ]


def clear_tool_uses() -> Row:
    """Compare `prepare_context` with langchain's edit, which changes its input and so gets a copy."""
    work = Work(1001)
    messages = langchain_messages(work.messages)

    def case() -> None:
        edited = cleared(messages, work.budget // 4, 1)
        assert edited[2].content != messages[2].content

    times = in_turn({"ctxlab": lambda: prepare_context(*work.arguments()), "langchain": case})
    took = (
        f"ctxlab {milliseconds(times, 'ctxlab'):.1f} ms, langchain {milliseconds(times, 'langchain'):.1f} ms"
    )
    name = "untraced prepare_context / langchain ClearToolUsesEdit with a copy, 1,001 messages"
    return Row(name, ratio(times, "ctxlab", "langchain"), 1.0, details=[took])


def cleared(messages: list[Any], trigger: int, keep: int) -> list[Any]:
    """Return a copy in which all results but the last are cleared, as langchain's middleware makes it."""
    editing = import_module("langchain.agents.middleware.context_editing")
    counting = import_module("langchain_core.messages.utils").count_tokens_approximately
    edited = copy.deepcopy(messages)
    editing.ClearToolUsesEdit(trigger=trigger, keep=keep).apply(edited, count_tokens=counting)
    return edited


def langchain_messages(history: list[dict[str, Any]]) -> list[Any]:
    """Return the history in langchain's own classes: one tool message for each result."""
    classes = import_module("langchain_core.messages")
    found = [classes.HumanMessage(content=history[0]["content"])]
    for message in history[1:]:
        if message["role"] == "user":
            found += [
                classes.ToolMessage(
                    content=block["content"], tool_call_id=block["tool_use_id"], name="read_file"
                )
                for block in message["content"]
            ]
            continue
        said, *calls = message["content"]
        calls = [{"id": block["id"], "name": block["name"], "args": block["input"]} for block in calls]
        found.append(classes.AIMessage(content=said["text"], tool_calls=calls))
    return found

"""The work that is measured: one preparation that archives, trims, re-checks, summarises and rebuilds."""

import copy
import importlib.util
import random
import types
from pathlib import Path
from typing import Any

import ctxlab.reference.history as reference
from ctxlab.reference import history_bytes, trim_results
from ctxlab.tracer.instrument import Traced
from ctxlab.tracer.reach import reachable

MESSAGE_BYTES = 2500
WORDS = (
    "window budget archive receipt trim summary result error retry file line test pass build é ü 漢".split()
)
RECEIPT = "context-000000000001.jsonl"
QUESTION = "Why does the build fail?"
SUMMARY = "The older files were read; none of them explains the failure."

History = list[dict[str, Any]]


def archive(_messages: History) -> str:
    """Stand in for the disk."""
    return RECEIPT


def summarize(_messages: History) -> str:
    """Stand in for the model."""
    return SUMMARY


def text(rng: random.Random, size: int) -> str:
    """Return words of about `size` characters."""
    words: list[str] = []
    while size > 0:
        words.append(rng.choice(WORDS))
        size -= len(words[-1]) + 1
    return " ".join(words)


def history(messages: int) -> History:
    """Return a history of this odd number of messages of 2,500 bytes on average.

    Each fifth exchange has two calls.
    """
    rng = random.Random(messages)  # noqa: S311 - the same history in each run
    result_chars = 2 * MESSAGE_BYTES - 500
    found: History = [{"role": "user", "content": f"{QUESTION} {text(rng, 120)}"}]
    for number in range(messages // 2):
        count = 1 if number % 5 else 2
        calls: list[dict[str, Any]] = [{"type": "text", "text": text(rng, 80)}]
        results = []
        for part in range(count):
            call_id = f"toolu_{number:05d}_{part}"
            arguments = {"path": f"src/mod_{number}.py", "first": number * 10, "flags": ["a", "b"]}
            calls.append({"type": "tool_use", "id": call_id, "name": "read_file", "input": arguments})
            size = rng.randint(result_chars // 2, result_chars * 3 // 2) // count
            block = {
                "type": "tool_result",
                "tool_use_id": call_id,
                "content": text(rng, size),
                "is_error": False,
            }
            results.append(block)
        found += [{"role": "assistant", "content": calls}, {"role": "user", "content": results}]
    return found


class Work:
    """One history and the arguments that send `prepare_context` down the whole path."""

    def __init__(self, messages: int) -> None:
        self.messages = history(messages)
        self.size = history_bytes(self.messages)
        self.trimmed = history_bytes(trim_results(self.messages, RECEIPT))
        # One byte too small for the trimmed history, so that a summary is needed.
        self.budget = self.trimmed - 1

    def arguments(self, budget: int | None = None) -> list[Any]:
        """Return fresh arguments for `prepare_context`."""
        state = {"archives": [], "summaries": 0, "max_summaries": 2}
        return [self.messages, QUESTION, state, archive, summarize, budget or self.budget]


def to_trace(module: types.ModuleType = reference) -> list[Traced]:
    """Return the functions that a trace of `prepare_context` covers, that one first."""
    functions, _ = reachable(module.prepare_context)
    return functions


def fresh_reference(folder: Path, name: str) -> types.ModuleType:
    """Return the reference module loaded from a new file: one that no tracer has seen."""
    source = Path(reference.__file__).read_text(encoding="utf-8")
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    return load(path)


def deepcopy_reference() -> types.ModuleType:
    """Return the reference module with `copy.deepcopy` in the place of its structural copies."""
    module = load(Path(reference.__file__))
    vars(module)["copied"] = copy.deepcopy
    return module


def load(path: Path) -> types.ModuleType:
    """Load a file as a module of its own, which `import` does not find."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

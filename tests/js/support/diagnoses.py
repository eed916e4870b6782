"""The diagnoses that the page's tests open: histories as the widget hands them over."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ctxlab.player.diagnosis import Diagnosis
from ctxlab.player.module import joined_module

PARTS = ["heading", "cards", "texts", "origins", "splits", "findings", "place"]
EVIL = (
    "<img src=x onerror='window.hacked = 1'></script><script>window.hacked = 1</script>"
    "\u202egpj.exe\u2066\u200b\x07\ud800"
)
DATA = Path(__file__).parent.parent.parent / "data"

History = list[dict[str, Any]]


def call(number: int) -> dict[str, Any]:
    path = {"path": f"part_{number}.py"}
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "read_file", "input": path}


def result(number: int, text: str = "a line of text") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": text}


def exchanges(count: int, faulty: int) -> History:
    """A question and so many exchanges; in every `faulty`th a text comes first and a result has no call."""
    messages: History = [{"role": "user", "content": "Fix the build."}]
    for number in range(count):
        late = [{"type": "text", "text": "Go on."}, result(number), result(count + number)]
        messages.append({"role": "assistant", "content": [call(number)]})
        messages.append({"role": "user", "content": [result(number)] if number % faulty else late})
    return messages


def one_late_result() -> History:
    return [
        {"role": "user", "content": "Sort the book."},
        {"role": "assistant", "content": [call(1)]},
        {"role": "user", "content": "By town, please."},
        {"role": "user", "content": [{"type": "text", "text": "Here:"}, result(1)]},
    ]


def chat() -> History:
    calls = [
        {"id": "call_a", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}},
        {"id": "call_b", "type": "function", "function": {"name": "read", "arguments": '{"path": "b'}},
    ]
    return [
        {"role": "system", "content": "You fix builds."},
        {"role": "user", "content": "Fix the build."},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_a", "content": "a key: AKIA" + "IOSFODNN7ABCDEFG"},
        {"role": "user", "content": "Go on."},
        {"role": "tool", "tool_call_id": "call_b", "content": "text of b"},
    ]


def responses() -> History:
    return [
        {"role": "user", "content": [{"type": "input_text", "text": "Count."}]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "call_1", "name": "count", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "7"},
        {"type": "function_call_output", "call_id": "call_2", "output": "8"},
    ]


def sound() -> History:
    return [{"role": "user", "content": "Read it."}, *exchanges(3, faulty=99)[3:]]


def hostile() -> list[Any]:
    evil_call = {"type": "tool_use", "id": EVIL, "name": EVIL, "input": {EVIL: EVIL * 50}}
    evil_result = {"type": "tool_result", "tool_use_id": f"{EVIL}2", "content": "A" * 2_000_000}
    return [
        {"role": EVIL, "content": EVIL},
        {"role": "assistant", "content": [evil_call]},
        {"role": "user", "content": [evil_result]},
        7,
        None,
        {"role": "user", "content": []},
    ]


def diagnoses() -> Iterator[tuple[str, Diagnosis]]:
    yield "one", Diagnosis(one_late_result())
    yield "twenty", Diagnosis(exchanges(20, faulty=2))
    yield "sound", Diagnosis(sound())
    yield "file", Diagnosis(DATA / "transcripts" / "claude_code.jsonl")
    yield "chat", Diagnosis(chat())
    yield "responses", Diagnosis(responses())
    yield "hostile", Diagnosis(hostile())
    yield "empty", Diagnosis([])
    yield "long", Diagnosis(exchanges(5000, faulty=500))


def write(folder: Path) -> None:
    """Write every diagnosis as diagnosis/NAME.json, and the page's module."""
    (folder / "diagnosis").mkdir()
    (folder / "diagnosis.js").write_text(joined_module("diagnose.js"), encoding="utf-8")
    for name, made in diagnoses():
        state = made.get_state(PARTS)
        (folder / "diagnosis" / f"{name}.json").write_text(json.dumps(state), encoding="utf-8")

"""What `make bench` measures: the work itself, and how a figure is judged. Times are not tested."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.reference import history_bytes, prepare_context
from ctxlab.strategies.registry import STRATEGIES


@pytest.fixture(scope="module")
def bench(root: Path) -> ModuleType:
    """The package `bench` in tools/, which is not installed."""
    folder = root / "tools" / "bench"
    spec = importlib.util.spec_from_file_location(
        "bench", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench"] = module
    spec.loader.exec_module(module)
    yield module
    for name in [name for name in sys.modules if name == "bench" or name.startswith("bench.")]:
        del sys.modules[name]


@pytest.mark.parametrize("messages", [9, 101, 1001])
def test_the_work_is_as_described(bench: ModuleType, messages: int) -> None:
    workload = importlib.import_module("bench.workload")
    work = workload.Work(messages)
    calls = [
        sum(block["type"] == "tool_use" for block in message["content"]) for message in work.messages[1::2]
    ]

    assert len(work.messages) == messages
    assert work.size == pytest.approx(2500 * messages, rel=0.15)
    assert calls == [1 if number % 5 else 2 for number in range(messages // 2)]
    assert work.messages == workload.history(messages)


@pytest.mark.parametrize("messages", [9, 101])
def test_the_work_goes_the_whole_way(bench: ModuleType, messages: int) -> None:
    work = importlib.import_module("bench.workload").Work(messages)
    arguments = work.arguments()
    candidate = prepare_context(*arguments)

    assert arguments[2] == {"archives": ["context-000000000001.jsonl"], "summaries": 1, "max_summaries": 2}
    assert len(candidate) == 3
    # One byte more, and trimming is enough.
    trimmed = prepare_context(*work.arguments(work.trimmed))
    assert len(trimmed) == messages
    assert history_bytes(trimmed) == work.trimmed


def test_the_reference_in_a_new_file_is_the_same_code(bench: ModuleType, tmp_path: Path) -> None:
    workload = importlib.import_module("bench.workload")
    work = workload.Work(9)
    expected = prepare_context(*work.arguments())

    assert workload.fresh_reference(tmp_path, "anew").prepare_context(*work.arguments()) == expected
    assert workload.deepcopy_reference().prepare_context(*work.arguments()) == expected


@pytest.mark.parametrize(
    ("figure", "limit", "least", "words"),
    [
        (3.0, 3.0, False, "reached"),
        (3.25, 3.0, False, "not reached, by 0.25"),
        (10.0, 10, True, "reached"),
        (8.5, 10, True, "not reached, by 1.50"),
    ],
)
def test_a_figure_is_judged_by_its_limit(
    bench: ModuleType, figure: float, limit: float, least: bool, words: str
) -> None:
    report = importlib.import_module("bench.report")
    row = report.Row("what", figure, limit, least=least, details=["more"])

    assert row.reached is (words == "reached")
    assert row.lines() == [
        f"{figure:8.2f} {'>=' if least else '<='} {limit:g}".ljust(26) + f" {words:<26} what",
        " " * 10 + "more",
    ]
    assert report.closing([row, row]).startswith("2 of 2" if row.reached else "0 of 2")


def test_ratios_are_taken_within_one_round(bench: ModuleType) -> None:
    timing = importlib.import_module("bench.timing")

    assert timing.ratio({"a": [2.0, 40.0, 3.0], "b": [1.0, 10.0, 1.0]}, "a", "b") == 3.0


@pytest.mark.parametrize("kind", ["conversation", "one_question"])
def test_a_history_for_strategies_is_sound_and_has_its_size(bench: ModuleType, kind: str) -> None:
    make = getattr(importlib.import_module("bench.chat_workload"), kind)
    for size in (9, 10, 11, 12, 101):
        for seed in range(20):
            history = make(size, seed)
            assert len(history) == size
            assert history[-1]["role"] == "tool"
            assert diagnose(history, "openai-chat") == []
    roles = [message["role"] for message in history]
    calls = [message for message in history if message.get("tool_calls")]
    assert roles.count("user") == 1 if kind == "one_question" else roles.count("user") > 5
    assert {message["content"] is None for message in calls} == {True, False}
    assert max(len(message["tool_calls"]) for message in calls) > 1
    assert make(101, 3) == make(101, 3) != make(101, 4)


def test_strategies_are_measured_without_their_peers(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("langchain", "langchain_core", "llama_index", "pydantic_ai"):
        monkeypatch.setitem(sys.modules, package, None)
    strategies = importlib.import_module("bench.strategies")
    assert {pair.strategy for pair in strategies.PAIRS} == set(STRATEGIES)

    for pair in strategies.PAIRS:
        lines = strategies.measured(pair, {11: 1}, samples=1).lines()
        timed, sampled = lines[3:5]
        assert re.match(r" {4}11 +[\d.]+ ms ", timed) or "refused" in timed
        assert sampled.startswith("    1 x 101 ")
        assert timed.endswith("not installed") is sampled.endswith("not installed") is bool(pair.peer)


def test_what_a_preparation_leaves_broken_is_named(bench: ModuleType) -> None:
    strategies = importlib.import_module("bench.strategies")
    history = importlib.import_module("bench.chat_workload").one_question(101)
    start = next(at for at, message in enumerate(history) if message["role"] == "tool")

    def leaving(made: list[dict[str, Any]]) -> str:
        return strategies.left(strategies.Case(lambda: made, lambda same: same), history).text()

    def failing() -> list[dict[str, Any]]:
        raise OSError

    assert leaving(history) == "101 messages"
    assert leaving(history[:1]) == "1 message, pinned_text_missing 1"
    assert leaving([*history[:2], history[start]]) == "3 messages, orphan_tool_message 1"
    assert strategies.left(strategies.Case(failing, list), history).text() == "failed OSError"


def test_an_unknown_part_is_named(root: Path) -> None:
    command = [sys.executable, "-m", "tools.bench", "peers", "sizes"]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=60)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "bench: sizes: not one of recorder, reference, peers, player, strategies\n"

"""Each fault of the naive policy breaks a law that ours keeps, on the same input."""

from copy import deepcopy
from types import ModuleType
from typing import Any

import pytest
from chat_histories import new_findings
from naive import policy as naive

from ctxlab.reference import policy as ours

BOTH = pytest.mark.parametrize("module", [naive, ours], ids=["naive", "ours"])

Message = dict[str, Any]
TASK = {"role": "user", "content": "Check the logs. Ask before you delete anything."}
SYSTEM = {"role": "system", "content": "Be short."}


def exchange(number: int, calls: int = 1, size: int = 400) -> list[Message]:
    """An assistant's message with calls, and a result for each."""
    ids = [f"call_{number}_{letter}" for letter in "abc"[:calls]]
    function = {"name": "read_log", "arguments": "{}"}
    requests = [{"id": one, "type": "function", "function": function} for one in ids]
    results = [{"role": "tool", "tool_call_id": one, "content": "x" * size} for one in ids]
    return [{"role": "assistant", "content": None, "tool_calls": requests}, *results]


def history(*exchanges: list[Message], head: tuple[Message, ...] = (SYSTEM, TASK)) -> list[Message]:
    return [*head, *(message for one in exchanges for message in one)]


def steps_of(module: ModuleType, number: int, brief: str = "") -> list[Any]:
    return [module.Step(turn, "read_log", "ok", brief, full_output="x" * 400) for turn in range(number)]


def compacted(
    module: ModuleType, messages: list[Message], steps: list[Any], keep: int = 2, **named: Any
) -> tuple[list[Message], Any]:
    """Compact a copy of `messages`, whose trigger is at 480 tokens."""
    policy = module.CompactionPolicy(800, 0.6, keep, 1.0, **named)
    return module.compact(deepcopy(messages), steps, policy)


@BOTH
def test_fixed_slices_overlap_on_a_short_history(module: ModuleType) -> None:
    # Six messages: the first three and the last four are seven.
    messages = history(exchange(1, size=600), exchange(2, size=600))
    result, _ = compacted(module, messages, steps_of(module, 3), keep=2)
    calls = [message["tool_calls"][0]["id"] for message in result if message.get("tool_calls")]
    assert calls.count("call_1_a") == (2 if module is naive else 1)


@BOTH
def test_a_fixed_slice_cuts_parallel_exchanges(module: ModuleType) -> None:
    messages = history(exchange(1), exchange(2), exchange(3, 3, 100), exchange(4, 2, 100))
    result, _ = compacted(module, messages, steps_of(module, 7), keep=2)
    # The last four messages begin with a result of the third exchange, whose call is gone.
    orphans = [one for code, one in new_findings(messages, result) if code == "orphan_tool_message"]
    assert orphans == (["call_3_c"] if module is naive else [])


@BOTH
def test_the_first_call_stays_without_its_result(module: ModuleType) -> None:
    messages = history(*map(exchange, range(1, 6)))
    result, _ = compacted(module, messages, steps_of(module, 5), keep=2)
    alone = [one for code, one in new_findings(messages, result) if code == "unanswered_tool_use"]
    assert alone == (["call_1_a"] if module is naive else [])


@BOTH
def test_a_pin_at_index_2_lands_between_a_call_and_its_result(module: ModuleType) -> None:
    messages = history(exchange(1, size=10), head=(TASK,))
    result, _ = compacted(module, messages, steps_of(module, 1, "Port 8443."))
    assert "Port 8443." in str(result)
    codes = sorted(code for code, _ in new_findings(messages, result))
    assert codes == (["result_not_in_next_message"] if module is naive else [])


@BOTH
def test_each_run_adds_another_pin(module: ModuleType) -> None:
    messages, steps = history(exchange(1, size=10)), steps_of(module, 1, "Port 8443.")
    for _ in range(3):
        messages, _ = compacted(module, messages, steps)
    assert str(messages).count("Port 8443.") == (3 if module is naive else 1)


@BOTH
def test_the_input_is_changed_in_place(module: ModuleType) -> None:
    messages, steps = (
        history(exchange(1, size=1000), *map(exchange, range(2, 5))),
        steps_of(module, 4, "Fine."),
    )
    policy = module.CompactionPolicy(900, 0.6, 2, 0.2)
    before, logged = deepcopy(messages), deepcopy(steps)
    module.compact(messages, steps, policy)
    assert (messages == before) == (module is ours)
    assert (steps == logged) == (module is ours)


@BOTH
def test_the_event_says_nothing_to_do_although_a_pin_was_inserted(module: ModuleType) -> None:
    messages = history(exchange(1, size=10))
    result, events = compacted(module, messages, steps_of(module, 1, "Port 8443."))
    assert len(result) == len(messages) + 1
    assert events == ("nothing to do" if module is naive else [{"event": "pinned", "conclusions": 1}])


@BOTH
def test_the_summariser_is_never_called(module: ModuleType) -> None:
    asked: list[str] = []

    def summarize(text: str) -> str:
        asked.append(text)
        return "Five logs are read."

    messages = history(*map(exchange, range(1, 6)))
    result, _ = compacted(module, messages, steps_of(module, 5), summarize=summarize)
    assert len(asked) == (0 if module is naive else 1)
    assert ("Five logs are read." in str(result)) == (module is ours)


@BOTH
def test_with_few_steps_a_history_over_the_trigger_passes_silently(module: ModuleType) -> None:
    messages = history(*(exchange(number, size=250) for number in range(1, 6)))
    result, events = compacted(module, messages, steps_of(module, 2))
    assert module.size_of(messages) > 480
    assert (module.size_of(result) > 480) == (module is naive)
    if module is naive:
        assert (result, events) == (messages, "nothing to do")
    else:
        assert [event["event"] for event in events] == ["summarised"]

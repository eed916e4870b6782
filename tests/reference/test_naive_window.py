"""Each fault of the naive window breaks a law that ours keeps, on the same input."""

from types import ModuleType
from typing import Any

import pytest
from chat_histories import new_findings
from naive import window as naive

from ctxlab.reference import window as ours

BOTH = pytest.mark.parametrize("module", [naive, ours], ids=["naive", "ours"])

SYSTEM = {"role": "system", "content": "Ask before you delete anything."}
ASK = {"role": "user", "content": "Check the notes."}
AGAIN = {"role": "user", "content": "And now?"}
SAID = "I read both files."


def call(content: str | None, *ids: str) -> dict[str, Any]:
    function = {"name": "read_file", "arguments": '{"path": "notes.txt"}'}
    calls = [{"id": one, "type": "function", "function": function} for one in ids]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def result(of: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": of, "content": "All is well. " * 20}


def filled(module: ModuleType, messages: list[Any], *limits: int) -> Any:
    window = module.ContextWindow(*limits)
    for message in messages:
        window.add(message)
    return window


@BOTH
def test_eviction_by_position_orphans_the_second_of_two_results(module: ModuleType) -> None:
    messages = [call(SAID, "a", "b"), result("a"), result("b"), AGAIN]
    kept = filled(module, messages, 3).messages

    orphans = {("orphan_tool_message", "b"): 1} if module is naive else {}
    assert new_findings(messages, kept) == orphans


@BOTH
def test_a_call_without_text_is_not_seen_as_a_call(module: ModuleType) -> None:
    messages = [call(None, "a"), result("a"), AGAIN]
    kept = filled(module, messages, 2).messages

    orphans = {("orphan_tool_message", "a"): 1} if module is naive else {}
    assert new_findings(messages, kept) == orphans


@BOTH
def test_the_system_message_goes_first(module: ModuleType) -> None:
    kept = filled(module, [SYSTEM, ASK, AGAIN], 2).messages

    assert kept == ([ASK, AGAIN] if module is naive else [SYSTEM, AGAIN])


@BOTH
def test_the_token_limit_is_never_looked_at(module: ModuleType) -> None:
    long = {"role": "user", "content": "All is well. " * 20}
    kept = filled(module, [ASK, long, AGAIN], 20, 82).messages

    assert kept == ([ASK, long, AGAIN] if module is naive else [AGAIN])


@BOTH
def test_search_finds_none_in_a_null_and_misses_arguments(module: ModuleType) -> None:
    window = filled(module, [call(None, "a"), result("a"), ASK, AGAIN], 2)

    assert window.search_archived("none") == ([call(None, "a")] if module is naive else [])
    assert window.search_archived("notes.txt") == ([] if module is naive else [call(None, "a")])

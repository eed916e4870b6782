"""Each fault of the naive packing breaks a law that ours keeps, on the same input."""

from types import ModuleType
from typing import Any

import pytest
from chat_histories import new_findings
from naive import packing as naive

from ctxlab.errors import Refusal
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.reference import packing as ours

BOTH = pytest.mark.parametrize("module", [naive, ours], ids=["naive", "ours"])

ASK = {"role": "user", "content": "Check the notes."}
AGAIN = {"role": "user", "content": "And now?"}


def call(*ids: str) -> dict[str, Any]:
    function = {"name": "read_file", "arguments": '{"path": "notes.txt"}'}
    calls = [{"id": one, "type": "function", "function": function} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(of: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": of, "content": "All is well."}


def packed(module: ModuleType, messages: list[Any], *limits: int) -> tuple[list[Any], Any]:
    """Return the whole context, and what ours says of the rest."""
    built = module.ContextManager(*limits).build_safe_context("You keep notes.", "Check.", None, messages)
    return (built, None) if module is naive else built


def broken(context: list[Any]) -> list[tuple[str, str | None]]:
    return [(finding.code, finding.id) for finding in diagnose(context, "openai-chat")]


@BOTH
def test_a_call_with_one_of_its_two_results_is_packed(module: ModuleType) -> None:
    context, left_out = packed(module, [ASK, call("a", "b"), result("a"), AGAIN])

    assert broken(context) == ([("unanswered_tool_use", "b")] if module is naive else [])
    assert left_out == (None if module is naive else [ours.LeftOut(1, 3, "unanswered")])


@BOTH
def test_a_stray_result_is_a_group_of_its_own(module: ModuleType) -> None:
    # The budget ends between a call and its late result: a new fault, made by packing.
    messages = [call("a"), {"role": "user", "content": "word " * 200}, result("a"), AGAIN]
    context, left_out = packed(module, messages, 100, 10)

    orphans = {("orphan_tool_message", "a"): 1} if module is naive else {}
    assert new_findings(messages, context) == orphans
    assert left_out == (
        None
        if module is naive
        else [
            ours.LeftOut(0, 1, "unanswered"),
            ours.LeftOut(1, 2, "over_budget"),
            ours.LeftOut(2, 3, "orphaned"),
        ]
    )


@BOTH
def test_a_foreign_result_joins_a_group(module: ModuleType) -> None:
    context, left_out = packed(module, [ASK, call("a"), result("a"), result("of_nobody"), AGAIN])

    assert broken(context) == ([("orphan_tool_message", "of_nobody")] if module is naive else [])
    assert left_out == (None if module is naive else [ours.LeftOut(1, 4, "foreign")])


@BOTH
def test_a_newest_message_that_is_too_long_leaves_the_anchors_alone(module: ModuleType) -> None:
    messages = [ASK, {"role": "user", "content": "word " * 200}]
    if module is naive:
        context, _ = packed(module, messages, 100, 10)
        assert [message["role"] for message in context] == ["system", "user"]
    else:
        with pytest.raises(Refusal, match="the newest whole group, have 201 tokens") as refusal:
            packed(module, messages, 100, 10)
        assert refusal.value.code == "newest_too_large"

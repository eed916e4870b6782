"""Each fault of the naive state breaks a law that ours keeps, on the same input."""

from types import ModuleType
from typing import Any

import pytest
from chat_histories import new_findings, shares
from naive import state as naive

from ctxlab.errors import Refusal
from ctxlab.reference import state as ours

BOTH = pytest.mark.parametrize("module", [naive, ours], ids=["naive", "ours"])

CALL = {"id": "a", "type": "function", "function": {"name": "count", "arguments": "{}"}}
EXCHANGE = [
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "a", "content": "4,812 records"},
]
TALK = [{"role": ("user", "assistant")[n % 2], "content": f"turn {n}"} for n in range(9)]


def after(module: ModuleType, *names: str) -> Any:
    state = module.AgentState(task_id="t", goal="Count", pending_steps=["read", "sum"])
    for name in names:
        state = state.advance_step(name, f"{name} is done")
    return state


@BOTH
def test_the_last_ten_messages_begin_with_a_result(module: ModuleType) -> None:
    messages = module.build_messages(module.TaskState("Count"), "Go on.", [*EXCHANGE, *TALK])

    orphans = {("orphan_tool_message", "a"): 1} if module is naive else {}
    assert new_findings(EXCHANGE + TALK, messages) == orphans


@BOTH
def test_the_input_turns_an_open_call_into_one_without_a_result(module: ModuleType) -> None:
    history = [*TALK[:2], EXCHANGE[0]]
    messages = module.build_messages(module.TaskState("Count"), "Are you there?", history)

    unanswered = {("unanswered_tool_use", "a"): 1} if module is naive else {}
    assert new_findings(history, messages) == unanswered


@BOTH
def test_a_request_shares_its_messages_with_the_history(module: ModuleType) -> None:
    messages = module.build_messages(module.TaskState("Count"), "Go on.", TALK)

    assert shares(messages, TALK) == (module is naive)


@BOTH
def test_dots_stand_behind_a_result_that_is_whole(module: ModuleType) -> None:
    task = module.SubTask("s1", "Count", "completed", "4,812 records")
    text = module.TaskState("Count", completed_subtasks=[task]).to_context_string()

    assert ("4,812 records..." in text) == (module is naive)


@BOTH
def test_empty_sections_stand_in_the_text_and_blockers_do_not(module: ModuleType) -> None:
    text = module.TaskState("Count", blockers=["No key"]).to_context_string()

    assert ("Pending:" in text, "No key" in text) == ((True, False) if module is naive else (False, True))


@BOTH
@pytest.mark.parametrize("kind", ["TaskState", "AgentState"])
def test_the_goal_can_be_changed(module: ModuleType, kind: str) -> None:
    state = module.TaskState("Count") if kind == "TaskState" else after(module)
    try:
        state.goal = "Delete"
    except Refusal:
        assert module is ours
    assert state.goal == ("Delete" if module is naive else "Count")


@BOTH
def test_an_unknown_step_passes_silently(module: ModuleType) -> None:
    if module is naive:
        assert after(module, "raed").completed_steps == ["raed"]
    else:
        with pytest.raises(Refusal, match="there is no step 'raed'"):
            after(module, "raed")


@BOTH
def test_a_repeated_step_is_appended_twice(module: ModuleType) -> None:
    if module is naive:
        assert after(module, "read", "read").completed_steps == ["read", "read"]
    else:
        with pytest.raises(Refusal, match="the step 'read' is completed already"):
            after(module, "read", "read")


@BOTH
def test_a_step_changes_the_state_that_the_caller_has(module: ModuleType) -> None:
    state = after(module)
    state.advance_step("read", "done")

    assert state.pending_steps == (["sum"] if module is naive else ["read", "sum"])


@BOTH
def test_any_phase_follows_any_other(module: ModuleType) -> None:
    state = after(module)
    try:
        state.phase = "completed"
    except Refusal:
        assert module is ours
    assert state.phase == ("completed" if module is naive else "initializing")

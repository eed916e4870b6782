"""Packing: anchors, then the newest whole groups without a hole, and a report of the rest."""

from copy import deepcopy
from typing import Any

import pytest
from chat_histories import histories, new_findings, shares
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.counting import TokenCounter
from ctxlab.reference.costs import estimated_tokens
from ctxlab.reference.groups import groups_of
from ctxlab.reference.packing import ContextManager, LeftOut

PROMPT, GOAL, STATE = "You keep notes.", "Check the notes.", "Two files are read."
ANCHORS = [
    {"role": "system", "content": PROMPT},
    {"role": "user", "content": f"Goal of the task:\n{GOAL}"},
    {"role": "user", "content": f"State of the work, for reference only:\n{STATE}"},
]
ASK = {"role": "user", "content": "Why?"}
LONG = {"role": "user", "content": "word " * 100}


def call(*ids: str) -> dict[str, Any]:
    function = {"name": "read_file", "arguments": '{"path": "notes.txt"}'}
    calls = [{"id": one, "type": "function", "function": function} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(of: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": of, "content": "done"}


def tokens_of(messages: list[Any]) -> int:
    return sum(map(TokenCounter().count_message, messages))


def packed(messages: list[Any], room: int, *, state: str | None = STATE) -> tuple[list[Any], list[Any]]:
    """Pack with `room` tokens beside the anchors. Returns the history that is in, and what is left out."""
    anchors = ANCHORS if state else ANCHORS[:2]
    manager = ContextManager(tokens_of(anchors) + room + 500, 500)
    context, left_out = manager.build_safe_context(PROMPT, GOAL, state, messages)
    assert context[: len(anchors)] == anchors
    return context[len(anchors) :], left_out


def refused(function: Any, *arguments: Any, **named: Any) -> tuple[str, str]:
    with pytest.raises(Refusal) as refusal:
        function(*arguments, **named)
    return refusal.value.code, str(refusal.value)


@settings(max_examples=100, deadline=None)
@given(histories(8), st.integers(40, 6000) | st.just(10**6), st.sampled_from([None, STATE]))
def test_packing_keeps_the_laws(messages, max_tokens, state):
    before, groups = deepcopy(messages), groups_of(messages)
    whole = [group for group in groups if not group.fault]
    sizes = [tokens_of(messages[group.start : group.stop]) for group in whole]
    manager = ContextManager(max_tokens, 10)
    anchors = ANCHORS if state else ANCHORS[:2]
    room = max_tokens - 10 - tokens_of(anchors)
    if room <= 0 or (sizes and sizes[-1] > room):
        code, _ = refused(manager.build_safe_context, PROMPT, GOAL, state, messages)
        assert code == ("anchors_too_large" if room <= 0 else "newest_too_large")
        return
    context, left_out = manager.build_safe_context(PROMPT, GOAL, state, messages)
    assert messages == before
    assert not shares(context, messages)
    assert not new_findings(messages, context)
    assert tokens_of(context) <= max_tokens - 10

    # The newest whole groups are in, as many as fit, and each other group is reported.
    over = [group for group in whole if group.start in {one.start for one in left_out}]
    kept = whole[len(over) :]
    assert over == whole[: len(over)]
    assert context == [*anchors, *(one for group in kept for one in messages[group.start : group.stop])]
    assert not over or sum(sizes[len(over) - 1 :]) > room
    assert left_out == [
        LeftOut(group.start, group.stop, group.fault or "over_budget")
        for group in groups
        if group not in kept
    ]


def test_the_newest_groups_are_loaded_without_a_hole():
    messages = [ASK, LONG, call("a", "b"), result("b"), result("a"), ASK]
    newest = messages[2:]

    assert packed(messages, 10**4) == (messages, [])
    room = tokens_of(newest)
    assert packed(messages, room) == (newest, [LeftOut(0, 1, "over_budget"), LeftOut(1, 2, "over_budget")])
    # One token less: the exchange goes as a whole, and the short question before it stays out too.
    left_out = [LeftOut(at, stop, "over_budget") for at, stop in ((0, 1), (1, 2), (2, 5))]
    assert packed(messages, room - 1) == ([ASK], left_out)


def test_broken_groups_are_reported_and_leave_no_half_behind():
    messages = [call("a", "b"), result("a"), ASK, result("x"), ASK, call("c"), result("d"), ASK, call("e")]

    context, left_out = packed(messages, 10**4)
    assert context == [ASK, ASK, ASK]
    assert left_out == [
        LeftOut(0, 2, "unanswered"),
        LeftOut(3, 4, "orphaned"),
        LeftOut(5, 7, "foreign"),
        LeftOut(8, 9, "open"),
    ]
    assert packed([call("a")], 10**4) == ([], [LeftOut(0, 1, "open")])


def test_a_newest_group_that_is_too_large_is_refused_even_behind_an_open_exchange():
    tokens = tokens_of([LONG])
    with pytest.raises(Refusal) as refusal:
        packed([ASK, LONG, call("a")], tokens - 1)
    assert refusal.value.code == "newest_too_large"
    assert f"messages 1 to 1, the newest whole group, have {tokens} tokens" in str(refusal.value)
    assert f"there is room for {tokens - 1}" in str(refusal.value)


def test_anchors_need_less_than_the_whole_budget():
    assert packed([], 1) == ([], [])
    assert packed([ASK], 10, state=None) == ([ASK], [])
    assert ContextManager().build_safe_context(PROMPT, GOAL, " ", []) == (ANCHORS[:2], [])
    for room in (0, -1):
        with pytest.raises(Refusal, match=f"have {tokens_of(ANCHORS)} tokens") as refusal:
            packed([], room)
        assert refusal.value.code == "anchors_too_large"


def test_by_the_estimate_a_chinese_context_is_over_its_budget():
    chinese = {"role": "user", "content": "会议记录放在第二个文件里，请先检查，再删除旧的日志。" * 20}
    limit = 400

    estimating = ContextManager(limit, 0, cost=estimated_tokens)
    context, left_out = estimating.build_safe_context(PROMPT, GOAL, None, [chinese])
    assert left_out == []
    assert tokens_of(context) > limit
    code, _ = refused(ContextManager(limit, 0).build_safe_context, PROMPT, GOAL, None, [chinese])
    assert code == "newest_too_large"


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        ((0, 0), "max_tokens is 0"),
        ((True,), "max_tokens is True"),
        ((8000, -1), "reserve_output_tokens is -1"),
        ((8000, 1.5), "reserve_output_tokens is 1.5"),
        ((1500, 1500), "reserve less than the maximum"),
    ],
)
def test_limits_that_are_none_are_refused(limits, problem):
    code, text = refused(ContextManager, *limits)
    assert (code, problem in text) == ("bad_argument", True)


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("", GOAL, None, []), "bad_argument", "system_prompt is ''"),
        ((PROMPT, " ", None, []), "bad_argument", "initial_user_goal is ' '"),
        ((PROMPT, GOAL, 7, []), "bad_argument", "current_state_summary is 7"),
        (("\ud800", GOAL, None, []), "not_a_history", "system_prompt has no UTF-8 JSON"),
        ((PROMPT, "\ud800", None, []), "not_a_history", "initial_user_goal has no UTF-8 JSON"),
        ((PROMPT, GOAL, "\ud800", []), "not_a_history", "current_state_summary has no UTF-8 JSON"),
        ((PROMPT, GOAL, None, "text"), "not_a_history", "a str, not a list"),
        ((PROMPT, GOAL, None, [{"role": "robot"}]), "not_a_history", "message 0 has the role 'robot'"),
    ],
)
def test_arguments_that_cannot_be_packed_are_refused(arguments, code, problem):
    found, text = refused(ContextManager().build_safe_context, *arguments)
    assert (found, problem in text) == (code, True)


def test_a_cost_that_is_no_number_is_refused_with_its_place():
    manager = ContextManager(cost=lambda message: "ten" if message["content"] == "Why?" else 10)
    code, text = refused(manager.build_safe_context, PROMPT, GOAL, None, [LONG, ASK, LONG])
    assert (code, text) == ("bad_argument", "cost returned 'ten' for message 1, not a number of tokens")

"""Groups: the whole history in order, each with its fault."""

import pytest
from chat_histories import histories, sound
from hypothesis import given

from ctxlab.errors import Refusal
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.pairing import legal_cuts
from ctxlab.reference.groups import Group, groups_of, head_length


def call(*ids: object) -> dict[str, object]:
    calls = [{"id": one, "type": "function", "function": {"name": "f", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(of: object) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": of, "content": "done"}


ASK = {"role": "user", "content": "Why?"}
SYSTEM = {"role": "system", "content": "Be short."}


@pytest.mark.parametrize(
    ("messages", "groups"),
    [
        ([], []),
        ([SYSTEM, ASK], [Group(0, 1), Group(1, 2)]),
        ([ASK, call("a", "b"), result("b"), result("a"), ASK], [Group(0, 1), Group(1, 4), Group(4, 5)]),
        ([ASK, call("a")], [Group(0, 1), Group(1, 2, "open")]),
        ([ASK, call("a", "b"), result("b")], [Group(0, 1), Group(1, 3, "open")]),
        ([call("a", "b"), result("b"), ASK], [Group(0, 2, "unanswered"), Group(2, 3)]),
        ([call("a"), ASK, result("a")], [Group(0, 1, "unanswered"), Group(1, 2), Group(2, 3, "orphaned")]),
        ([result("a"), result("b"), ASK], [Group(0, 2, "orphaned"), Group(2, 3)]),
        ([call("a"), result("b")], [Group(0, 2, "foreign")]),
        ([call("a"), result("a"), result("a")], [Group(0, 3, "foreign")]),
        ([call("a", "a"), result("a")], [Group(0, 2, "foreign")]),
        ([call(""), result("")], [Group(0, 2, "foreign")]),
        ([call(None), ASK], [Group(0, 1, "foreign"), Group(1, 2)]),
        ([call(["a"]), result({"a": 1})], [Group(0, 2, "foreign")]),
        ([call("a"), result(["a"])], [Group(0, 2, "foreign")]),
        ([result(["a"])], [Group(0, 1, "orphaned")]),
        ([{"role": "assistant", "content": "Yes.", "tool_calls": []}], [Group(0, 1)]),
    ],
)
def test_groups_and_their_faults(messages, groups):
    assert groups_of(messages) == groups


@given(histories())
def test_the_groups_are_the_whole_history_and_never_cut_inside_an_exchange(messages):
    groups = groups_of(messages)

    assert [index for group in groups for index in range(group.start, group.stop)] == list(
        range(len(messages))
    )
    assert {group.start for group in groups} <= set(legal_cuts(messages, "openai-chat"))


@given(sound())
def test_a_sound_history_has_no_faults(messages):
    assert {group.fault for group in groups_of(messages)} <= {""}
    assert diagnose(messages, "openai-chat") == []


def test_what_is_no_chat_history_is_refused():
    with pytest.raises(Refusal, match="message 1 has the role None") as refused:
        groups_of([ASK, {"content": "x"}])
    assert refused.value.code == "not_a_history"


def test_the_head_is_the_leading_system_messages():
    developer = {"role": "developer", "content": "Be short."}

    assert [head_length(list(one)) for one in ([], [ASK, SYSTEM], [SYSTEM, developer, ASK, SYSTEM])] == [
        0,
        0,
        2,
    ]

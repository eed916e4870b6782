"""The findings of the histories that a run began with and ended with."""

from typing import Any

import pytest

from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.player.faults import MOST_MESSAGES, faults
from ctxlab.player.masking import mask_for
from ctxlab.player.payload import payload
from ctxlab.reference import prepare_context, split_history
from ctxlab.tracer.run import trace

ACTIVE, CANDIDATE = 0, 1

TEXT = {"role": "user", "content": "Go on."}


def call(one: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": one, "name": "f", "input": {}}]}


def result(one: str, text: str = "x") -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": one, "content": text}]}


def places(run: Any) -> list[tuple[int, int, int, str]]:
    return [(one["which"], one["version"], one["message"], one["code"]) for one in faults(run)[0]]


def without_first_result(messages):
    candidate = []
    candidate.extend(messages[:2])
    candidate.extend(messages[3:])
    return candidate


def in_place(messages):
    del messages[2]
    del messages[2:4]


def test_the_input_and_what_was_returned() -> None:
    history = [TEXT, call("a"), result("a"), call("b"), result("b", "")]
    run = trace(without_first_result, history)
    found, looked_at = faults(run)
    assert looked_at == [[ACTIVE, 1], [CANDIDATE, 2]]
    assert all(one["which"] == CANDIDATE and one["version"] == 2 for one in found)
    returned = [*history[:2], *history[3:]]
    assert [{key: one[key] for key in ("code", "message", "text", "fix")} for one in found] == [
        {"code": one.code, "message": one.message, "text": one.text, "fix": one.fix}
        for one in diagnose(returned)
    ]
    assert places(run)[0] == (CANDIDATE, 2, 1, "unanswered_tool_use")


def test_a_history_that_was_changed_in_place_has_two_versions_to_look_at() -> None:
    run = trace(in_place, [TEXT, call("a"), result("a"), call("b"), result("c")])
    assert faults(run)[1] == [[ACTIVE, 1], [ACTIVE, 3]]
    before = [one for one in places(run) if one[1] == 1]
    after = [one for one in places(run) if one[1] == 3]
    assert before == [(ACTIVE, 1, 3, "unanswered_tool_use"), (ACTIVE, 1, 4, "orphan_tool_result")]
    assert after == [(ACTIVE, 3, 1, "open_exchange")]


def test_a_run_that_is_refused_still_has_its_input() -> None:
    run = trace(split_history, scenario="pending")
    assert faults(run)[1] == [[ACTIVE, 1]]
    assert [one[3] for one in places(run)] == ["open_exchange"]


@pytest.mark.parametrize("scenario", ["summary", "trim", "multi", "error"])
def test_a_sound_run_has_no_findings(scenario: str) -> None:
    run = trace(prepare_context, scenario=scenario)
    assert faults(run)[0] == []
    assert [which for which, _ in faults(run)[1]] == [ACTIVE, CANDIDATE]


def turned_to_chat(messages):
    return [messages[0], {"role": "tool", "tool_call_id": "a", "content": "x"}]


def test_each_history_is_read_in_its_own_shape() -> None:
    run = trace(turned_to_chat, [TEXT, result("a")])
    assert places(run) == [(ACTIVE, 1, 1, "orphan_tool_result"), (CANDIDATE, 1, 1, "orphan_tool_message")]


def same(messages):
    return messages[:]


def test_a_long_history_is_left_out() -> None:
    run = trace(same, [TEXT] * (MOST_MESSAGES + 1))
    assert faults(run) == ([], [])
    assert faults(trace(same, []))[1] == []


def test_a_page_holds_them_and_masks_what_they_quote() -> None:
    secret = "sk-ant-" + "api03-" + "x7Qm2Lp9" * 8
    run = trace(same, [TEXT, result(secret)])
    shown = payload(run)
    assert shown["diagnosed"] == [[ACTIVE, 1], [CANDIDATE, 1]]
    assert [one["id"] for one in shown["findings"]] == [secret, secret]
    masked = payload(run, mask=mask_for("mask", [run], {}))
    assert [one["code"] for one in masked["findings"]] == [one["code"] for one in shown["findings"]]
    assert secret not in str(masked)
    assert "masked" in masked["findings"][0]["text"]

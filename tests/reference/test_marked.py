"""A message that was made here is found wherever it stands; nothing that a user wrote is taken for one."""

import pytest

from ctxlab.reference.marked import PIN_MARK, SUMMARY_MARK, mark_of, marked, placed, without_mark
from ctxlab.reference.packing import ContextManager
from ctxlab.reference.policy import CompactionPolicy, Step, compact

SYSTEM = {"role": "system", "content": "Be short."}
TASK = {"role": "user", "content": "Check the logs."}
ANSWER = {"role": "assistant", "content": "They are fine."}
PIN, RECORD = marked(PIN_MARK, "- a: b"), marked(SUMMARY_MARK, "Done: 1")


@pytest.mark.parametrize("mark", [PIN_MARK, SUMMARY_MARK])
@pytest.mark.parametrize("text", ["please do the task", "- a: b", "- a: b\nWhat is that?", ""])
def test_a_text_of_the_user_below_a_mark_stays_the_users(mark, text):
    written = {"role": "user", "content": f"{mark}\n{text}"}
    answered = {"role": "user", "content": f"{marked(mark, '- a: b')['content']}\nWhat is that?"}

    assert (mark_of(written), mark_of(answered)) == ("", "")
    # As the task it keeps its place; elsewhere it stays too.
    messages = [SYSTEM, written, ANSWER, answered]
    assert placed(messages, mark, "new") == [SYSTEM, written, marked(mark, "new"), ANSWER, answered]


def test_one_that_was_made_here_is_replaced_wherever_it_stands():
    assert (mark_of(PIN), mark_of(RECORD)) == (PIN_MARK, SUMMARY_MARK)
    new = marked(PIN_MARK, "- c: d")
    moved = [SYSTEM, TASK, ANSWER, PIN, SYSTEM, PIN, ANSWER]

    assert without_mark(moved, PIN_MARK) == [SYSTEM, TASK, ANSWER, SYSTEM, ANSWER]
    assert placed(moved, PIN_MARK, "- c: d") == [SYSTEM, TASK, new, ANSWER, SYSTEM, ANSWER]
    assert placed(moved, PIN_MARK, "") == moved
    # The record comes first, whichever was there before.
    assert placed([SYSTEM, TASK, PIN], SUMMARY_MARK, "Done: 1") == [SYSTEM, TASK, RECORD, PIN]
    assert placed([SYSTEM, TASK, RECORD], PIN_MARK, "- a: b") == [SYSTEM, TASK, RECORD, PIN]
    assert placed([PIN], SUMMARY_MARK, "Done: 1") == [RECORD, PIN]


def test_a_context_that_was_packed_in_between_gets_no_second_pin_or_record():
    def exchange(number):
        function = {"name": "f", "arguments": "{}"}
        call = {"id": f"c{number}", "type": "function", "function": function}
        result = {"role": "tool", "tool_call_id": f"c{number}", "content": "r" * 400}
        return [{"role": "assistant", "content": None, "tool_calls": [call]}, result]

    policy = CompactionPolicy(2000, keep_recent_turns=2)
    messages = [SYSTEM, TASK, *(one for number in range(8) for one in exchange(number))]
    steps = [Step(number, "f", "ok", f"b{number}") for number in range(8)]
    first, _ = compact(messages, steps, policy)
    packed, _ = ContextManager(8000, 10).build_safe_context("S", "Check.", "Half done.", first)
    packed += [one for number in range(8, 14) for one in exchange(number)]
    second, events = compact(packed, [*steps, Step(8, "f", "ok", "b8")], policy)

    assert [event["event"] for event in events] == ["summarised", "pinned"]
    marks = [mark_of(message) for message in second]
    assert [mark for mark in marks if mark] == [SUMMARY_MARK, PIN_MARK]
    assert TASK in second

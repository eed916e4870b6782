"""Compaction by a policy: results trimmed, old exchanges replaced by a record of the steps, one pin."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from chat_histories import histories, new_findings, shares
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.reference.groups import groups_of
from ctxlab.reference.marked import PIN_MARK, SUMMARY_MARK
from ctxlab.reference.policy import (
    CompactionPolicy,
    Step,
    compact,
    fingerprint,
    size_of,
    structured_summary,
)

Message = dict[str, Any]
History = list[Message]

SYSTEM = {"role": "system", "content": "Be short."}
TASK = {"role": "user", "content": "Check the logs. Ask before you delete anything."}
RULE = {"role": "user", "content": "Never touch log 7."}
ANSWER = {"role": "assistant", "content": "I will not."}


def exchange(number: int, calls: int = 1, size: int = 400) -> History:
    """An assistant's message with calls, and a result for each."""
    ids = [f"call_{number}_{letter}" for letter in "abc"[:calls]]
    function = {"name": "read_log", "arguments": "{}"}
    requests = [{"id": one, "type": "function", "function": function} for one in ids]
    results = [{"role": "tool", "tool_call_id": one, "content": "x" * size} for one in ids]
    return [{"role": "assistant", "content": None, "tool_calls": requests}, *results]


def history(*parts: History | Message, head: tuple[Message, ...] = (SYSTEM, TASK)) -> History:
    return [*head, *(one for part in parts for one in (part if isinstance(part, list) else [part]))]


def log(number: int) -> list[Step]:
    return [
        Step(turn, "read_log", "ok", f"Log {turn} is fine.", full_output="x" * 400) for turn in range(number)
    ]


def policy(window: int = 1000, keep: int = 2, **named: Any) -> CompactionPolicy:
    return CompactionPolicy(window, **{"keep_recent_turns": keep, "max_single_obs_ratio": 1.0} | named)


def own(messages: History, mark: str) -> list[str]:
    """Return the texts, without the mark, of the messages that begin with it."""
    texts = [message["content"] for message in messages if message["role"] == "user"]
    return [text.partition("\n")[2] for text in texts if text.startswith(mark)]


def names(events: list[Any]) -> list[str]:
    return [event["event"] for event in events]


def done(events: list[Any]) -> list[Any]:
    """Return the events that tell of a change."""
    return [event for event in events if not event["event"].startswith("not_")]


# The laws

STEPS = st.lists(
    st.builds(
        Step,
        st.integers(0, 9),
        st.sampled_from(["read_file", "run_tests"]),
        st.sampled_from(["ok", "ok", "error", "given up"]),
        st.sampled_from(["", " ", "The port is 8443.", "漢字" * 9, "two\nlines", "half \ud83d"]),
        st.sampled_from([None, "", "0123456789ab"]),
        st.sampled_from([None, "x" * 500]),
    ),
    max_size=8,
)
ANSWERS = st.sampled_from(["short", "", None, "x" * 9000, {"text": "cut", "stop_reason": "length"}, "\ud83d"])


@settings(max_examples=100, deadline=None)
@given(
    messages=histories(9),
    steps=STEPS,
    share=st.floats(0.2, 3),
    ratio=st.sampled_from([0.01, 0.1, 0.3, 0.6, 1]),
    keep=st.integers(1, 4),
    single=st.sampled_from([0.05, 0.1, 0.5, 1.0]),
    answer=ANSWERS,
)
@example(history(exchange(1)), log(1), 0.1, 0.6, 1, 1.0, "short")
def test_compaction_keeps_the_laws(messages, steps, share, ratio, keep, single, answer):
    window = max(int(size_of(messages) * share), 400)
    chosen = CompactionPolicy(window, ratio, keep, single, lambda text: answer)
    before, logged = deepcopy(messages), deepcopy(steps)
    result, events, refusal = attempted(messages, steps, chosen)
    assert (messages, steps) == (before, logged)
    if refusal is not None:
        assert refusal.code == "not_smaller"
        assert f"window {window}" in str(refusal)
        return

    assert not shares(messages, result)
    assert new_findings(messages, result) == {}
    assert size_of(result) <= window
    assert (result == messages) == (done(events) == [])
    # Over the trigger, it never passes silently.
    assert size_of(messages) <= chosen.trigger or events
    if "summarised" in names(events):
        assert size_of(result) < size_of(messages)

    # Whole exchanges are gone, and nothing else: no open one, no torn one, none of the last.
    groups = groups_of(messages)
    exchanges = [group for group in groups if group.stop - group.start > 1 and not group.fault]
    may_go = exchanges[: max(0, len(exchanges) - keep)]
    rest = [one for one in result if not own([one], PIN_MARK) and not own([one], SUMMARY_MARK)]
    for group in groups:
        whole = messages[group.start : group.stop]
        if cut_like(rest[: len(whole)], whole, 2 * window * single):
            rest = rest[len(whole) :]
        else:
            assert group in may_go
    assert rest == []
    assert len(own(result, PIN_MARK)) <= 1
    assert len(own(result, SUMMARY_MARK)) <= 1

    # Where nothing is new, nothing more happens.
    again, events = compact(result, steps, chosen)
    assert (again, done(events)) == (result, [])


def attempted(*arguments: Any) -> tuple[History, list[Any], Refusal | None]:
    try:
        return *compact(*arguments), None
    except Refusal as refusal:
        return [], [], refusal


def cut_like(found: History, whole: History, limit: float) -> bool:
    """Say whether these are the same messages, but for results that were over the limit and are within it."""
    if [{**one, "content": None} for one in found] != [{**one, "content": None} for one in whole]:
        return False
    pairs = [(new["content"], old["content"]) for new, old in zip(found, whole, strict=True)]
    return all(new == old or len(new) <= limit < len(old) for new, old in pairs)


# The stages


def test_what_is_under_the_trigger_comes_back_as_an_equal_copy():
    messages = history(exchange(1, size=1128))
    assert size_of(messages) == 592

    assert compact(messages, [], policy(1000, 1)) == (messages, [])


def test_the_trigger_is_strictly_over():
    messages = history(exchange(1, size=700), exchange(2, size=500 - 8))
    assert size_of(messages) == 624

    assert compact(messages, [], policy(1040, 1))[1] == []
    assert names(compact(messages, [], policy(1039, 1))[1]) == ["summarised"]
    # A pin does not count, whether it comes or is there already.
    pinned, _ = compact(messages, log(2), policy(1040, 1))
    assert size_of(pinned) > 624
    assert compact(pinned, log(2), policy(1040, 1)) == (pinned, [])


def test_each_long_result_is_trimmed_the_newest_and_an_open_one_too():
    messages = history(exchange(1, 2, 300), exchange(2, 2, 300)[:2])
    messages[3]["content"] = "head" + "x" * 400 + "tail"
    messages[4]["content"] = "short"
    messages[6]["content"] = [{"type": "text", "text": "y" * 200}, {"type": "text", "text": "z" * 200}]
    result, events = compact(messages, [], policy(1000, max_single_obs_ratio=0.1))

    assert events == [
        {"event": "trimmed", "message": 3, "before": 408, "after": len(result[3]["content"])},
        {"event": "trimmed", "message": 6, "before": 401, "after": len(result[6]["content"][0]["text"])},
    ]
    assert result[3]["content"].startswith("headx")
    assert result[3]["content"].endswith("xtail")
    assert len(result[6]["content"]) == 1
    assert [one for index, one in enumerate(result) if index not in (3, 6)] == [
        one for index, one in enumerate(messages) if index not in (3, 6)
    ]


def test_old_exchanges_become_a_record_behind_the_head_and_all_that_was_said_stays():
    parts = [
        exchange(1),
        RULE,
        ANSWER,
        exchange(2, 3, 100),
        exchange(3),
        exchange(4, 2, 100),
        exchange(5)[:1],
    ]
    messages, steps = history(*parts), log(6)
    result, events = compact(messages, steps, policy())

    record, pin = result[2:4]
    assert result == history(record, pin, RULE, ANSWER, *parts[4:])
    assert names(events) == ["summarised", "pinned"]
    assert events[0] == {
        "event": "summarised",
        "exchanges": 2,
        "rewritten": False,
        "before": size_of(messages),
        "after": size_of([*result[:3], *result[4:]]),
        "steps": [replace(step, full_output=None) for step in steps],
    }
    assert own([record], SUMMARY_MARK) == [structured_summary(steps)]
    assert own([pin], PIN_MARK) == ["\n".join(f"- read_log: Log {turn} is fine." for turn in range(6))]


@pytest.mark.parametrize("head", [(), (SYSTEM,), (TASK,), (SYSTEM, SYSTEM, TASK)], ids=len)
def test_record_and_pin_stand_behind_any_head(head):
    messages = history(*map(exchange, range(6)), head=head)
    result, _ = compact(messages, log(6), policy())

    assert result[: len(head)] == list(head)
    record, pin = result[len(head) : len(head) + 2]
    assert (len(own([record], SUMMARY_MARK)), len(own([pin], PIN_MARK))) == (1, 1)
    assert result[len(head) + 2 :] == exchange(4) + exchange(5)
    again, events = compact(result, log(6), policy())
    assert (again, done(events)) == (result, [])


def test_an_empty_history_gets_no_more_than_its_pin():
    assert compact([], [], policy()) == ([], [])
    assert names(compact([], log(1), policy())[1]) == ["pinned"]


def test_a_long_run_keeps_one_record_one_pin_and_every_word_of_the_user():
    messages, steps = history(), []
    for turn in range(40):
        messages += exchange(turn)
        steps.append(Step(turn, "read_log", "ok", f"Log {turn} is fine."))
        if turn % 10 == 0:
            messages.append({"role": "user", "content": f"Order {turn}"})
        messages, events = compact(messages, steps, policy(2400))
        assert "pinned" in names(events)
        assert len(own(messages, SUMMARY_MARK)) == (turn > 6)
    [record], [pin] = own(messages, SUMMARY_MARK), own(messages, PIN_MARK)

    assert messages[:2] == [SYSTEM, TASK]
    assert [f"Order {turn}" for turn in (0, 10, 20, 30)] == [
        one["content"] for one in messages if str(one["content"]).startswith("Order")
    ]
    assert pin.splitlines() == [f"- read_log: Log {turn} is fine." for turn in range(30, 40)]
    assert "- read_log: Log 39 is fine." in record
    assert "earlier steps: read_log " in record
    assert len([one for one in messages if one["role"] == "tool"]) < 8


def test_earlier_pins_are_replaced_and_stay_where_there_is_nothing_to_put_there():
    pinned, _ = compact(history(), log(1), policy())
    twice = [*pinned, deepcopy(pinned[-1]), *exchange(1)]

    again, events = compact(twice, log(2), policy())
    assert own(again, PIN_MARK) == ["- read_log: Log 0 is fine.\n- read_log: Log 1 is fine."]
    assert events == [{"event": "pinned", "conclusions": 2}]
    assert compact(again, [], policy()) == (again, [])


def test_what_only_looks_like_a_pin_stays():
    quoted = {"role": "assistant", "content": f"{PIN_MARK}\nSo you said."}
    asked = {"role": "user", "content": f"{PIN_MARK} What is that?"}
    messages = history(quoted, asked)

    result, _ = compact(messages, log(1), policy())
    assert [one for one in result if one in messages] == messages


def test_only_confirmed_steps_with_a_brief_are_pinned():
    steps = [
        Step(0, "a", "error", "no"),
        Step(1, "b", "ok"),
        Step(2, "c", "ok", " "),
        Step(3, "d", "ok", "yes"),
    ]

    assert own(compact(history(), steps, policy())[0], PIN_MARK) == ["- d: yes"]


def test_a_record_larger_than_what_it_replaces_is_not_made_and_no_model_is_asked():
    asked: list[str] = []
    messages = history({"role": "user", "content": "x" * 1500}, *(exchange(one, size=5) for one in range(4)))

    assert compact(messages, log(4), policy(summarize=asked.append))[1] == [
        {"event": "not_summarised", "reason": "record_not_smaller", "tokens": 788},
        {"event": "pinned", "conclusions": 4},
    ]
    assert asked == []


def test_a_pin_without_room_is_no_reason_to_refuse_and_the_newest_conclusions_come_first():
    steps = [Step(turn, "read_log", "ok", str(turn) * 100) for turn in range(3)]
    # No exchange is old, and with the pin the history would be over its window.
    messages = history(*map(exchange, range(4)))
    assert size_of(messages) == 828

    def told(window: int, before: History = messages) -> tuple[list[str], int, list[Any]]:
        result, events = compact(before, steps, policy(window, 4, trigger_ratio=1))
        assert size_of(result) <= window
        return own(result, PIN_MARK), len(result) - len(messages), events

    lines = [f"- read_log: {str(turn) * 100}" for turn in range(3)]
    assert told(2000) == (["\n".join(lines)], 1, [{"event": "pinned", "conclusions": 3}])
    pin, added, events = told(970)
    assert (pin, added) == (["\n".join(lines[1:])], 1)
    assert events == [
        {"event": "not_summarised", "reason": "no_old_exchange", "tokens": 828},
        {"event": "pinned", "conclusions": 2},
        {"event": "not_pinned", "conclusions": 1},
    ]
    assert told(910)[0] == ["\n".join(lines[2:])]
    # A pin that is there already goes too.
    pinned, _ = compact(messages, steps, policy(2000, 4))
    for before in (messages, pinned):
        pin, added, events = told(828, before)
        assert (pin, added, events[-1]) == ([], 0, {"event": "not_pinned", "conclusions": 3})
    result, events = compact(pinned, [], policy(828, 4, trigger_ratio=1))
    assert (result, done(events)) == (messages, [{"event": "pinned", "conclusions": 0}])


def test_where_the_pin_has_no_room_a_record_makes_it():
    steps = log(6)
    messages = history(*map(exchange, range(6)))
    assert size_of(messages) == 1228

    result, events = compact(messages, steps, policy(1300, 2, trigger_ratio=1))
    assert names(events) == ["summarised", "pinned"]
    assert events[1] == {"event": "pinned", "conclusions": 6}
    assert compact(result, steps, policy(1300, 2, trigger_ratio=1)) == (result, [])


def test_over_the_window_the_model_is_asked_although_the_record_from_the_log_is_longer():
    messages = history(exchange(0, size=100), *map(exchange, range(1, 5)))
    assert size_of(messages) == 878

    result, events = compact(messages, log(6), policy(860, 4, summarize=lambda text: "Done."))
    assert own(result, SUMMARY_MARK) == ["Done."]
    assert names(events) == ["summarised", "not_pinned"]
    with pytest.raises(Refusal, match="window 860"):
        compact(messages, log(6), policy(860, 4))


def test_a_history_over_the_trigger_that_cannot_get_shorter_says_so():
    messages = history(*(exchange(number) for number in range(4)))

    assert compact(messages, [], policy(1000, 4)) == (
        messages,
        [{"event": "not_summarised", "reason": "no_old_exchange", "tokens": 828}],
    )


def test_a_result_elsewhere_keeps_its_call_in_the_history():
    late = {"role": "tool", "tool_call_id": "call_0_a", "content": "again"}
    messages = history(exchange(0), exchange(1), RULE, late, ANSWER, *map(exchange, range(2, 6)))
    result, events = compact(messages, [], policy())

    assert events[0]["exchanges"] == 3
    assert new_findings(messages, result) == {}
    assert exchange(0)[0] in result


def test_what_is_over_the_window_after_all_is_refused_with_a_remedy_that_helps():
    messages = history(*(exchange(one, size=1000) for one in range(4)))

    with pytest.raises(
        Refusal, match=r"has 1\d\d\d tokens .*; before 2028, window 1000; lower keep_recent_turns, which is 2"
    ) as refused:
        compact(messages, log(4), policy())
    assert refused.value.code == "not_smaller"
    assert names(compact(messages, log(4), policy(keep=1))[1]) == ["summarised", "pinned"]
    with pytest.raises(Refusal, match=r"window 600; no exchange can go any more: raise window, shorten"):
        compact(messages, log(4), policy(600, keep=1))
    with pytest.raises(Refusal, match=r"window 600; no exchange can go any more: raise window, shorten"):
        compact(history(*map(exchange, range(2)))[:3] + [RULE] * 100, log(4), policy(600, keep=4))


def test_a_run_without_an_end_keeps_its_room_and_goes_on_asking_the_model():
    asked: list[int] = []

    def summarize(text: str) -> str:
        asked.append(len(text))
        return text if len(asked) % 2 else "Done: all logs so far."

    chosen = policy(12_000, 4, summarize=summarize)
    messages, steps, summaries = history(), [], 0
    for turn in range(4000):
        messages += exchange(turn, size=100)
        words = f"Log {turn}: ".ljust(80, "x")
        steps.append(Step(turn, "read_log", "error" if turn == 3 else "ok", words))
        if turn % 50 == 49:
            messages, events = compact(messages, steps, chosen)
            assert size_of(messages) <= chosen.trigger + 1000
            summaries += "summarised" in names(events)
    assert len(asked) == summaries > 10
    assert max(asked) <= chosen.record_limit
    assert len(messages) < 400
    # Near the window it is the same: here the log is long before the first compaction.
    result, events = compact(history(*map(exchange, range(40))), steps, policy(10_000, 2))
    assert names(events) == ["summarised", "pinned"]
    assert size_of(result) < 4000


# The record


def test_the_record_has_four_parts_and_marks_repeated_results():
    steps = [
        Step(1, "read_log", "ok", "Port 8443.", fingerprint("a")),
        Step(2, "run_tests", "error", "Two failed.", fingerprint("b")),
        Step(3, "read_log", "ok", "Port 8443 again.", fingerprint("a")),
        Step(4, "list_dir", "ok"),
        Step(5, "send_mail", "given up"),
    ]

    assert structured_summary(steps).splitlines() == [
        "Goal: see the task; it is unchanged.",
        "Done: 3",
        "- read_log: Port 8443.",
        "- read_log: Port 8443 again. (the same result as in turn 1)",
        "- list_dir",
        "Failed or given up: 2",
        "- run_tests: error",
        "- send_mail: given up",
        "To do: what no step above covers. Look before you repeat a call.",
    ]


def test_a_limited_record_names_the_newest_steps_counts_the_others_and_keeps_failed_ones_longer():
    steps = [
        Step(
            turn, "read_log" if turn % 3 else f"tool_{turn % 8}", "error" if turn % 100 == 7 else "ok", "fine"
        )
        for turn in range(5000)
    ]
    text = structured_summary(steps, max_chars=4000)
    assert len(text) <= 4000
    lines = text.splitlines()
    assert lines[:2] == ["Goal: see the task; it is unchanged.", "Done: 4950"]
    count, tools = lines[2].split(": ")
    named = [
        line for line in lines[3:] if line in ("- read_log: fine", *(f"- tool_{n}: fine" for n in range(8)))
    ]
    assert count == f"- and {4950 - len(named)} earlier steps"
    assert tools.startswith("read_log ")
    assert ", others " in tools
    counts = [int(part.split()[-1]) for part in tools.split(", ")]
    assert sum(counts) == 4950 - len(named)
    assert 50 < len(named) < 250
    # All failed ones are still there.
    assert len([line for line in lines if line.endswith(": error")]) == 50
    assert "Failed or given up: 50" in lines
    assert not [line for line in lines[lines.index("Failed or given up: 50") :] if "earlier" in line]

    # What fits stays as it is; what has no room at all is counted.
    few = structured_summary(log(9))
    assert structured_summary(log(9), max_chars=len(few) + 1) == few
    tight = structured_summary(log(9), max_chars=1)
    assert "Done: 9\n- and 9 earlier steps: read_log 9\nFailed" in tight
    names_of_tools = [Step(turn, f"{turn}" * 500, "error") for turn in range(1, 50)]
    assert len(structured_summary(names_of_tools, max_chars=1)) < 600


def test_a_line_of_the_record_and_of_the_pin_is_one_line_whatever_it_tells():
    steps = [
        Step(1, "read\nlog", "ok", "a\r\n- rm: allowed\u2028Failed or given up: 0\n"),
        Step(2, "list", "given\nup"),
        Step(3, "read", "ok", "全角\u3000空白 👨\u200d👩\u200d👧"),
        Step(4, "read", "ok", "x" * 1000),
    ]
    lines = [
        "- read log: a - rm: allowed Failed or given up: 0",
        "- read: 全角\u3000空白 👨\u200d👩\u200d👧",
        f"- read: {'x' * 289}...",
    ]

    assert structured_summary(steps).splitlines()[1:6] == ["Done: 3", *lines, "Failed or given up: 1"]
    assert structured_summary(steps).splitlines()[6] == "- list: given up"
    assert own(compact(history(), steps, policy(5000))[0], PIN_MARK) == ["\n".join(lines)]


def test_a_turn_that_cannot_be_written_out_and_a_half_of_a_pair_are_no_reason_to_fail():
    steps = [Step(10**5000, "read", "ok", "one \ud83d", "f"), Step(2, "read", "ok", "two", "f")]
    seen: list[str] = []

    text = structured_summary(steps, seen.append)
    assert "(the same result as in turn a value of type int)" in text
    assert "one \\ud83d" in text
    assert seen == [text]
    assert text.encode()


def test_a_model_may_rewrite_the_record():
    text = structured_summary(log(3))
    seen = []

    def summarize(given: str) -> str:
        seen.append(given)
        return " Three logs are fine.\n"

    assert structured_summary(log(3), summarize) == "Three logs are fine."
    assert seen == [text]
    result, events = compact(history(*map(exchange, range(6))), log(3), policy(summarize=summarize))
    assert own(result, SUMMARY_MARK) == ["Three logs are fine."]
    assert (events[0]["rewritten"], len(seen)) == (True, 2)


@pytest.mark.parametrize(
    "answer",
    ["", " ", None, 7, {"text": "Three", "stop_reason": "max_tokens"}, "x" * 1000, TimeoutError("no answer")],
    ids=repr,
)
def test_the_record_from_the_log_stays_where_the_answer_cannot_replace_it(answer):
    def summarize(text: str) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert structured_summary(log(3), summarize) == structured_summary(log(3))


def test_a_fingerprint_is_the_start_of_the_sha256():
    assert fingerprint("漢字") == "c6d297713595"  # printf 漢字 | sha256sum
    assert fingerprint("\ud83d") != fingerprint("\ud83e")
    with pytest.raises(Refusal, match="text is None") as refused:
        fingerprint(None)  # type: ignore[arg-type]
    assert refused.value.code == "bad_argument"


# What is refused


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: policy(0), "window is 0"),
        (lambda: policy(True), "window is True"),
        (lambda: policy(10**400), "window is 1000"),
        (lambda: policy(keep=0), "keep_recent_turns is 0"),
        (lambda: policy(trigger_ratio=0), "trigger_ratio is 0"),
        (lambda: policy(trigger_ratio=float("nan")), "trigger_ratio is nan"),
        (lambda: policy(trigger_ratio="0.6"), "trigger_ratio is '0.6'"),
        (lambda: policy(max_single_obs_ratio=1.1), "max_single_obs_ratio is 1.1"),
        (
            lambda: compact(history(exchange(1)), [], policy(195, max_single_obs_ratio=0.1)),
            "message 3 is a result of 400 characters, and the policy allows 39",
        ),
        (lambda: policy(summarize="model"), "summarize is a str"),
        (lambda: Step("1", "read_log", "ok"), "turn of a step is '1'"),  # type: ignore[arg-type]
        (lambda: Step(1, "read_log", None), "status of a step is None"),  # type: ignore[arg-type]
        (lambda: Step(1, "a", "ok", "b", [1]), "result_fingerprint of a step is a list"),  # type: ignore[arg-type]
        (lambda: Step(1, "a", "ok", full_output=b"b"), "full_output of a step is a bytes"),  # type: ignore[arg-type]
        (lambda: structured_summary([], max_chars=0), "max_chars is 0"),
        (lambda: compact([], None, policy()), "steps is None"),  # type: ignore[arg-type]
        (lambda: compact([], [Step(1, "a", "ok"), "step"], policy()), "step 1 is a str"),  # type: ignore[list-item]
        (lambda: compact([], [], {"window": 1000}), "policy is a dict"),  # type: ignore[arg-type]
        (lambda: structured_summary([{}]), "step 0 is a dict"),  # type: ignore[list-item]
    ],
)
def test_unusable_arguments_are_refused(make, problem):
    with pytest.raises(Refusal, match=problem) as refused:
        make()
    assert refused.value.code == "bad_argument"


def test_what_is_no_history_is_refused():
    with pytest.raises(Refusal, match="message 0 is None") as refused:
        compact([None], [], policy())  # type: ignore[list-item]
    assert refused.value.code == "not_a_history"

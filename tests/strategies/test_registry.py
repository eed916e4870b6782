"""How each strategy is run on a history: what it is given, and what comes back."""

from typing import Any

import pytest
from strategy_histories import ARGUMENTS, RULE, History, exchange, many_questions, one_question, user

from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.reference.policy import PIN_MARK, SUMMARY_MARK
from ctxlab.strategies.comparison import compare_strategies
from ctxlab.strategies.outcome import Outcome
from ctxlab.strategies.registry import STRATEGIES
from ctxlab.strategies.stand_in import TEXT


def outcome_of(name: str, history: History, limit: int) -> Outcome:
    (outcome,) = compare_strategies(history, api="openai-chat", names=[name], limit=limit).outcomes
    assert diagnose(outcome.final, "openai-chat") == []
    return outcome


def texts(history: History, part: str) -> list[Any]:
    return [message["content"] for message in history if part in (message["content"] or "")]


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - {"policy", "state"}))
def test_what_fits_stays_as_it_is(name: str) -> None:
    history = one_question(3)
    outcome = outcome_of(name, history, 10_000)
    assert outcome.final == history
    assert (outcome.summaries, outcome.refusals) == (0, [])


def test_trim_changes_old_results_of_the_newest_question_alone() -> None:
    history = many_questions(2)[:-1] + one_question(3)[1:]
    outcome = outcome_of("trim", history, 700)
    changed = [
        index for index, pair in enumerate(zip(history, outcome.final, strict=True)) if pair[0] != pair[1]
    ]
    # The results of the older exchanges of the last question: its newest one stays.
    assert changed == [len(history) - 5, len(history) - 3]
    for index in changed:
        kept = history[index] | {"content": outcome.final[index]["content"]}
        assert outcome.final[index] == kept
        assert outcome.final[index]["content"].startswith("[Not a result:")
    assert outcome.final[-2]["tool_calls"][0]["function"]["arguments"] == ARGUMENTS


def test_prepare_never_nests_a_summary() -> None:
    history = one_question(12, "read and noted " * 35)
    outcome = outcome_of("prepare", history, 700)
    assert outcome.summaries > 1
    assert outcome.summary_tokens_in > outcome.summary_tokens_out > 0
    assert outcome.summary_tokens == outcome.summary_tokens_in + outcome.summary_tokens_out
    system, first, *rest = outcome.final
    assert system == history[0]
    assert first["content"].startswith(history[1]["content"] + "\n\nSummary of earlier work")
    assert first["content"].count(TEXT) == first["content"].count("Summary of earlier work") == 1
    assert rest == history[-len(rest) :]


def test_prepare_names_what_is_outside_its_grammar() -> None:
    between = [
        *one_question(3),
        {"role": "assistant", "content": "So far so good."},
        *exchange(9, "x" * 2000),
    ]
    (refusal, *_) = outcome_of("prepare", between, 500).refusals
    assert refusal.refused == "not_a_history"
    assert "message 8: a question and its exchanges are expected from message 1 on" in refusal.reason
    full = outcome_of("prepare", many_questions(6), 400).refusals[-1]
    assert full.refused == "recent_too_large"
    assert "what stands before the newest question has " in full.reason


def test_window_and_pack_keep_whole_groups() -> None:
    history = one_question(6)
    window = outcome_of("window", history, 500)
    assert window.final == [history[0], *history[-len(window.final) + 1 :]]
    assert window.refusals == []
    pack = outcome_of("pack", history, 500)
    system, goal, *rest = pack.final
    assert system == history[0]
    assert goal["content"] == "Goal of the task:\n" + history[1]["content"]
    assert rest == history[-len(rest) :]
    assert pack.lost == ()
    assert [fact.text for fact in window.lost] == ["ORD-2231"]
    for outcome in (window, pack):
        assert 0 < len(outcome.final) < len(history)
        assert outcome.over(500) == 0


def test_pack_says_the_goal_once() -> None:
    def orphan(number: int) -> History:
        return [user("And?"), *exchange(number, "word " * 3000)[1:], user("Well?")]

    # Without the results that have no call, all the rest fits.
    history = [*one_question(1), *orphan(7), *exchange(8, "seen"), *orphan(9)]
    (outcome,) = compare_strategies(history, names=["pack"], limit=500).outcomes
    assert texts(outcome.final, history[1]["content"]) == [f"Goal of the task:\n{history[1]['content']}"]
    assert len(outcome.final) == len(history) - 2


def test_a_window_that_refused_goes_on_once_newer_groups_fit() -> None:
    history = [
        *one_question(1),
        *exchange(7, "word " * 3000),
        *exchange(8, "short"),
        *exchange(9, "word " * 300),
    ]
    outcome = outcome_of("window", history, 500)
    assert [turn.refused for turn in outcome.turns] == ["", "", "newest_too_large", "", ""]
    assert "messages 4 to 5" in outcome.turns[2].reason
    assert "tokens; the limit is 500 tokens; shorten message 5" in outcome.turns[2].reason
    # The request at which it refused goes out as it was.
    assert [turn.messages for turn in outcome.turns] == [2, 4, 6, 3, 5]
    assert outcome.final == [history[0], *history[6:]]


def test_a_window_that_refused_parts_no_late_result_from_its_call() -> None:
    call, late = exchange(8, "late")
    history = [*one_question(0), *exchange(7, "word " * 3000), call, user("And? " * 400), late, user("Well?")]
    (outcome,) = compare_strategies(history, names=["window"], limit=500).outcomes
    # There is no room for the call, so its result stays out with it.
    assert outcome.final == [history[0], history[-1]]
    assert [turn.at for turn in outcome.refusals] == [4]


def test_shrink_cuts_each_result_as_it_enters() -> None:
    history = [*one_question(2), *exchange(5, "short"), user("word " * 200)]
    outcome = outcome_of("shrink", history, 400)
    assert outcome.final[-1] == history[-1]
    results = [message["content"] for message in outcome.final if message["role"] == "tool"]
    assert ["missing]" in result for result in results] == [True, True, False]
    assert len(results[0]) < 300
    # What was sent once is not changed again: a cache can take all of it.
    assert [turn.same_prefix for turn in outcome.turns[1:]] == [turn.tokens for turn in outcome.turns[:-1]]


def test_fold_keeps_one_summary_of_the_middle() -> None:
    history = many_questions(9)
    outcome = outcome_of("fold", history, 1200)
    assert outcome.summaries > 1
    assert outcome.final[0] == history[0]
    notes = texts(outcome.final, TEXT)
    assert len(notes) == 1
    assert notes[0] == outcome.final[1]["content"]
    assert outcome.over(1200) == 0
    # Within a run it does not fold, though there is a middle, and says so.
    run = outcome_of("fold", history[:19] + one_question(12, "read and noted " * 20)[1:], 1200)
    assert (run.summaries, len(run.final)) == (0, 19 + 1 + 24)
    assert run.over(1200) > 0
    assert "It folds only at the start of a run" in run.notes[1]


def test_fold_says_why_it_could_not() -> None:
    outcome = outcome_of("fold", [*one_question(9, "read and noted " * 20), user("Go on.")], 500)
    assert "It could not fold at first (nothing_to_fold): " in outcome.notes[-1]


def test_policy_logs_and_pins_what_was_done() -> None:
    history = one_question(12)
    outcome = outcome_of("policy", history, 1200)
    assert outcome.final[:2] == history[:2]
    assert len(texts(outcome.final, SUMMARY_MARK)) == 1
    (pin,) = texts(outcome.final, PIN_MARK)
    assert pin.count("read_file: line one") == 10
    # The last four exchanges stay, with their results cut to a tenth of the window.
    assert [message.get("tool_call_id") for message in outcome.final[-8:]] == [
        message.get("tool_call_id") for message in history[-8:]
    ]
    assert "characters missing]" in outcome.final[-1]["content"]
    assert outcome.summaries == 0


def test_what_is_noted_of_a_result_says_that_it_was_cut() -> None:
    history = one_question(12, "z" * 99 + "yyy\n" + "read and noted " * 60)
    (pin,) = texts(outcome_of("policy", history, 1200).final, PIN_MARK)
    assert "read_file: " + "z" * 99 + "…" in pin


def test_state_sends_one_state_and_the_question() -> None:
    history = many_questions(5)
    state, system, *recent, question = outcome_of("state", history, 10_000).final
    assert "Goal: Question 0: what does part 0 say?" in state["content"]
    assert "- 10: call (with read_file) -> part 4" in state["content"]
    assert system == {"role": "system", "content": RULE}
    assert recent == history[-1 - len(recent) : -1]
    assert len(recent) <= 10
    assert question == history[-1]
    # The goal that is the newest question stands there once.
    (one,) = texts(outcome_of("state", one_question(2), 10_000).final, one_question(0)[1]["content"])
    assert one == one_question(0)[1]["content"]
    only_system = compare_strategies([{"role": "system", "content": RULE}], names=["state"])
    assert [turn.refused for turn in only_system.outcomes[0].turns] == ["not_a_history"]

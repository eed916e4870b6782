"""What a gated player asks, when, and what the right answers are."""

import re
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.player.cards import cards
from ctxlab.player.questions import ASKS, OTHER_END, checked_ask, questions
from ctxlab.reference import prepare_context, run_loop, split_history, trim_results
from ctxlab.scenarios import scenario_names
from ctxlab.tracer.ends import ends
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace


def asked(run: Trace, ask: str) -> list[dict[str, Any]]:
    return questions(run, ask, cards(run)[0])


@pytest.mark.parametrize(
    ("predict", "ask"), [(False, ""), (True, "decisions"), *((name, name) for name in ASKS)]
)
def test_predict_is_a_truth_or_a_name(predict: Any, ask: str) -> None:
    assert checked_ask(trace(split_history, scenario="normal"), predict) == ask


@pytest.mark.parametrize("predict", [None, "", "outcomes", 1, ["outcome"], "Decisions"])
def test_refuses_another_and_names_the_choices(predict: Any) -> None:
    with pytest.raises(
        CtxlabError, match=r"predict is .*; give True, False or one of decisions, outcome, messages"
    ):
        checked_ask(trace(split_history, scenario="normal"), predict)


def doubled(number: int) -> int:
    return 2 * number


@pytest.mark.parametrize("run", [trace(doubled, 4), trace(split_history, [])])
def test_refuses_to_ask_about_messages_where_there_are_none(run: Trace) -> None:
    with pytest.raises(CtxlabError, match=r"was given no messages; 'outcome' asks how the run ends"):
        checked_ask(run, "messages")
    assert checked_ask(run, "outcome") == "outcome"


@pytest.mark.parametrize("scenario", scenario_names())
@pytest.mark.parametrize("function", [split_history, trim_results, prepare_context])
def test_asks_before_each_decision_of_the_function_itself(function: Any, scenario: str) -> None:
    run = trace(function, scenario=scenario)
    own = [each for each in run.decisions if run.steps[each.step].depth == 0]
    found = asked(run, "decisions")
    assert [question["opens"] for question in found] == [each.step for each in own]
    for question, decision in zip(found, own, strict=True):
        assert question["question"] == decision.comment
        assert question["code"] == decision.source
        assert question["answer"] == ("yes" if decision.outcome else "no")
        assert question["line"] == run.steps[decision.step].line
        assert question["options"] == ["yes", "no"]
    steps = [question["step"] for question in found]
    assert steps == sorted(set(steps)), "each question has a step of its own, and they come in order"


def test_asks_before_a_call_in_the_condition_gives_its_value_away() -> None:
    run = trace(prepare_context, scenario="summary")
    question = next(each for each in asked(run, "decisions") if "history_bytes" in each["code"])
    between = {step.function for step in run.steps[question["step"] + 1 : question["opens"]]}
    assert between == {"history_bytes"}
    assert run.steps[question["step"]].depth == 0
    assert run.steps[question["step"]].line == question["line"]


def chosen(left: int, right: int) -> str:
    return "first" if left > 1 else "second" if right > 1 else "third"


def test_two_decisions_on_one_line_are_two_questions() -> None:
    run = trace(chosen, 1, 2)
    first, second = asked(run, "decisions")
    assert (first["answer"], second["answer"]) == ("no", "yes")
    assert first["opens"] <= second["step"] < second["opens"]
    assert first["question"] == "Does this condition hold?", "no comment beside it asks anything"


def test_a_decision_of_a_called_function_is_not_asked() -> None:
    run = trace(prepare_context, scenario="pending")
    assert len(run.decisions) > 0
    assert asked(run, "decisions") == []


@pytest.mark.parametrize("scenario", scenario_names())
@pytest.mark.parametrize("function", [split_history, trim_results, prepare_context])
def test_the_end_is_one_of_the_functions_own(function: Any, scenario: str) -> None:
    run = trace(function, scenario=scenario)
    (question,) = asked(run, "outcome")
    kind, code = run.outcome.kind, run.outcome.code
    # No source writes this code down beside a `raise`: it comes from a function that is not traced.
    if kind == "error" or code == "unsupported_block":
        assert question["answer"] == OTHER_END
    else:
        assert question["answer"] == ("returns" if kind == "returned" else f"refuses: {code}")
    assert question["answer"] in question["options"]
    assert question["options"] == [*ends(run), OTHER_END]
    assert (question["step"], question["tries"]) == (0, 2)


def test_the_options_do_not_depend_on_the_run() -> None:
    one, *others = (
        asked(trace(prepare_context, scenario=name), "outcome")[0]["options"] for name in scenario_names()
    )
    assert all(other == one for other in others)
    assert one[-1] == OTHER_END


def endless() -> None:
    while True:
        pass


def test_an_end_that_no_source_names_is_another_end() -> None:
    assert asked(trace(endless, step_limit=50), "outcome")[0]["answer"] == OTHER_END
    assert asked(trace(doubled, None), "outcome")[0]["options"] == ["returns", OTHER_END]


def test_a_loop_is_asked_for_the_word_that_it_ends_with() -> None:
    (question,) = asked(trace(run_loop, scenario="pending"), "outcome")
    statuses = ("context_error", "model_error", "answered", "max_requests")
    assert question["options"] == [
        *(f"returns: {word}" for word in statuses),
        "refuses: bad_argument",
        OTHER_END,
    ]
    assert question["answer"] == "returns: context_error"
    # What was raised below the loop made it end so.
    assert question["look"].endswith("of split_history: Is the last call still waiting for its results?")
    assert "of run_loop (Does the answer call no tool?)" in question["looks"]["returns: answered"]
    assert question["looks"]["returns: max_requests"].endswith("of run_loop: Is another request allowed?")
    (answered,) = asked(trace(run_loop, scenario="trim"), "outcome")
    assert answered["answer"] == "returns: answered"
    assert answered["look"] == answered["looks"]["returns: answered"]


def test_a_loop_that_a_failing_call_ended_leads_to_that_call() -> None:
    (archived,) = asked(trace(run_loop, scenario="archive_error"), "outcome")
    assert archived["answer"] == "returns: context_error"
    assert archived["look"].endswith("of prepare_context: receipt = archive(copied(messages))")
    (failed,) = asked(trace(run_loop, scenario="trim", ask=broken), "outcome")
    assert failed["answer"] == "returns: model_error"
    assert failed["look"].endswith("of run_loop: answer = copied(ask(copied(messages)))")
    (raised,) = asked(trace(prepare_context, scenario="archive_error"), "outcome")
    assert raised["look"] == archived["look"]


def broken(messages: list[Any]) -> None:
    raise OSError


@pytest.mark.parametrize("scenario", scenario_names())
@pytest.mark.parametrize("function", [run_loop, prepare_context])
def test_no_hint_leads_to_a_line_that_the_run_did_not_come_to(function: Any, scenario: str) -> None:
    run = trace(function, scenario=scenario)
    (question,) = asked(run, "outcome")
    stood = {(step.function, step.line) for step in run.steps}
    for look in [question["look"], *question["looks"].values()]:
        missed, _, led = look.rpartition("Look at ")
        found = re.match(r"line (\d+) of (\w+): ", led)
        assert found, look
        assert (found[2], int(found[1])) in stood, look
        if missed:
            unreached = re.fullmatch(r"This run does not come to line (\d+) of (\w+) \(.+\)\. ", missed)
            assert unreached, look
            assert (unreached[2], int(unreached[1])) not in stood, look


def test_an_end_before_which_the_run_stopped_says_so() -> None:
    (question,) = asked(trace(run_loop, scenario="archive_error"), "outcome")
    wrong = question["looks"]["returns: model_error"]
    assert re.sub(r"\d+", "N", wrong) == (
        "This run does not come to line N of run_loop (Is the answer malformed?). "
        "Look at line N of prepare_context: receipt = archive(copied(messages))"
    )


def test_an_error_of_a_function_with_words_is_another_end() -> None:
    (question,) = asked(trace(run_loop, scenario="trim", ask=interrupted), "outcome")
    assert question["answer"] == OTHER_END


def interrupted(messages: list[Any]) -> None:
    raise SystemExit


def test_the_decisions_of_a_loop_are_its_own() -> None:
    run = trace(run_loop, scenario="trim")
    found = asked(run, "decisions")
    assert {run.steps[question["opens"]].function for question in found} == {"run_loop"}
    assert len(found) == len([each for each in run.decisions if run.steps[each.step].depth == 0])


def test_the_messages_of_a_run_in_place_are_those_that_it_changed() -> None:
    (question,) = asked(trace(run_loop, scenario="trim"), "messages")
    assert question["answer"] == [2, 4]
    (question,) = asked(trace(run_loop, scenario="summary"), "messages")
    assert question["answer"] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert asked(trace(run_loop, scenario="pending"), "messages")[0]["answer"] == []


def test_a_wrong_try_is_led_to_the_condition_that_would_make_it_or_that_settled_it() -> None:
    (refused,) = asked(trace(prepare_context, scenario="pending"), "outcome")
    assert refused["look"].endswith("of split_history: Is the last call still waiting for its results?")
    (returned,) = asked(trace(prepare_context, scenario="trim"), "outcome")
    assert returned["look"].endswith("of prepare_context: Was trimming enough?")
    assert returned["looks"]["refuses: mismatch"].endswith("a result without its call?")
    (spent,) = asked(trace(prepare_context, scenario="summary"), "outcome")
    assert spent["looks"]["refuses: summaries_spent"].endswith("Are all summaries spent?")
    (plain,) = asked(trace(doubled, 4), "outcome")
    assert plain["looks"] == {}
    assert plain["look"] == "Read the source from the top with this input."


@pytest.mark.parametrize("scenario", scenario_names())
@pytest.mark.parametrize("function", [split_history, trim_results, prepare_context])
def test_the_messages_asked_for_are_those_not_kept(function: Any, scenario: str) -> None:
    run = trace(function, scenario=scenario)
    (question,) = asked(run, "messages")
    given = run.data["histories"][0][4]
    fates = {fate.source: fate.fate for fate in run.provenance if fate.source is not None}
    assert question["answer"] == [at for at in range(len(given)) if fates.get(at, "kept") != "kept"]
    assert len(question["options"]) == len(given)


def test_an_option_names_a_message_as_its_card_does() -> None:
    (question,) = asked(trace(trim_results, scenario="error"), "messages")
    assert question["answer"] == [2]
    assert question["options"][:3] == [
        "0 user text, 76 bytes",
        "1 assistant call call_1, 114 bytes",
        "2 user result call_1 error, 1,302 bytes",
    ]
    assert "Is the marker no longer than the text?" in question["look"]


def test_a_history_that_stays_has_no_message_to_find() -> None:
    assert asked(trace(split_history, scenario="pending"), "messages")[0]["answer"] == []
    assert asked(trace(prepare_context, scenario="fit"), "messages")[0]["answer"] == []


def test_hostile_words_are_one_line_of_limited_length(hostile_trace: Trace) -> None:
    for option in asked(hostile_trace, "messages")[0]["options"]:
        assert option.isprintable()
        assert len(option) < 300


def test_odd_runs_can_be_asked_about(odd_trace: Trace) -> None:
    (question,) = asked(odd_trace, "outcome")
    assert question["answer"] in question["options"]
    for question in asked(odd_trace, "decisions"):
        assert 0 <= question["step"] < question["opens"] < len(odd_trace.steps)


def test_a_loaded_trace_asks_the_same() -> None:
    run = trace(prepare_context, scenario="summary")
    loaded = Trace.from_json(run.to_json())
    for ask in ASKS:
        assert asked(loaded, ask) == asked(run, ask)

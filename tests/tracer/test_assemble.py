"""The JSON form of a recording: columns, sources with their comments, calls, checks, facts, notes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.reference.history import prepare_context, split_history, trim_results
from ctxlab.scenarios import load_scenario, scenario_names
from ctxlab.tracer.assemble import FORMAT, deltas, sums
from ctxlab.tracer.run import trace


@given(st.lists(st.integers()))
def test_deltas_are_undone_by_sums(numbers):
    assert sums(deltas(numbers)) == numbers


def explained(x):
    # 1. Begin.
    # Is it large?
    if x > 1:  # fmt: skip
        # Then leave.
        return 1

    # 2. Go on.
    y = x
    # A longer
    # comment.
    return y  # noqa: RET504


def test_comments_stand_at_the_line_of_their_statement():
    source = trace(explained, 1).data["sources"][0]
    first = explained.__code__.co_firstlineno
    assert source["first_line"] == first
    assert source["labels"] == [[first + 3, "1. Begin."], [first + 8, "2. Go on."]]
    assert source["lines"] == {
        str(first + 3): "1. Begin. Is it large?",
        str(first + 5): "Then leave.",
        str(first + 8): "2. Go on.",
        str(first + 11): "A longer comment.",
    }


def test_the_places_of_an_arm_name_its_condition():
    data = trace(explained, 1).data
    first = explained.__code__.co_firstlineno
    by_line = {line - first: site for event, _, line, site in data["places"] if event == "line"}
    assert by_line == {3: -1, 5: 0, 8: -1, 11: -1}


def test_an_opaque_call_has_its_arguments_and_its_result():
    recorded = trace(prepare_context, scenario="summary")
    (step, line, name, arguments, result), *_ = recorded.data["calls"]
    assert name == "MemoryArchive"
    assert recorded.steps[step].line == line
    assert recorded.value(result, step + 1) == "context-000000000001.jsonl"
    assert len(recorded.value(arguments[0], step + 1)) == 11


def test_nothing_of_the_machine_stands_in_a_trace():
    text = trace(prepare_context, scenario="summary").dumps()
    assert FORMAT in text
    assert "/ctxlab" not in text.replace("ctxlab/reference", "")
    assert " at 0x" not in text


def test_every_history_row_stands_at_a_stop():
    data = trace(prepare_context, scenario="summary").data
    assert all(0 <= row[0] < len(data["steps"]["place"]) for row in data["histories"])


# Which facts of the scenario were kept


def facts(recorded):
    return recorded.data["checks"]["facts"]


def listed(scenario):
    return [{"kind": fact.kind, "text": fact.text} for fact in scenario.must_survive]


@pytest.mark.parametrize("name", scenario_names())
@pytest.mark.parametrize("function", [trim_results, prepare_context])
def test_a_fact_is_kept_when_the_scenario_finds_it_in_what_was_returned(function, name):
    scenario = load_scenario(name)
    recorded = trace(function, scenario=name)
    assert recorded.data["scenario"]["must_survive"] == listed(scenario) != []
    if recorded.outcome.kind != "returned":
        assert facts(recorded) is None
        return
    kept = scenario.surviving(recorded.outcome.value)
    assert facts(recorded) == [
        {"kind": fact.kind, "text": fact.text, "kept": fact in kept} for fact in scenario.must_survive
    ]


def test_all_facts_are_kept_where_nothing_is_removed():
    recorded = trace(split_history, scenario="summary")
    assert facts(recorded) == [{**fact, "kept": True} for fact in listed(load_scenario("summary"))]


def question_only(messages):
    return messages[:1]


def in_place(messages):
    del messages[1:]
    return messages


def emptied(messages):
    messages.clear()
    return messages


def counted(messages):
    return len(messages)


def spoiled(messages):
    messages.pop()
    return {"messages": messages[:2], "note": "a history, and more"}


def stopped(messages):
    while True:
        messages = messages[:1]


@pytest.mark.parametrize("function", [question_only, in_place])
def test_facts_are_judged_on_what_is_left(function):
    kept = {fact["text"]: fact["kept"] for fact in facts(trace(function, scenario="normal"))}
    assert kept == {
        "Ask before you delete anything": True,
        "notes.txt": True,
        "8443": False,
        "call_1": False,
    }


def emptied_in_place(messages):
    messages.clear()


@pytest.mark.parametrize("function", [emptied, emptied_in_place])
def test_an_empty_history_has_lost_every_fact(function):
    assert {fact["kept"] for fact in facts(trace(function, scenario="normal"))} == {False}


@pytest.mark.parametrize("function", [counted, spoiled, stopped])
def test_without_a_candidate_no_fact_is_judged(function):
    recorded = trace(function, scenario="normal", step_limit=50)
    assert facts(recorded) is None
    assert recorded.data["scenario"]["must_survive"] == listed(load_scenario("normal"))


def test_without_a_scenario_there_are_no_facts():
    recorded = trace(question_only, load_scenario("normal").messages)
    assert (recorded.data["scenario"], facts(recorded)) == (None, None)


def test_a_scenario_that_lists_no_facts_has_none():
    recorded = trace(question_only, scenario=replace(load_scenario("normal"), must_survive=()))
    assert (recorded.data["scenario"]["must_survive"], facts(recorded)) == ([], None)


def test_what_the_input_never_said_is_not_lost():
    said = [{"role": "user", "content": "read notes.txt"}, {"role": "user", "content": "on port 8443"}]
    assert facts(trace(question_only, said, scenario="normal")) == [
        {"kind": "path", "text": "notes.txt", "kept": True},
        {"kind": "figure", "text": "8443", "kept": False},
    ]
    assert facts(trace(question_only, [{"role": "user", "content": "hello"}], scenario="normal")) is None

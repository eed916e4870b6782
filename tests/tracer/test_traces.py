"""The faces of a trace in Python: steps, decisions and their sentences, variables, values."""

import json
from dataclasses import replace

import pytest

from ctxlab.scenarios import load_scenario
from ctxlab.scenarios.fields import Fact
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Step, Survival, Trace


def decides(items, limit):
    # Does it fit?
    if len(items) <= limit and limit is not None:
        # Nothing to do.
        return items
    # Is it a list?
    if not isinstance(items, list):
        return None
    while items:  # shorter and shorter
        items.pop()
    return items


def test_a_sentence_is_question_values_outcome_and_consequence():
    recorded = trace(decides, [1, 2], 3)
    decision = recorded.decisions[0]
    assert decision.sentence == "Does it fit? 2 <= 3 is yes; 3 is not None is yes: yes. Nothing to do."
    assert decision.comment == "Does it fit?"
    assert decision.source == "len(items) <= limit and limit is not None"
    assert [(part.source, part.truth) for part in decision.parts] == [
        ("len(items) <= limit", True),
        ("limit is not None", True),
    ]


def test_its_json_can_be_written_whatever_the_run_held():
    recorded = trace(decides, ["\ud800é"], 1)
    assert "\ud800é" in recorded.to_json()["strings"]
    assert json.loads(recorded.dumps().encode()) == recorded.to_json()


def test_a_skipped_part_is_named_and_a_negated_part_keeps_its_own_truth():
    recorded = trace(decides, [1, 2], 1)
    said = [decision.sentence for decision in recorded.decisions]
    assert said[0] == "Does it fit? 2 <= 1 is no; limit is not None (skipped): no."
    assert said[1] == "Is it a list? isinstance(items, list) is True: no."
    assert [decision.outcome for decision in recorded.decisions] == [False, False, True, True, False]


def test_a_value_in_a_sentence_is_that_of_its_moment():
    said = [decision.sentence for decision in trace(decides, [1, 2], 1).decisions[2:]]
    assert [sentence.split(":")[0] for sentence in said] == [
        "items is [1, 2]",
        "items is [1]",
        "items is a list of 0",
    ]


def nested(x):
    y = inner(x)
    return [y, x]


def inner(x):
    z = {"in": x}
    return z  # noqa: RET504


def test_steps_have_event_function_line_and_depth():
    recorded = trace(nested, 5)
    first, second = nested.__code__.co_firstlineno, inner.__code__.co_firstlineno
    assert recorded.steps == [
        Step("call", "nested", first, 0),
        Step("line", "nested", first + 1, 0),
        Step("call", "inner", second, 1),
        Step("line", "inner", second + 1, 1),
        Step("line", "inner", second + 2, 1),
        Step("return", "inner", second + 2, 1),
        Step("line", "nested", first + 2, 0),
        Step("return", "nested", first + 2, 0),
    ]


def test_a_stop_shows_the_state_before_its_line():
    recorded = trace(nested, 5)
    assert recorded.variables(0) == {"x": 5}
    assert recorded.variables(3, 1) == {"x": 5}
    assert recorded.variables(4, 1) == {"x": 5, "z": {"in": 5}}
    assert recorded.variables(5, 1)["return"] == {"in": 5}
    assert recorded.variables(5) == {"x": 5}
    assert recorded.variables(6) == {"x": 5, "y": {"in": 5}}
    assert recorded.variables(7)["return"] == [{"in": 5}, 5]


def test_what_a_call_raised_shows_at_its_last_step():
    recorded = trace(inner_fails, 0)
    last = len(recorded.steps) - 1
    assert recorded.steps[last].event == "raise"
    assert recorded.variables(last)["raise"] == "ZeroDivisionError: division by zero"


def inner_fails(x):
    return 1 / x


def test_reading_back_gives_an_outcome_of_its_own():
    recorded = trace(nested, 5)
    back = Trace.from_json(recorded.to_json())
    assert back.outcome.value == recorded.outcome.value == [{"in": 5}, 5]
    back.outcome.value.append("more")
    assert recorded.outcome.value == [{"in": 5}, 5]
    assert repr(back) == "<Trace of nested: returned, 8 steps>"


def test_to_json_is_a_copy():
    recorded = trace(nested, 5)
    recorded.to_json()["strings"].clear()
    assert recorded.to_json()["strings"]


def question_only(messages):
    return messages[:1]


def counted(messages):
    return len(messages)


def spoiled(messages):
    messages.clear()
    raise ValueError


def checks(recorded):
    """The lines of the text face below "Checks"."""
    return recorded.text().split("\nChecks\n")[1].splitlines()


def test_facts_are_kept_or_lost():
    recorded = trace(question_only, scenario="normal")
    assert recorded.facts == [
        Survival("rule", "Ask before you delete anything", kept=True),
        Survival("path", "notes.txt", kept=True),
        Survival("figure", "8443", kept=False),
        Survival("id", "call_1", kept=False),
    ]
    assert Trace.from_json(recorded.to_json()).facts == recorded.facts
    assert trace(question_only, [{"role": "user", "content": "8443"}]).facts is None


def test_the_text_names_each_fact_below_the_checks():
    assert checks(trace(question_only, scenario="normal"))[3:] == [
        "  rule kept: Ask before you delete anything",
        "  path kept: notes.txt",
        "  figure LOST: 8443",
        "  id LOST: call_1",
    ]


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        (counted, [], "nothing is lost, for the input stays as it was"),
        (spoiled, [], "not judged: no candidate, and the input was changed"),
        (question_only, [[{"role": "user", "content": "hello"}]], "the input says none of them"),
    ],
)
def test_the_text_says_why_no_fact_is_judged(function, given, said):
    recorded = trace(function, *given, scenario="normal")
    assert checks(recorded)[3:] == [f"  facts that must survive: {said}"]


def test_the_text_says_nothing_of_facts_where_there_are_none():
    none = replace(load_scenario("normal"), must_survive=())
    assert len(checks(trace(question_only, scenario=none))) == 3
    assert len(checks(trace(question_only, [{"role": "user", "content": "hello"}]))) == 3


def test_a_hostile_fact_is_one_line():
    text = "a\nrule kept: b\u202e\x1b[2J" + "x" * 2000
    scenario = replace(load_scenario("normal"), must_survive=(Fact(kind="other", text=text),))
    recorded = trace(question_only, [{"role": "user", "content": text}], scenario=scenario)
    (line,) = checks(recorded)[3:]
    assert line.startswith("  other kept: a\\nrule kept: b\\u202e\\u001b[2Jxxx")
    assert line.endswith(f"… ({len(text)} characters)")
    assert len(line) < 1100


def test_a_long_list_of_facts_is_cut_with_a_count():
    many = tuple(Fact(kind="figure", text=str(number)) for number in range(1000))
    said = [{"role": "user", "content": " ".join(fact.text for fact in many)}]
    recorded = trace(question_only, said, scenario=replace(load_scenario("normal"), must_survive=many))
    assert len(recorded.facts) == 1000
    assert checks(recorded)[-1] == "  … 703 more"
    assert len(checks(recorded)) == 301

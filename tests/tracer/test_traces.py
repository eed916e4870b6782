"""The faces of a trace in Python: steps, decisions and their sentences, variables, values."""

import json

from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Step, Trace


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

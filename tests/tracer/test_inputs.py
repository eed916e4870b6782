"""What two runs did to what they were given: which of it is other at the end, and since when."""

import pytest

from ctxlab.reference import run_loop
from ctxlab.scenarios import scenario_names
from ctxlab.tracer.compared import Run
from ctxlab.tracer.inputs import Inputs, other_input
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace


def history(*texts):
    return [{"role": "user", "content": text} for text in texts]


def compared(one, other, *arguments):
    left, right = (
        Run(trace(function, *given())) for function, given in ((one, arguments[0]), (other, arguments[-1]))
    )
    return other_input(left, right)


def lines(function, given, steps):
    """The code of the line of each step."""
    recorded = trace(function, *given())
    text, first = recorded.data["sources"][0]["text"].splitlines(), recorded.data["sources"][0]["first_line"]
    return [text[recorded.steps[step].line - first].strip() for step in steps]


def three():
    return (history("a", "b", "c"),)


def keeps(messages):
    return "done"


def drops_last(messages):
    size = len(messages)
    if size > 1:
        messages.pop()
    return "done"


def drops_first(history):
    history.pop(0)
    return "done"


def drops_last_then_first(messages):
    messages.pop()
    messages.pop(0)
    return "done"


def cuts(messages):
    messages[:] = messages[:2]
    return "done"


def writes_it_again(messages):
    messages[:] = [dict(message) for message in messages]
    return "done"


def rebinds(messages):
    messages = messages[:2]
    return "done"


def changes_a_text(messages):
    messages[1]["content"] = "B"
    return "done"


def test_a_history_that_one_run_left_alone():
    found = compared(drops_last, keeps, three)
    assert (found.name, found.alike, found.began_apart) == ("", 0, False)
    assert found.steps[1] is None
    assert lines(drops_last, three, found.steps[:1]) == ["messages.pop()"]
    assert found.apart == ("", "a list of 2", "a list of 3")
    assert compared(rebinds, keeps, three) is None
    assert compared(keeps, changes_a_text, three).apart == ("[1]['content']", "'b'", "'B'")


def test_histories_under_two_names_that_both_runs_changed():
    found = compared(drops_last, drops_first, three)
    assert lines(drops_last, three, found.steps[:1]) == ["messages.pop()"]
    assert lines(drops_first, three, found.steps[1:]) == ["history.pop(0)"]
    assert found.apart == ("[0]['content']", "'a'", "'b'")


def test_the_same_end_in_as_many_steps_is_no_difference():
    assert compared(drops_last, cuts, three) is None


def cuts_in_three_steps(messages):
    newest = messages.pop()
    messages += [newest]
    messages.pop()
    return "done"


def test_the_same_end_in_more_steps():
    found = compared(drops_last, cuts_in_three_steps, three)
    assert (found.apart, found.alike, found.times) == (None, 1, (1, 3))
    assert found.steps[0] is None
    assert lines(cuts_in_three_steps, three, found.steps[1:]) == ["messages += [newest]"]


def test_an_equal_history_that_only_one_run_wrote_is_a_difference():
    found = compared(writes_it_again, keeps, three)
    assert found.apart is None
    assert found.steps[1] is None
    assert lines(writes_it_again, three, found.steps[:1])[0].startswith("messages[:] =")


def test_changes_that_both_made_alike_are_passed_over():
    found = compared(drops_last, drops_last_then_first, three)
    assert (found.alike, found.steps[0]) == (1, None)
    assert lines(drops_last_then_first, three, found.steps[1:]) == ["messages.pop(0)"]


def test_histories_that_were_not_the_same_to_begin_with():
    found = compared(drops_last, drops_last, three, lambda: (history("a", "B", "c"),))
    assert found.began_apart
    assert found.alike == 0
    assert compared(drops_last, drops_last_then_first, three, lambda: (history("a", "B", "c"),)).alike == 0
    assert compared(keeps, keeps, three, lambda: (history("other"),)) is None, (
        "what stays as it was is no result"
    )


def records(messages, state):
    state["archives"].append("receipt")


def forgets(messages, state):
    pass


def records_an_equal_list(messages, state):
    state["archives"] = list(state["archives"])


def test_any_other_list_or_dict_by_its_name():
    def given():
        return history("a"), {"archives": []}

    found = compared(records, forgets, given)
    assert (found.name, found.apart) == ("state", ("['archives']", "a list of 1", "a list of 0"))
    assert lines(records, given, found.steps[:1]) == ['state["archives"].append("receipt")']
    assert compared(records_an_equal_list, forgets, given) is None
    # One that no run was given under the same name stands beside nothing.
    assert compared(records, keeps, given, three) is None


def hands_on(messages):
    return drop_one(messages) or "done"


def drop_one(messages):
    messages.pop()


def drops_one_if_there_are_more(messages):
    return messages.pop() if len(messages) > 1 else None


def test_a_change_after_a_decision_on_the_same_line_is_made_by_that_line():
    recorded = trace(drops_one_if_there_are_more, *three())
    changed = Inputs(Run(recorded)).first_change("messages")
    assert changed == recorded.data["checks"]["in_place"]
    assert recorded.steps[changed].event == "line"


def raises_after_a_change(messages):
    messages.pop()
    raise ValueError


def test_a_change_in_a_function_that_was_called():
    left = Run(trace(hands_on, history("a", "b")))
    found = other_input(left, Run(trace(keeps, history("a", "b"))))
    assert left.trace.steps[found.steps[0]].function == "drop_one"
    assert left.trace.steps[found.steps[0]].event == "line"


def test_a_run_that_raised_leaves_its_change_behind():
    found = compared(raises_after_a_change, keeps, three)
    assert lines(raises_after_a_change, three, found.steps[:1]) == ["messages.pop()"]


@pytest.mark.parametrize("scenario", scenario_names())
def test_the_first_change_is_that_of_the_checks(scenario):
    recorded = trace(run_loop, scenario=scenario)
    inputs = Inputs(Run(recorded))
    assert inputs.history == "messages"
    changes = [step for step, _ in inputs.history_changes]
    assert inputs.first_change("messages") == recorded.data["checks"]["in_place"]
    assert changes[:1] == (
        [] if inputs.first_change("messages") is None else [inputs.first_change("messages")]
    )
    assert set(recorded.data["commits"]) <= set(changes)


def test_a_trace_that_was_loaded_says_the_same():
    runs = [trace(function, *three()) for function in (drops_last, drops_last_then_first)]
    found = other_input(*map(Run, runs))
    assert other_input(*(Run(Trace.from_json(run.to_json())) for run in runs)) == found


def counts(sizes):
    sizes.append(sum(sizes))


def test_a_list_of_anything_else_is_known_by_its_name():
    found = compared(counts, counts, lambda: ([1, 2],), lambda: ([1, 3],))
    assert (found.name, found.began_apart) == ("sizes", True)


def test_a_run_that_was_stopped_right_after_its_change():
    whole = Run(trace(drops_first, *three()))
    for limit in range(1, len(whole.places) + 1):
        stopped = Inputs(Run(trace(drops_first, *three(), step_limit=limit)))
        assert stopped.first_change("history") in (None, 1)

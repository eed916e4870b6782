"""What the decisions made happen that a run took alone."""

from ctxlab.tracer.compared import A_VALUE, AN_ACT, NOTHING, Effects, Run
from ctxlab.tracer.run import trace


def decides(items, archive):
    if not items:
        return archive(items)
    count = 0
    if len(items) > 1:
        count = len(items)
    if count:
        items = [item for item in items if item]
    elif archive:
        pass
    else:
        archive(items)
    while count > 0:
        archive(items)
        count -= 1
    if count == 0:
        count = looks(items)
    return count


def looks(items):
    if items:
        return 1 if items[0] else 2
    return 0


def store(items):
    return "receipt"


def effects(recorded, *aligned):
    """The effect of each decision, when the decisions about these conditions have a counterpart."""
    run = Run(recorded)
    numbers = {at for at, one in enumerate(recorded.decisions) if one.source in aligned}
    found = Effects(run, numbers)
    return [(one.source, found.of(at)) for at, one in enumerate(recorded.decisions)]


def test_arms_that_act_and_arms_that_set_variables():
    assert effects(trace(decides, [1, 2], store)) == [
        ("not items", A_VALUE),
        ("len(items) > 1", A_VALUE),
        ("count", A_VALUE),
        ("item", NOTHING),
        ("item", NOTHING),
        ("count > 0", NOTHING),
        ("count > 0", NOTHING),
        ("count > 0", NOTHING),
        ("count == 0", A_VALUE),
        ("items", AN_ACT),
        ("items[0]", NOTHING),
    ]
    assert effects(trace(decides, [], store)) == [("not items", AN_ACT)]


def test_an_else_acts_after_a_no():
    assert ("archive", AN_ACT) in effects(trace(decides, [1], None))
    assert ("archive", A_VALUE) in effects(trace(decides, [1], store))


def test_a_round_of_a_loop_counts_when_the_other_run_has_that_loop():
    recorded = trace(decides, [1, 2], store)
    run = Run(recorded)
    rounds = [at for at, one in enumerate(recorded.decisions) if one.source == "count > 0"]
    assert [run.is_loop(at) for at in (0, *rounds)] == [False, True, True, True]
    assert [Effects(run, {rounds[0]}).of(at) for at in rounds[1:]] == [AN_ACT, NOTHING]


def test_an_arm_with_an_aligned_decision_does_nothing_of_its_own():
    recorded = trace(decides, [1, 2], store)
    assert ("items", NOTHING) in effects(recorded, "items[0]")
    assert ("count == 0", NOTHING) in effects(recorded, "items[0]")
    assert ("count", NOTHING) in effects(recorded, "item")
    # The arm ends before the next decision.
    assert ("len(items) > 1", A_VALUE) in effects(recorded, "count")


def calls(items):
    first = looks(items)
    if first > 5:
        return 0
    return first


def test_an_arm_ends_with_its_call():
    assert effects(trace(calls, [1]), "first > 5")[0] == ("items", AN_ACT)


def test_a_condition_in_an_expression_acts_when_it_ends_the_run():
    def fails(items, archive):
        return [item for item in items if item > 1 / item]

    assert effects(trace(fails, [1, 2], store)) == [("item > 1 / item", NOTHING)] * 2

    def compares(items, archive):
        return 1 / items[0] if items[0] == 0 else 0

    assert effects(trace(compares, [0], store)) == [("items[0] == 0", AN_ACT)]


def test_calls_of_what_was_passed_in_have_the_name_of_the_parameter():
    calls = Run(trace(decides, [1, 2], store)).calls
    assert [call.name for call in calls] == ["archive", "archive"]
    assert Run(trace(looks, "<function store>")).calls == []


def test_what_follows_a_decision():
    run = Run(trace(looks, []))
    assert run.decided == [2]
    assert (run.after(None), run.after(0)) == (1, 3)
    assert run.last == 4
    assert Run(trace(looks, [], step_limit=1)).after(None) == 0


def test_a_step_inside_a_call_stands_for_one_of_the_entry_function():
    recorded = trace(calls, [1])
    run = Run(recorded)
    inside = run.decided[0]
    assert recorded.steps[inside].depth == 1
    assert run.called == {"looks"}
    before, after = run.own(inside), run.after(0)
    assert before < inside < after
    assert [recorded.steps[step].depth for step in range(before, after + 1)][:: after - before] == [0, 0]
    assert run.own(after) == after
    # Where the run was stopped inside the call, nothing of the entry function comes after it.
    stopped = Run(trace(calls, [1], step_limit=inside + 1))
    assert (stopped.own(inside), stopped.after(0)) == (before, before)


def test_the_steps_of_each_call():
    recorded = trace(calls, [1])
    frames = Run(recorded).frames
    assert sorted(step for steps in frames.values() for step in steps) == list(range(len(recorded.steps)))
    assert {recorded.steps[step].function for step in frames[1]} == {"looks"}


def test_a_loop_on_one_line_with_its_body_goes_round_once_per_decision(module_of):
    made = module_of(
        """
        def count(items):
            n = 0
            while n < 3: n += 1
            if n > 5:
                return 1
            return n
        """
    )
    run = Run(trace(made.count, []))
    # The first question and the last are common to both; the rounds between hold neither of them.
    assert [Effects(run, {0, 3}).of(at) for at in (1, 2)] == [A_VALUE, A_VALUE]


def asks(items, *, text="t", store=None):
    if store:
        items = asks(items, text="longer")
    found = hands(items, 2, text, store, None)
    return hands(found, most=3)


def hands(items, most, text="t", store=None, none=1.5):
    if items:
        asks([], text=text)
    return items


def test_calls_of_traced_functions_with_their_plain_arguments():
    recorded = trace(asks, [1], store=store)
    run = Run(recorded)
    assert [(call.name, call.given) for call in run.traced_calls] == [
        ("asks", {"text": '"longer"', "store": "None"}),
        ("hands", {"most": "2", "text": '"t"', "none": "None"}),
        ("hands", {"most": "3", "text": '"t"', "store": "None", "none": "1.5"}),
    ]
    assert {recorded.steps[call.step].depth for call in run.traced_calls} == {0}

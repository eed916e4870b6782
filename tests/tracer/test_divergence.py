"""Where two runs part, for one function with two parameters and for two versions of a function."""

# ruff: noqa: RET505, SIM102, SIM108 - learners write conditions in every way

import re
import sys

import pytest

from ctxlab.errors import Refusal
from ctxlab.reference import run_loop
from ctxlab.reference.history import history_bytes, prepare_context, split_history, trim_results
from ctxlab.tracer import alignment
from ctxlab.tracer.divergence import Divergence, aligned, divergence, explain
from ctxlab.tracer.likeness import likeness
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace, Turns


def code(recorded, step):
    """The line of source at which a step stands."""
    at = recorded.steps[step]
    source = next(source for source in recorded.data["sources"] if source["name"] == at.function)
    return source["text"].splitlines()[at.line - source["first_line"]].strip()


def parted(left, right):
    """The kind of the divergence, and the lines at which each side is opened."""
    found = divergence(left, right)
    if found is None:
        return None
    for recorded, step, decision in (
        (left, found.left, found.left_decision),
        (right, found.right, found.right_decision),
    ):
        assert decision is None or recorded.decisions[decision].step == step
    return found.kind, code(left, found.left), code(right, found.right)


def said(left, right, names=("reference", "yours")):
    lines = explain(left, right, divergence(left, right), names)
    return [re.sub(r"line \d+", "line N", line) for line in lines]


def fits(messages, budget):
    size = sum(map(len, messages))
    # Does it fit?
    if size <= budget:
        # Nothing goes.
        return messages
    # Is there but one message?
    if len(messages) == 1:
        raise Refusal("too_large", "one message alone is over budget")
    return messages[1:]


SAME = [
    "No decision tells the two runs apart, and both end with equal values.",
    "Whether such a value is a copy, or shared with something else, is not compared.",
]


# One function


def test_the_same_run_twice():
    left, right = (trace(fits, ["ab", "c"], 3) for _ in range(2))
    assert parted(left, right) is None
    assert said(left, right) == SAME


def test_a_changed_budget_parts_at_the_decision_about_it():
    left, right = trace(fits, ["ab", "c"], 3), trace(fits, ["ab", "c"], 2)
    assert parted(left, right) == ("answer", "if size <= budget:", "if size <= budget:")
    assert said(left, right) == [
        "reference, line N: Does it fit? 3 <= 3 is yes. Nothing goes.",
        "yours, line N: Does it fit? 3 <= 2 is no.",
    ]


def test_a_changed_budget_that_changes_no_answer_and_no_result():
    left, right = trace(fits, ["ab", "c"], 3), trace(fits, ["ab", "c"], 4)
    assert parted(left, right) is None


def test_a_changed_input_parts_at_the_first_decision_about_other_values():
    left, right = trace(fits, ["ab", "c"], 9), trace(fits, ["ab", "cd"], 9)
    assert parted(left, right) == ("values", "if size <= budget:", "if size <= budget:")
    assert said(left, right)[-1] == (
        "The answer is the same, but the values differ: size is 3 (reference), 4 (yours)."
    )


def test_a_result_alone():
    left, right = trace(fits, ["ab", "c"], 9), trace(fits, ["ab", "d"], 9)
    assert parted(left, right) == ("result", "return messages", "return messages")
    assert said(left, right) == [
        'reference: fits: returned ["ab", "c"].',
        'yours: fits: returned ["ab", "d"].',
        "The results first differ at [1]: 'c' (reference), 'd' (yours).",
    ]


def told(texts):
    return [{"role": "user", "content": text} for text in texts]


def commits(messages, prepare):
    candidate = prepare(list(messages))
    messages[:] = candidate
    return "committed"


def adds(messages, prepare):
    candidate = prepare(list(messages))
    messages.extend(candidate)
    return "committed"


def clears_first(messages, prepare):
    given = list(messages)
    messages.clear()
    messages.extend(prepare(given))
    return "committed"


def rebinds(messages, prepare):
    messages = prepare(list(messages))
    return "committed"


def shares(messages, prepare):
    messages[:] = prepare(messages)
    return "committed"


def test_a_history_alone_that_one_run_left_as_it_was():
    left, right = (trace(each, told("ab"), newest) for each in (commits, rebinds))
    assert parted(left, right) == ("input", "messages[:] = candidate", 'return "committed"')
    assert said(left, right) == [
        "No decision tells the two runs apart; the histories differ at the end.",
        "reference first changed its history at step 2 (line N), yours never did.",
        "They first differ: a list of 1 (reference), a list of 2 (yours).",
    ]
    assert parted(right, left) == ("input", 'return "committed"', "messages[:] = candidate")
    assert said(right, left)[1] == "yours first changed its history at step 2 (line N), reference never did."


def test_a_history_alone_that_both_changed():
    left, right = (trace(each, told("ab"), newest) for each in (commits, adds))
    assert parted(left, right) == ("input", "messages[:] = candidate", "messages.extend(candidate)")
    assert said(left, right)[1] == (
        "reference first changed its history at step 2 (line N), yours at step 2 (line N)."
    )


def test_a_history_that_one_run_changed_in_more_steps():
    left, right = (trace(each, told("ab"), newest) for each in (commits, clears_first))
    assert parted(left, right) == ("input", "messages[:] = candidate", "messages.clear()")
    assert said(left, right) == [
        "No decision tells the two runs apart; the histories are equal at the end, but not on the way there.",
        "reference first changed its history at step 2 (line N), yours at step 2 (line N).",
        "In all, reference changed its history once, yours 2 times.",
    ]
    assert parted(left, trace(commits_otherwise, told("ab"), newest)) is None


def commits_otherwise(messages, prepare):
    messages[0:] = prepare(list(messages))
    return "committed"


def newest(messages):
    return messages[-1:]


def test_what_is_only_shared_is_not_said_to_be_the_same():
    left, right = (trace(each, told("ab"), newest) for each in (commits, shares))
    assert parted(left, right) is None
    assert said(left, right) == SAME


def test_an_equal_history_that_one_run_put_together_anew():
    left, right = (trace(each, told("ab"), copies) for each in (commits, rebinds))
    assert parted(left, right)[0] == "input"
    assert said(left, right) == [
        "No decision tells the two runs apart; the histories are equal at the end, but not on the way there.",
        "reference first changed its history at step 2 (line N), yours never did.",
    ]


def copies(messages):
    return [dict(message) for message in messages]


def test_histories_of_a_loop_that_part_after_changes_that_both_made():
    def answers(word):
        return lambda messages: (
            {"role": "assistant", "content": "All is checked."}
            if len(messages) > 8
            else {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_use",
                        "id": f"c{len(messages)}",
                        "name": "read",
                        "input": {"word": word if len(messages) > 4 else "first"},
                    }
                ],
            }
        )

    tools = {"read": lambda word: "noted"}
    left, right = (trace(run_loop, answers(word), tools, told("a")) for word in ("one", "two"))
    found = divergence(left, right)
    assert found is not None
    assert found.kind == "input"
    assert said(left, right)[1].startswith("After 2 changes that both made, reference changed its history at")
    first = left.data["checks"]["in_place"]
    assert found.left == found.right > first
    assert code(left, found.left).startswith("messages.extend(")


def test_histories_that_were_not_the_same_at_the_start():
    left, right = trace(commits, told("ab"), copies), trace(commits, told("ac"), copies)
    assert said(left, right) == [
        "No decision tells the two runs apart; the histories differ at the end.",
        "reference first changed its history at step 2 (line N), yours at step 2 (line N).",
        "They differ at the start, too.",
    ]
    left, right = trace(commits, told("ab"), newest), trace(clears_first, told("cb"), newest)
    assert said(left, right)[-1] == "They differ at the start."


def records(state, archive):
    state["archives"].append(archive())
    return "archived"


def forgets(state, archive):
    archive()
    return "archived"


def test_a_state_alone():
    left, right = (trace(each, {"archives": []}, lambda: "r") for each in (records, forgets))
    assert parted(left, right)[0] == "input"
    assert said(left, right) == [
        "No decision tells the two runs apart; state differs at the end.",
        "reference first changed state at step 1 (line N), yours never did.",
        "It first differs at ['archives']: a list of 1 (reference), a list of 0 (yours).",
    ]


def fails_after_a_change(messages, prepare):
    messages.pop()
    raise ValueError("no")


def fails_at_once(messages, prepare):
    raise ValueError("no")


def test_a_result_and_a_history():
    left, right = trace(commits, told("ab"), newest), trace(fails_after_a_change, told("abc"), newest)
    assert parted(left, right)[0] == "only_left", "only one of them called what it was given"
    left, right = trace(fails_at_once, told("ab"), newest), trace(fails_after_a_change, told("ab"), newest)
    assert parted(left, right) == ("input", 'raise ValueError("no")', "messages.pop()")
    left, right = trace(commits, told("ab"), newest), trace(says_something_else, told("ab"), newest)
    assert parted(left, right)[0] == "result"
    assert said(left, right)[2:] == [
        "The results first differ: 'committed' (reference), 'done' (yours).",
        "Besides, the histories differ at the end.",
        "reference first changed its history at step 2 (line N), yours never did.",
        "They first differ: a list of 1 (reference), a list of 2 (yours).",
    ]


def says_something_else(messages, prepare):
    prepare(list(messages))
    return "done"


def test_the_reference_with_another_budget():
    left = trace(prepare_context, scenario="trim", budget=1600)
    right = trace(prepare_context, scenario="trim", budget=3200)
    found = divergence(left, right)
    assert found is not None
    assert left.decisions[found.left_decision].comment == "Does the history fit the budget as it is?"
    assert parted(left, right)[0] == "answer"
    # All that the left run was asked after that has nothing beside it.
    rows = aligned(left, right)
    assert rows[: len(right.decisions)] == [(at, at) for at in range(len(right.decisions))]
    assert [one for one, other in rows if other is None] == list(
        range(len(right.decisions), len(left.decisions))
    )


def test_the_step_limit():
    whole, stopped = trace(fits, ["ab", "c"], 2), trace(fits, ["ab", "c"], 2, step_limit=4)
    assert stopped.outcome.kind == "step_limit"
    assert parted(whole, stopped)[0] == "result"
    assert said(whole, stopped) == [
        'reference: fits: returned ["c"].',
        "yours: fits: stopped at the step limit.",
    ]


def test_traces_read_back_from_json():
    left, right = trace(fits, ["ab", "c"], 3), trace(fits, ["ab", "c"], 2)
    back = [Trace.from_json(recorded.to_json()) for recorded in (left, right)]
    assert divergence(*back) == divergence(left, right)
    assert said(*back) == said(left, right)
    assert aligned(*back) == aligned(left, right) == [(0, 0), (None, 1)]


def test_a_run_that_was_stopped_beside_one_that_returned_nothing():
    whole, stopped = trace(returns, None, 1), trace(returns, None, 1, step_limit=1)
    assert parted(whole, stopped)[0] == "result"


# Two versions of a function


def fits_strictly(history, limit):
    if sum(map(len, history)) < limit:
        return history
    if len(history) == 1:
        raise Refusal("too_large", "one message alone is over budget")
    return history[1:]


def test_less_than_for_at_most():
    left, right = trace(fits, ["ab", "c"], 3), trace(fits_strictly, ["ab", "c"], 3)
    assert parted(left, right) == ("answer", "if size <= budget:", "if sum(map(len, history)) < limit:")
    assert said(left, right) == [
        "reference, line N: Does it fit? 3 <= 3 is yes. Nothing goes.",
        "yours, line N: 3 < 3 is no.",
    ]
    assert parted(trace(fits, ["ab", "c"], 4), trace(fits_strictly, ["ab", "c"], 4)) is None


def fits_inverted(messages, limit):
    n = sum(map(len, messages))
    if n > limit:
        if len(messages) != 1:
            return messages[1:]
        else:
            raise Refusal("too_large", "one message alone is over budget")
    else:
        return messages


@pytest.mark.parametrize(("messages", "budget"), [(["ab", "c"], 3), (["ab", "c"], 2), (["abc"], 2)])
def test_an_inverted_condition_with_its_arms_swapped(messages, budget):
    left, right = trace(fits, messages, budget), trace(fits_inverted, messages, budget)
    assert None not in {side for row in aligned(left, right) for side in row}
    assert parted(left, right) is None


def test_left_and_right_can_be_exchanged():
    left, right = trace(fits, ["abc"], 2), trace(fits_unchecked, ["abc"], 2)
    one, other = divergence(left, right), divergence(right, left)
    assert one is not None
    assert one.kind == "only_left"
    assert other == Divergence("only_right", one.right, one.left, one.right_decision, one.left_decision)
    assert explain(right, left, other, ("b", "a")) == explain(left, right, one, ("a", "b"))


def fits_with_wrong_arms(messages, limit):
    if sum(map(len, messages)) > limit:
        return messages
    return messages[1:]


def test_an_inverted_condition_with_its_arms_as_they_were_parts_at_the_result():
    left, right = trace(fits, ["ab", "c"], 3), trace(fits_with_wrong_arms, ["ab", "c"], 3)
    assert parted(left, right) == ("result", "return messages", "return messages[1:]")
    assert said(left, right)[-1] == "The results first differ: a list of 2 (reference), a list of 1 (yours)."


def fits_unchecked(messages, budget):
    size = sum(map(len, messages))
    if size <= budget:
        return messages
    return messages[1:]


def test_an_omitted_check():
    harmless = trace(fits, ["ab", "c"], 2), trace(fits_unchecked, ["ab", "c"], 2)
    assert parted(*harmless) is None
    harmful = trace(fits, ["abc"], 2), trace(fits_unchecked, ["abc"], 2)
    assert parted(*harmful) == ("only_left", "if len(messages) == 1:", "return messages[1:]")
    assert said(*harmful) == [
        "reference, line N: Is there but one message? 1 == 1 is yes.",
        "yours does not ask this. It goes on with line N.",
    ]


def fills(items, most):
    if not items:
        items.append(0)
    if len(items) > most:
        return []
    return items


def fills_nothing(items, most):
    if len(items) > most:
        return []
    return items


def test_a_decision_of_both_does_not_stand_beside_one_of_one_run_alone():
    left, right = trace(fills, [], 5), trace(fills_nothing, [], 5)
    found = divergence(left, right)
    assert found is not None
    assert (found.kind, found.left_decision, found.right_decision) == ("only_left", 0, None)
    assert aligned(left, right) == [(0, None), (1, 0)]
    assert said(left, right)[1] == "yours does not ask this. It goes on with line N."


def fits_cautiously(messages, budget):
    if not isinstance(messages, list):
        raise TypeError("no list")
    if budget > 5:
        return []
    size = sum(map(len, messages))
    if size <= budget:
        return messages
    if len(messages) == 1:
        raise Refusal("too_large", "one message alone is over budget")
    return messages[1:]


def test_an_extra_check():
    harmless = trace(fits, ["ab", "c"], 2), trace(fits_cautiously, ["ab", "c"], 2)
    assert parted(*harmless) is None
    harmful = trace(fits, ["ab", "c"], 7), trace(fits_cautiously, ["ab", "c"], 7)
    # Each run has a decision here that the other has not; that of the left run is named first.
    assert parted(*harmful) == ("only_left", "if size <= budget:", "if budget > 5:")
    assert said(*harmful) == [
        "reference, line N: Does it fit? 3 <= 7 is yes. Nothing goes.",
        "yours does not ask this. Instead, line N: 7 > 5 is yes.",
    ]


def refuses(first, second):
    if first < 0:
        raise Refusal("first", "first is negative")
    if second < 0:
        raise Refusal("second", "second is negative")
    return first


def refuses_in_another_order(first, second):
    if second < 0:
        raise Refusal("second", "second is negative")
    if first < 0:
        raise Refusal("first", "first is negative")
    return first


def test_checks_in_another_order():
    left, right = refuses, refuses_in_another_order
    assert parted(trace(left, 1, 1), trace(right, 1, 1)) is None
    assert parted(trace(left, -1, 1), trace(right, -1, 1)) is None
    both = trace(left, -1, -2), trace(right, -1, -2)
    assert parted(*both) == ("only_left", "if first < 0:", "if second < 0:")
    assert said(*both)[1] == "yours does not ask this. Instead, line N: -2 < 0 is yes."


def returns(first, second):
    return first


def test_no_decisions_at_all():
    assert parted(trace(returns, 1, 1), trace(returns, 1, 2)) is None
    assert parted(trace(returns, 1, 1), trace(returns, 2, 1))[0] == "result"
    assert parted(trace(returns, -1, 1), trace(refuses, -1, 1)) == (
        "only_right",
        "return first",
        "if first < 0:",
    )


def test_a_refusal_against_another_one():
    def refuses_otherwise(first, second):
        if first < 0:
            raise Refusal("negative", "first is negative")
        return first

    left, right = trace(refuses, -1, 1), trace(refuses_otherwise, -1, 1)
    assert parted(left, right)[0] == "result"
    assert said(left, right) == [
        "reference: refuses: refused first: first is negative.",
        "yours: refuses_otherwise: refused negative: first is negative.",
    ]


def test_a_refusal_against_an_error_of_another_type():
    def fails(first, second):
        if first < 0:
            return {}["first"]
        return first

    def fails_otherwise(first, second):
        if first < 0:
            return [][first]
        return first

    assert parted(trace(fails, -1, 1), trace(fails_otherwise, -1, 1))[0] == "result"


# Loops


def drops(messages, budget):
    kept = list(messages)
    while sum(kept) > budget:
        kept.pop(0)
    return kept


def drops_to_less(messages, budget):
    kept = list(messages)
    while sum(kept) >= budget:
        kept.pop(0)
    return kept


def drops_by_cut(history, limit):
    cut = 0
    while sum(history[cut:]) > limit:
        cut += 1
    return history[cut:]


def test_a_loop_that_goes_round_once_more():
    left, right = trace(drops, [5, 3, 2], 5), trace(drops_to_less, [5, 3, 2], 5)
    found = divergence(left, right)
    assert found is not None
    assert (found.kind, found.left_decision, found.right_decision) == ("answer", 1, 1)
    assert said(left, right) == ["reference, line N: 5 > 5 is no.", "yours, line N: 5 >= 5 is yes."]
    assert parted(trace(drops, [5, 3, 2], 4), trace(drops_to_less, [5, 3, 2], 4)) is None


def test_a_loop_that_goes_another_way_round():
    assert parted(trace(drops, [5, 3, 2], 4), trace(drops_by_cut, [5, 3, 2], 4)) is None
    assert parted(trace(drops, [5, 3, 2], 4), trace(drops, [5, 3, 2], 5))[0] in ("answer", "only_left")


def trims(texts, most):
    out = []
    for text in texts[:-1]:
        # Is it long?
        if len(text) > most:
            out.append("")
        else:
            out.append(text)
    return [*out, texts[-1]]


def trims_the_last_too(texts, most):
    out = []
    i = 0
    while i < len(texts):
        t = texts[i]
        i += 1
        if len(t) <= most:
            out.append(t)
            continue
        out.append("")
    return out


def test_a_loop_that_takes_one_item_more():
    left, right = (
        trace(trims, ["long", "a", "longer"], 3),
        trace(trims_the_last_too, ["long", "a", "longer"], 3),
    )
    assert aligned(left, right) == [(None, 0), (0, 1), (None, 2), (1, 3), (None, 4), (None, 5), (None, 6)]
    # The loop itself is only another way to go through the list; what became of the last item shows.
    assert parted(left, right)[0] == "result"
    assert said(left, right)[-1] == "The results first differ at [2]: 'longer' (reference), '' (yours)."
    left, right = trace(trims, ["long", "a"], 3), trace(trims_the_last_too, ["long", "a"], 3)
    assert parted(left, right) == ("only_right", 'out.append("")', "if len(t) <= most:")


def gathers(pairs, keep):
    return [pair for pair in pairs if pair > keep]


def gathers_in_a_loop(pairs, keep):
    found = []
    at = 0
    while at < len(pairs):
        if pairs:
            if pairs[at] > keep:
                found.append(pairs[at])
        at += 1
    return found


def test_what_only_holds_or_repeats_what_both_do_is_no_difference():
    left, right = trace(gathers, [1, 2, 3], 1), trace(gathers_in_a_loop, [1, 2, 3], 1)
    assert parted(left, right) is None
    assert len([row for row in aligned(left, right) if None not in row]) == 3


def counts(messages, keep):
    return max(0, len(messages) - keep)


def counts_in_a_branch(messages, keep):
    if len(messages) > keep:
        cut = len(messages) - keep
    else:
        cut = 0
    return cut


def counts_wrongly(messages, keep):
    if len(messages) > keep:
        cut = len(messages)
    else:
        cut = 0
    return cut


def counts_in_an_expression(messages, keep):
    return len(messages) - keep if len(messages) > keep else 0


def test_a_branch_that_only_sets_a_variable_counts_when_nothing_else_tells_the_runs_apart():
    for other in (counts_in_a_branch, counts_in_an_expression):
        assert parted(trace(counts, [1, 2], 1), trace(other, [1, 2], 1)) is None
    wrong = trace(counts, [1, 2], 1), trace(counts_wrongly, [1, 2], 1)
    assert parted(*wrong) == ("only_right", "return max(0, len(messages) - keep)", "if len(messages) > keep:")


def cut_with_a_limit(count, keep):
    return 1 + max(0, count - keep)


def cut_with_an_early_return(count, keep):
    # Is anything older?
    if count >= keep:
        return 1 + count - keep
    return 0


def test_an_early_return_not_taken_counts_when_nothing_else_tells_the_runs_apart():
    left, right = trace(cut_with_a_limit, 0, 1), trace(cut_with_an_early_return, 0, 1)
    assert parted(left, right) == ("only_right", "return 1 + max(0, count - keep)", "if count >= keep:")
    assert said(left, right)[0] == "yours, line N: Is anything older? 0 >= 1 is no."


def test_an_assertion_counts_when_it_fails(module_of):
    asserts = module_of("def asserts(first, second):\n    assert first > second\n    return first\n").asserts
    assert parted(trace(returns, 2, 1), trace(asserts, 2, 1)) is None
    failed = trace(returns, 1, 2), trace(asserts, 1, 2)
    assert parted(*failed)[0] == "only_right"
    assert said(*failed)[0] == "yours, line N: 1 > 2 is no."


# Calls of functions that the caller passed in


def keeps(messages, archive):
    if not messages:
        return []
    archive(messages)
    if len(messages) <= 1:
        return []
    return messages[1:]


def keeps_all(messages, archive):
    archive(messages)
    if not messages:
        return []
    if len(messages) <= 1:
        return []
    return messages[1:]


def keeps_nothing(messages, archive):
    if not messages:
        return []
    if len(messages) <= 1:
        return []
    return messages[1:]


def store(messages):
    return "receipt"


def test_a_call_that_one_run_alone_makes():
    left, right = trace(keeps, [], store), trace(keeps_all, [], store)
    assert parted(left, right) == ("only_right", "if not messages:", "archive(messages)")
    assert said(left, right) == [
        "yours, line N: archive is called.",
        "reference does not call it here. Instead, line N: messages is a list of 0: yes.",
    ]
    left, right = trace(keeps, [1], store), trace(keeps_nothing, [1], store)
    assert parted(left, right) == ("only_left", "archive(messages)", "if len(messages) <= 1:")


def test_the_order_of_a_call_and_a_check_does_not_count_where_both_happen():
    assert parted(trace(keeps, [1], store), trace(keeps_all, [1], store)) is None


def test_another_call_in_its_place():
    def summarizes(messages, archive, summarize):
        archive(messages)
        summarize(messages)
        return []

    def archives(messages, archive, summarize):
        summarize(messages)
        archive(messages)
        return []

    def stand_in(messages):
        return ""

    left, right = trace(summarizes, [1], store, stand_in), trace(archives, [1], store, stand_in)
    found = divergence(left, right)
    assert found is not None
    assert found.kind == "only_left"
    assert said(left, right) == [
        "reference, line N: archive is called.",
        "yours does not call it here. Instead, line N: summarize is called.",
    ]


# The reference beside a learner's version


def splits(history, keep=1):
    if keep <= 0 or keep > 4:
        raise Refusal("bad_argument", "keep")
    if not history:
        raise Refusal("not_a_history", "empty")
    n = len(history)
    if n % 2 != 1:
        raise Refusal("pending", "open")
    pairs = []
    k = 1
    while k < n:
        pairs.append([dict(history[k]), dict(history[k + 1])])
        k += 2
    cut = len(pairs) - keep if len(pairs) > keep else 0
    return {"question": dict(history[0]), "older": pairs[:cut], "recent": pairs[cut:]}


def splits_anywhere(messages, keep_recent=1):
    pairs = [messages[at : at + 2] for at in range(1, len(messages), 2)]
    return {"question": messages[0], "older": pairs[:-keep_recent], "recent": pairs[-keep_recent:]}


@pytest.mark.parametrize("scenario", ["normal", "multi", "old"])
def test_a_right_version_that_is_written_otherwise(scenario):
    assert parted(trace(split_history, scenario=scenario), trace(splits, scenario=scenario)) is None


def test_a_version_without_the_check_of_pairs():
    left, right = trace(split_history, scenario="mismatch"), trace(splits, scenario="mismatch")
    assert parted(left, right)[:2] == ("only_left", "if sorted(calls) != sorted(results):")
    first, second = said(left, right)
    assert first.startswith(
        "reference, line N of checked_exchange: Is a call without its result, or a result without its call?"
    )
    # That the loop goes on says nothing.
    assert second == "yours does not ask this. Instead, line N: 2 > 1 is yes."


def test_a_version_without_any_check():
    left, right = trace(split_history, scenario="pending"), trace(splits_anywhere, scenario="pending")
    assert parted(left, right)[:2] == ("only_left", "if len(messages) % 2 == 0:")
    assert said(left, right)[0].startswith(
        "reference, line N: Is the last call still waiting for its results?"
    )
    assert parted(trace(split_history, scenario="pending"), trace(splits, scenario="pending")) is None


def prepares(messages, archive, budget, keep_recent):
    # Does it fit as it is?
    if history_bytes(messages) <= budget:
        return messages
    receipt = archive(messages)
    candidate = trim_results(messages, receipt, keep_recent)
    # Is it still over the budget?
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming was not enough")
    return candidate


def prepares_by_length(messages, archive, budget, keep_recent):
    if len(messages) <= budget:
        return messages
    receipt = archive(messages)
    candidate = trim_results(messages, receipt, keep_recent)
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming was not enough")
    return candidate


def prepares_with_default(messages, archive, budget, keep_recent):
    if history_bytes(messages) <= budget:
        return messages
    receipt = archive(messages)
    candidate = trim_results(messages, receipt)
    if history_bytes(candidate) > budget:
        raise Refusal("over_budget", "trimming was not enough")
    return candidate


def both(function, other, scenario="trim", **settings):
    return tuple(trace(one, scenario=scenario, archive=store, **settings) for one in (function, other))


def test_another_thing_beside_the_same_limit_stands_beside_the_question_in_its_place():
    runs = both(prepares, prepares_by_length, budget=400, keep_recent=1)
    assert said(*runs) == [
        "reference, line N: Does it fit as it is? 3153 <= 400 is no.",
        "yours, line N: 7 <= 400 is yes.",
    ]
    assert parted(*runs)[0] == "answer"
    assert aligned(*runs)[0] == (0, 0)


def takes(messages, keep):
    if len(messages) - keep > keep:
        keep = int(keep)
    return messages[:keep]


def takes_otherwise(items, keep):
    if len(items) + 9 > keep:
        keep = int(keep)
    return items[:keep]


def test_two_answers_about_a_limit_that_change_nothing_are_no_difference():
    left, right = trace(takes, [1], 1), trace(takes_otherwise, [1], 1)
    assert [decision.outcome for decision in (*left.decisions, *right.decisions)] == [False, True]
    assert aligned(left, right) == [(0, 0)]
    assert parted(left, right) is None


def test_a_call_with_another_argument_comes_before_what_follows_from_it():
    left, right = both(prepares, prepares_with_default, budget=3000, keep_recent=2)
    call = "candidate = trim_results(messages, receipt"
    assert parted(left, right) == ("argument", f"{call}, keep_recent)", f"{call})")
    assert said(left, right) == [
        "reference, line N: trim_results is called with keep_recent 2.",
        "yours, line N: trim_results is called with keep_recent 1.",
    ]
    assert said(right, left)[0] == "reference, line N: trim_results is called with keep_recent 1."
    back = [Trace.from_json(recorded.to_json()) for recorded in (left, right)]
    assert said(*back) == said(left, right)


def test_arguments_tell_nothing_where_the_runs_end_alike_or_were_given_other_ones():
    alike = both(prepares, prepares_with_default, budget=400, keep_recent=2)
    assert alike[0].outcome.code == alike[1].outcome.code == "over_budget"
    assert parted(*alike)[0] != "argument"
    left = trace(prepares, scenario="trim", archive=store, budget=3000, keep_recent=1)
    right = trace(prepares, scenario="trim", archive=store, budget=3000, keep_recent=2)
    assert parted(left, right)[0] != "argument"


def prepares_untrimmed(messages, archive, budget, keep_recent):
    if history_bytes(messages) <= budget:
        return messages
    if keep_recent:
        return []
    return trim_results(messages, archive(messages))


def test_a_decision_comes_before_a_later_call_and_other_calls_are_not_compared():
    assert parted(*both(prepares, prepares_untrimmed, budget=400, keep_recent=2))[0] != "argument"

    def calls(n):
        size(n - 1)
        return doubled(n, 1)

    def calls_in_another_order(n):
        doubled(n, 2)
        return size(n) + 1

    def decides_first(n):
        if n > 0:
            return 7
        return doubled(n, 2)

    def size(n):
        return n

    def doubled(n, times):
        return n * times

    assert parted(trace(calls, 3), trace(calls_in_another_order, 3))[0] == "result"
    assert parted(trace(calls, 3), trace(decides_first, 3))[0] == "only_right"


def halves(numbers):
    found = []
    for number in numbers:
        # Is it even?
        if is_even(number):
            found.append(number // 2)
    return found


def is_even(number):
    if number < 0:
        number = -number
    return number % 2 == 0


def halves_none(numbers):
    for number in numbers:
        is_even(number)
    return []


def halves_backwards(numbers):
    found = []
    for number in reversed(numbers):
        if is_even(number):
            found.append(number // 2)
    return found


def test_no_line_inside_a_function_that_both_call_is_named():
    left, right = trace(halves, [4]), trace(halves_none, [4])
    assert parted(left, right) == ("only_left", "if is_even(number):", "return []")
    assert said(left, right)[1] == "yours does not ask this. It goes on with line N."


def asks_much(n):
    return small(n) + 1


def asks_less(n):
    return small(n - 9) + 1


def small(n):
    # Is it small?
    if n < 5:
        return 0
    return n


def test_a_decision_inside_a_function_that_both_call_is_named_by_the_line_that_calls_it():
    left, right = trace(asks_much, 10), trace(asks_less, 11)
    assert said(left, right) == [
        "reference, in small, called in line N: Is it small? 10 < 5 is no.",
        "yours, in small, called in line N: Is it small? 2 < 5 is yes.",
    ]
    at = left.steps[divergence(left, right).left]
    assert at.function == "small"
    line = int(re.search(r"line (\d+)", explain(left, right, divergence(left, right))[0])[1])
    assert line == left.steps[1].line != at.line


def test_the_same_question_next_with_another_answer_is_where_the_runs_part():
    left, right = trace(drops, [5, 3, 2], 5), trace(drops, [5, 3, 2], 4)
    # By its values and its answer, the last question of both fits better.
    assert aligned(left, right) == [(0, 0), (None, 1), (1, 2)]
    assert said(left, right) == ["reference, line N: 5 > 5 is no.", "yours, line N: 5 > 4 is yes."]
    assert said(right, left) == ["reference, line N: 5 > 4 is yes.", "yours, line N: 5 > 5 is no."]
    assert divergence(left, right) == divergence(right, left)


def test_arguments_may_be_the_first_that_differs_in_a_loop():
    left, right = trace(halves, [2, 3, 5, 8]), trace(halves_backwards, [2, 3, 5, 8])
    assert said(left, right) == [
        "reference, line N: is_even is called with number 2.",
        "yours, line N: is_even is called with number 8.",
    ]


def marks(first, second):
    found = []
    if first > 0:
        found.append("first")
    if second > 0:
        found.append("second")
    return found


def marks_in_another_order(first, second):
    found = []
    if second > 0:
        found.append("second")
    if first > 0:
        found.append("first")
    return found


def test_what_is_asked_later_is_not_said_to_be_left_out():
    left, right = trace(marks, 1, 2), trace(marks_in_another_order, 1, 2)
    assert aligned(left, right) == [(0, None), (1, 0), (None, 1)]
    assert parted(left, right)[0] == "only_left"
    assert said(left, right) == [
        "reference, line N: 1 > 0 is yes.",
        "yours asks this only later, line N: 1 > 0 is yes.",
    ]


def marks_twice(first, second):
    found = []
    if first > 0:
        found.append("first")
    if second > 0:
        found.append("second")
    if first > 0:
        found.append("last")
    return found


def test_what_was_asked_before_is_not_said_to_be_left_out():
    left, right = trace(marks, 1, 2), trace(marks_twice, 1, 2)
    assert aligned(left, right) == [(0, 0), (1, 1), (None, 2)]
    assert said(left, right) == [
        "yours, line N: 1 > 0 is yes.",
        "reference does not ask this again. It goes on with line N.",
    ]


def test_hostile_texts_are_shown_on_one_line_of_limited_length():
    def fails(text, second):
        raise ValueError(text)

    left, right = trace(fails, "a\n\u202e<b>" + "x" * 5000, 1), trace(returns, "a", 1)
    lines = explain(left, right, divergence(left, right))
    assert lines[0].startswith("left: fails: error ValueError: a\\n\\u202e<b>xx")
    assert all(len(line) < 1100 and line.isprintable() for line in lines)


def test_hostile_comments_are_shown_on_one_line_of_limited_length(module_of):
    text = f"def f(n):\n    # Is\u202e it {'so ' * 1000}?\n    if n > 1:\n        return 1\n    return 0\n"
    made = module_of(text)
    left, right = trace(made.f, 1), trace(made.f, 2)
    lines = explain(left, right, divergence(left, right))
    assert "Is\\u202e it so so" in lines[0]
    assert all(len(line) < 1100 and line.isprintable() for line in lines)


def test_the_work_grows_with_the_length_of_the_runs(monkeypatch):
    counted = []
    look_up = Turns.__getitem__
    monkeypatch.setattr(
        Turns, "__getitem__", lambda turns, step: counted.append(step) or look_up(turns, step)
    )
    monkeypatch.setattr(alignment, "likeness", lambda *two: counted.append(two) or likeness(*two))

    def work(length):
        items = [at * 7919 % 1009 for at in range(length)]
        left, right = trace(gathers, items, 500), trace(gathers_in_a_loop, items, 500)
        counted.clear()
        assert divergence(left, right) is None
        return len(counted)

    short, long = work(300), work(1200)
    assert short > 0
    assert long < 5 * short


def seeks(items, wanted):
    at = 0
    while at < len(items):
        if items[at] > wanted:
            return at
        at += 1
    return None


def seeks_for_ever(items, wanted):
    at = 0
    found = []
    while at < len(items):
        if items[at] > wanted:
            found.append(at)
    return found


def counts_for_ever(items, wanted):
    at = 0
    while at >= 0: at += 1  # fmt: skip  # noqa: E701
    return at


def skips_for_ever(items, wanted):
    at = 0
    while True:
        if at < 0:
            return at
        elif items:
            at += 1
            wanted.append(at) if at == -1 else None


def descends_for_ever(items, wanted):
    while True:
        descends(0, items)


def descends(depth, items):
    if depth < 700:
        below = descends(depth + 1, items)
        if below > depth:
            return below
    return depth


def calls_made(function):
    """How many calls were made, those of generators that go on and of built-in functions included."""
    made = 0

    def count(frame, event, argument):
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return made


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("endless", [seeks_for_ever, counts_for_ever, skips_for_ever, descends_for_ever])
def test_beside_a_short_run_the_work_grows_with_the_length_of_an_endless_one(endless, order):
    short = trace(seeks, [1, 2, 3, 1, 5], 3)

    def work(steps):
        long = trace(endless, [1, 2, 3, 1, 5], 3, step_limit=steps)
        assert len(long.steps) == steps
        runs = (short, long)[::order]
        return calls_made(lambda: explain(*runs, divergence(*runs)))

    assert work(2000) < 5 * work(500)

"""In what two decisions are alike, from runs of functions that are written differently."""

import pytest

from ctxlab.tracer.likeness import ALIKE, MEASURED, RELATED, SAME, Likeness, asked, likeness
from ctxlab.tracer.run import trace


@pytest.fixture
def alike(module_of):
    """How two conditions are alike: `alike("size <= budget", "n < limit", 5, 5)`.

    Each stands in an entry function of its own, whose parameters get the two values.
    """

    def compare(one, other, *values, names=("size, budget", "n, limit")):
        decisions = []
        for number, (text, parameters) in enumerate(zip((one, other), names, strict=True)):
            body = f"def f{number}({parameters}):\n    if {text}:\n        return 1\n    return 2\n"
            made = module_of(body, f"made{number}")
            decisions += asked(trace(getattr(made, f"f{number}"), *values))
        return likeness(*decisions)

    return compare


def test_the_same_condition_in_the_entry_functions(alike):
    found = alike("size <= budget", "not budget < size", 5, 6, names=("size, budget", "size, budget"))
    assert (found.grade, found.agree) == (SAME, True)
    assert found.operands == ((("size", "5"), ("size", "5")), (("budget", "6"), ("budget", "6")))


def test_the_same_operator_and_the_same_values(alike):
    found = alike("size <= budget", "n <= limit", 5, 6)
    assert (found.grade, found.agree) == (ALIKE, True)
    assert found.operands == ((("size", "5"), ("n", "5")), (("budget", "6"), ("limit", "6")))


@pytest.mark.parametrize(
    ("one", "other"),
    [("size <= budget", "n > limit"), ("size <= budget", "limit < n"), ("size == 5", "5 != n")],
)
def test_an_opposite_agrees_by_the_other_answer(alike, one, other):
    for values in ((5, 6), (5, 4)):
        found = alike(one, other, *values)
        assert (found.grade, found.agree) == (ALIKE, True)


@pytest.mark.parametrize("other", ["n < limit", "n >= limit", "limit > n", "not limit <= n"])
def test_a_strict_and_another_comparison_are_related_and_agree_where_values_differ(alike, other):
    for values in ((5, 4), (5, 6)):
        found = alike("size <= budget", other, *values)
        assert (found.grade, found.agree) == (RELATED, True)


@pytest.mark.parametrize("other", ["n < limit", "n >= limit"])
def test_their_answers_differ_at_equality(alike, other):
    found = alike("size <= budget", other, 5, 5)
    assert (found.grade, found.agree) == (RELATED, False)


def test_an_operand_of_the_same_text_tells_the_sides_apart(alike):
    found = alike("size <= budget", "budget > n", 5, 5, names=("size, budget", "n, budget"))
    assert (found.grade, found.agree) == (RELATED, False)
    assert found.operands[1] == (("budget", "5"), ("budget", "5"))


def test_conditions_with_nothing_in_common(alike):
    assert alike("size <= budget", "n <= limit - 1", 5, 6) is None
    assert alike("size <= budget", "n == limit", 5, 6) is None
    assert alike("size in [5]", "n == 5", 5, 6) is None
    assert alike("isinstance(size, int)", "bool(n)", 5, 6) is None
    assert alike("size", "n - 4", 5, 6) is None
    assert alike("size in budget", "budget in size", "a", "ab", names=["size, budget"] * 2) is None


LIMITED = ("size, budget", "n, budget")


@pytest.mark.parametrize(
    ("other", "agree"), [("n <= budget", False), ("not n + 9 > budget", True), ("n < budget", False)]
)
def test_other_things_beside_the_same_limit(alike, other, agree):
    found = alike("size + 2 <= budget", other, 5, 6, names=LIMITED)
    assert (found.grade, found.agree) == (MEASURED, agree)
    assert found.operands[1] == (("budget", "6"), ("budget", "6"))
    assert found.weight == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("size + 2 <= budget", "5 <= budget"),  # asks whether the limit is sound
        ("size + 2 <= budget", "n <= budget - 1"),
        ("budget <= size + 2", "budget <= n"),  # a counter, as it may be
        ("size + 2 == budget", "n == budget"),
        ("size + 2 <= budget and size", "n <= budget"),
    ],
)
def test_no_limit_in_common(alike, one, other):
    assert alike(one, other, 5, 6, names=LIMITED) is None


def test_an_expression_taken_as_truth_by_its_value_and_its_function(alike):
    assert alike("isinstance(size, int)", "isinstance(n, int)", 5, 6).grade == ALIKE
    assert alike("size", "n", [1], 6).grade == ALIKE
    assert alike("size", "n", [], 6).agree


def test_a_part_in_common(alike):
    found = alike("size is None or size > budget", "n > limit", 7, 6)
    assert (found.grade, found.agree) == (RELATED, True)
    names = ("size, budget", "size, budget")
    found = alike("size == 5 or size > budget", "size > budget", 5, 6, names=names)
    assert (found.grade, found.agree) == (RELATED, False)
    assert alike("size and budget", "n and limit", 5, 6) is None


def test_what_was_skipped_is_unknown(alike):
    names = ("size, budget", "size, budget")
    found = alike("size and budget", "budget and size", 0, 7, names=names)
    assert found.grade == SAME
    assert found.operands[1] == (("budget", None), ("budget", "7"))
    assert found.differing == []


def test_what_differs(module_of):
    made = module_of("def f(size, budget):\n    if size <= budget:\n        return 1\n    return 2\n")
    (one,), (other,) = asked(trace(made.f, 5, 6)), asked(trace(made.f, 5, 4))
    found = likeness(one, other)
    assert (found.grade, found.agree) == (SAME, False)
    assert found.differing == [(("budget", "6"), ("budget", "4"))]
    assert one.key != other.key
    assert one.key == asked(trace(made.f, 5, 6))[0].key


def test_the_better_likeness_weighs_more():
    def weight(grade, agree, words):
        return Likeness(grade, agree, ((("a", "1"), ("a", words)),)).weight

    assert weight(SAME, True, "1") > weight(SAME, False, "1") > 2 * weight(RELATED, True, "1")
    assert weight(ALIKE, False, "2") > weight(RELATED, True, "1") > weight(RELATED, True, "2")
    assert weight(SAME, False, "2") > weight(ALIKE, True, "1")


def outer(n, less):
    if n > 3:
        return 1
    return inner(n - less)


def inner(n):
    if n > 3:
        return 1
    return 0


def test_the_same_condition_in_another_function_is_less_alike():
    entry, called = asked(trace(outer, 2, 0))
    assert (entry.function, called.function) == ("", "inner")
    assert likeness(entry, called).grade == ALIKE
    assert likeness(*asked(trace(outer, 2, 1))).grade == RELATED
    assert likeness(entry, asked(trace(inner, 2))[0]).grade == SAME


def limits(n, most):
    if n + 1 <= most:
        return limited(n, most)
    return 0


def limited(n, most):
    return 1 if n <= most else 0


def test_a_limit_in_another_function_is_another_one():
    assert likeness(*asked(trace(limits, 2, 5))) is None

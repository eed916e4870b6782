"""The canonical form of conditions, as the tracer writes them down."""

import pytest

from ctxlab.tracer.conditions import condition
from ctxlab.tracer.run import trace


@pytest.fixture
def form(module_of):
    """The canonical form of a condition on a, b and c: `form("a < b")`."""

    def read(text):
        made = module_of(f"def f(a, b, c):\n    if {text}:\n        return a\n    return b\n")
        return condition(trace(made.f, 1, 2, [3]).data["sites"][0])

    return read


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a <= b", "b >= a"),
        ("a < b", "b > a"),
        ("a == b", "b == a"),
        ("a is b", "b is a"),
        ("a and b", "b and a"),
        ("1 <= a <= 4", "a >= 1 and 4 >= a"),
        ("a < b < 4", "a < b and b < 4"),
        ("a or not b", "not (b and not a)"),
        ("not (a or b)", "not a and not b"),
        ("not (a or b) and c", "not a and not b and c"),
        ("(n := a) < b", "a < b"),
        ("c", "len(c) > 0"),
        ("c", "len(c) >= 1"),
        ("c", "len(c) != 0"),
        ("not c", "len(c) == 0"),
        ("not c", "0 == len(c)"),
        ("not c", "len(c) < 1"),
        ("not c", "len(c) <= 0"),
        ("a % 2 == 0", "a % 2 != 1"),
        ("not a % 2", "a % 2 == 0"),
    ],
)
def test_two_ways_of_writing_the_same(form, one, other):
    first, second = form(one), form(other)
    assert (first.terms, first.positive) == (second.terms, second.positive)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a <= b", "a > b"),
        ("a <= b", "not a <= b"),
        ("a < b", "a >= b"),
        ("a == b", "b != a"),
        ("a is None", "a is not None"),
        ("a in c", "a not in c"),
        ("a", "not a"),
        ("a or b", "not a and not b"),
        ("c", "not len(c)"),
        ("a % 2 == 0", "a % 2 == 1"),
        ("a % 2", "a % 2 == 0"),
    ],
)
def test_opposites_differ_by_their_sign_alone(form, one, other):
    if one == "c":
        other = "len(c) == 0"
    first, second = form(one), form(other)
    assert first.terms == second.terms
    assert first.positive is not second.positive


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a < b", "a <= b"),
        ("a < b", "b < a"),
        ("a <= b", "b <= a"),
        ("a in c", "c in (a,)"),
        ("a == b", "a is b"),
        ("a and b", "a or b"),
        ("len(c) == 1", "len(c) == 0"),
        ("len(c) < 2", "not c"),
    ],
)
def test_conditions_that_are_not_the_same(form, one, other):
    first, second = form(one), form(other)
    assert (first.terms, first.positive) != (second.terms, second.positive)


def test_only_of_evenness_is_the_other_answer_the_opposite(form):
    assert form("a % 3 == 1").terms != form("a % 3 == 0").terms
    assert form("a % 3").terms != form("a % 3 == 0").terms


def test_an_atom_says_for_which_answer_it_speaks(form):
    found = form("not (a < 1 or b is None)")
    assert [(atom.operator, atom.positive) for atom in found.atoms] == [("<", False), ("is", False)]
    assert [atom.positive for atom in form("a > 1").atoms] == [False]


def test_operands_know_where_their_values_stand(form):
    found = form("isinstance(a, int) and 1 <= b <= 4 and not c")
    slots = [[(operand.text, operand.slot) for operand in atom.operands] for atom in found.atoms]
    # The values of the parts are: truth, a; truth, b; truth, c.
    assert slots == [
        [("isinstance(a, int)", 1)],
        [("1", None), ("b", 3)],
        [("b", 3), ("4", None)],
        [("c", 5)],
    ]
    assert found.atoms[0].operator == "isinstance"
    assert [operand.words for operand in found.atoms[1].operands] == ["1", None]


def test_a_text_in_a_condition_is_described_as_a_value_is(form):
    assert form("a == 'user'").atoms[0].operands[1].words == '"user"'


def test_a_case_of_match_stands_for_itself(module_of):
    made = module_of("def f(a):\n    match a:\n        case [1, x]:\n            return x\n    return 0\n")
    found = condition(trace(made.f, [1, 2]).data["sites"][0])
    assert found.terms == ("match a: case [1, x]",)
    assert [operand.slot for operand in found.atoms[0].operands] == [1]


@pytest.mark.parametrize("text", ["(" * 500, "not " * 5000 + "a", "a and b", "\0"])
def test_a_text_that_does_not_fit_its_parts_stands_for_itself(text):
    part = {"source": "a", "pieces": ["a is ", 0], "compare": False}
    assert condition({"source": text, "parts": [part]}).terms == (text,)


def test_len_without_a_container_is_no_question_of_emptiness():
    part = {"source": "len() == 0", "pieces": [0, " == 0"], "compare": True}
    assert condition({"source": "len() == 0", "parts": [part]}).terms == ("0 == len()",)

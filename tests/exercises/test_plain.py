"""Values as they are compared and shown: nothing of a learner's own class is ever asked anything."""

import json
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.exercises.plain import (
    NOTHING,
    Other,
    difference,
    place_of_difference,
    plain_value,
    same,
    shared,
    words,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
)


class Hostile:
    """Every question to it ends badly."""

    def fail(self, *_: Any) -> NoReturn:
        raise SystemExit

    __eq__ = __hash__ = __repr__ = __len__ = __iter__ = __bool__ = __getattr__ = fail  # type: ignore[assignment]


class HostileDict(dict[Any, Any]):
    __iter__ = items = keys = __getitem__ = __len__ = __eq__ = Hostile.fail  # type: ignore[assignment]


class HostileList(list[Any]):
    __iter__ = __getitem__ = __len__ = __eq__ = Hostile.fail  # type: ignore[assignment]


class Pair(NamedTuple):
    left: int
    right: int


class Text(str):
    pass


class HostileClass(type):
    __eq__ = lambda cls, other: True  # type: ignore[assignment]  # noqa: E731
    __hash__ = Hostile.fail  # type: ignore[assignment]


class Whatever(metaclass=HostileClass):
    pass


async def coroutine() -> None:
    pass


def generator() -> Any:
    yield 1


class TestPlainValue:
    @given(JSON)
    def test_json_stays_as_it_is_and_is_a_copy(self, value: Any) -> None:
        copy = plain_value(value)
        assert json.dumps(copy) == json.dumps(value)
        assert shared(copy, value) == []

    # Made in the test: pytest, for one, asks its parameters for their names.
    @pytest.mark.parametrize(
        ("make", "label"),
        [
            (Hostile, "a value of type Hostile"),
            (lambda: Whatever(), "a value of type Whatever"),
            (HostileDict, "a value of type HostileDict, a kind of dict, where a plain dict is due"),
            (HostileList, "a value of type HostileList, a kind of list, where a plain list is due"),
            (OrderedDict, "a value of type OrderedDict, a kind of dict, where a plain dict is due"),
            (lambda: Pair(1, 2), "a value of type Pair, a kind of tuple, where a plain tuple is due"),
            (lambda: Text("a"), "a value of type Text, a kind of str, where a plain str is due"),
            (generator, "a generator (the function holds a yield; return a list)"),
            (lambda: len, "a built-in function"),
            (lambda: generator, "a function"),
            (lambda: int, "a class"),
            (set, "a value of type set"),
            (bytes, "a value of type bytes"),
            (lambda: {(1, 2): 3}, "a dict with a key that is no text or number"),
        ],
    )
    def test_what_is_no_data_becomes_a_label(self, make: Callable[[], Any], label: str) -> None:
        assert plain_value(make()) == Other(label)
        assert plain_value([make()]) == [Other(label)]

    def test_a_coroutine_is_closed_so_that_python_does_not_warn(self) -> None:
        # A warning would be an error here.
        assert plain_value(coroutine()) == Other("a coroutine (it is an async function; write def alone)")

    def test_a_list_that_contains_itself(self) -> None:
        endless: list[Any] = []
        endless += [endless, endless]
        assert words(plain_value(endless)) == "a list of 2"

    def test_a_very_large_value(self) -> None:
        assert plain_value([0] * 1_000_000) == Other(
            "a list that is too deep or too large, or contains itself"
        )

    def test_tuples_stay_tuples(self) -> None:
        assert plain_value(([1], (2,))) == ([1], (2,))


class TestDifference:
    @given(JSON)
    def test_a_value_is_the_same_as_itself_nan_included(self, value: Any) -> None:
        assert same(plain_value(value), plain_value(value))

    @pytest.mark.parametrize(
        ("left", "right", "path"),
        [
            (1, True, ""),
            (1, 1.0, ""),
            (0, False, ""),
            ([1], (1,), ""),
            (None, Other("a function"), ""),
            ({"a": [1, 2]}, {"a": [1, 3]}, '["a"][1]'),
            ([{"b": {"c": "x"}}], [{"b": {"c": "y"}}], '[0]["b"]["c"]'),
            ([1, 2], [1], "[1]"),
            ({}, {"a": None}, '["a"]'),
            ({"a": None}, {}, '["a"]'),
            ({1: "x"}, {1: "y"}, "[1]"),
        ],
    )
    def test_names_the_first_place(self, left: Any, right: Any, path: str) -> None:
        found = difference(left, right)
        assert found is not None
        assert found[0] == path
        assert not same(right, left)

    def test_what_one_side_lacks_is_nothing(self) -> None:
        assert difference([1, 2], [1]) == ("[1]", 2, NOTHING)
        assert difference({}, {"a": None}) == ('["a"]', NOTHING, None)

    def test_the_order_of_keys_does_not_matter(self) -> None:
        assert same({"a": 1, "b": 2}, {"b": 2, "a": 1})


class TestShared:
    def test_names_both_places(self) -> None:
        given = [{"role": "user"}, {"content": [{"id": "c1"}]}]
        result = {"older": [], "recent": [given[1]["content"]]}
        assert shared(result, given) == [('["recent"][0]', '[1]["content"]')]
        assert shared(given, given) == [("", "")]

    def test_names_each_of_them_but_not_what_is_in_one(self) -> None:
        given = [{"content": [{"id": "c1"}]}, {"content": []}]
        assert shared([given[1], [], given[0]], given) == [("[0]", "[1]"), ("[2]", "[0]")]

    def test_looks_into_tuples_and_the_learners_own_kinds(self) -> None:
        given: list[Any] = [[]]
        assert shared(HostileDict(a=HostileList([(given[0],)])), given) == [('["a"][0][0]', "[0]")]

    def test_texts_and_numbers_are_no_shares(self) -> None:
        text = "a" * 1000
        assert shared([text, 7, (text,)], [text, 7]) == []

    def test_a_value_that_contains_itself_comes_to_an_end(self) -> None:
        endless: list[Any] = []
        endless.append(endless)
        assert shared(endless, []) == []
        assert shared([endless], endless) == [("[0]", "")]

    def test_a_very_large_value_is_looked_at_in_part(self) -> None:
        assert shared([[] for _ in range(1_000_000)], [[]]) == []


class TestWords:
    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ("a", '"a"'),
            ("a\nb\u202e", '"a\\nb\\u202e"'),
            ("ab" * 100, '"' + "ab" * 20 + '…" (200 characters)'),
            ("漢" * 601, '"漢" * 601'),
            ("\n" * 11, '"\\n" * 11'),
            (True, "True"),
            (float("nan"), "nan"),
            ([10**5000], "[an int of 16610 bits]"),
            ([[2, 0], "a"], '[[2, 0], "a"]'),
            ((1,), "(1)"),
            ({"a": [], "b": None}, '{"a": [], "b": None}'),
            (list(range(13)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …]"),
            (["ab" * 30] * 10, "a list of 10"),
            ({"older": ["ab" * 30] * 9, "recent": []}, 'a dict with "older", "recent"'),
            ([{"role": "user", "content": "ab" * 30}] * 3, "a history of 3 messages"),
            (Other("a function"), "a function"),
        ],
    )
    def test_one_short_line(self, value: Any, said: str) -> None:
        assert words(value) == said

    @given(JSON | st.text())
    def test_is_never_long_and_never_more_than_a_line(self, value: Any) -> None:
        said = words(plain_value(value))
        assert len(said) < 300
        assert said.isprintable()


class TestPlaceOfDifference:
    def test_shows_a_piece_of_each_from_shortly_before(self) -> None:
        left, right = "a" * 30 + "block 0, call", "a" * 30 + "block 1, call"
        assert place_of_difference(left, right) == (36, '"aaaaaablock 0, call"', '"aaaaaablock 1, call"')

    def test_at_the_end_of_the_shorter_text(self) -> None:
        assert place_of_difference("abc", "abcd") == (3, '"abc"', '"abcd"')

    def test_at_the_start(self) -> None:
        assert place_of_difference("b" * 100, "a") == (0, '"b" * 24', '"a"')

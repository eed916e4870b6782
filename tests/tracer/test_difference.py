"""The first place at which two values differ."""

import pytest

from ctxlab.tracer.difference import first_difference


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        (1, 2, ("", "1", "2")),
        (True, 1, ("", "True", "1")),
        (1, 1.0, ("", "1", "1.0")),
        ((1,), [1], ("", "a tuple of 1", "a list of 1")),
        ([1, 2], [1], ("", "a list of 2", "a list of 1")),
        ({"a": 1}, {}, ("", "a dict with the keys 'a'", "an empty dict")),
        ({"a": [1, {"b": "x"}], "c": 1}, {"a": [1, {"b": "y"}], "c": 2}, ("['a'][1]['b']", "'x'", "'y'")),
        ([[1], [2]], [[1], [3]], ("[1][0]", "2", "3")),
        ({1}, {2}, ("", "{1}", "{2}")),
    ],
)
def test_the_first_place_and_what_stands_there(left, right, found):
    assert first_difference(left, right) == found


@pytest.mark.parametrize(
    "value", [None, [], {"a": [1, (2, "x")]}, {"b": {1, 2}}, float("nan"), [float("nan")]]
)
def test_equal_values(value):
    assert first_difference(value, value) is None


def test_the_order_of_keys_does_not_count():
    assert first_difference({"a": 1, "b": 2}, {"b": 2, "a": 1}) is None


def test_values_that_contain_themselves():
    left, right, other = [1], [1], [2]
    for made in (left, right, other):
        made.append(made)
    assert first_difference(left, right) is None
    assert first_difference(left, other) == ("[0]", "1", "2")


def test_values_deeper_than_python_can_follow():
    left, right = "end", "End"
    for _ in range(5000):
        left, right = [left], [right]
    found = first_difference(left, right)
    assert found is not None
    assert found == ("[0]" * 5000, "'end'", "'End'")

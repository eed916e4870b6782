from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.messages.texts import texts


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("a", ["a"]),
        ({"key": "a", "other": ["b", {"deep": "c"}, 1, None, True]}, ["a", "b", "c"]),
        (["b", "a"], ["b", "a"]),
        (7, []),
    ],
)
def test_strings_come_in_order_and_keys_do_not(value: Any, found: list[str]) -> None:
    assert list(texts(value)) == found


@given(st.lists(st.text()))
def test_every_string_of_a_nested_value_is_found(strings: list[str]) -> None:
    nested: Any = []
    for string in reversed(strings):
        nested = {"text": string, "then": [nested]}

    assert list(texts(nested)) == strings


def test_deep_nesting_is_no_limit() -> None:
    nested: Any = "inside"
    for _ in range(100_000):
        nested = [nested]

    assert list(texts(nested)) == ["inside"]

from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


def mutable(value: Any) -> set[int]:
    """The ids of every list and dict in a value."""
    children = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, list, tuple)):
        return set()
    own = set() if isinstance(value, tuple) else {id(value)}
    return own.union(*map(mutable, children))


@given(JSON)
def test_a_copy_is_equal_and_shares_nothing_that_can_change(value: Any) -> None:
    copy = copied(value)

    assert copy == value
    assert not mutable(copy) & mutable(value)


def test_a_part_that_stands_twice_becomes_two_parts() -> None:
    shared = {"text": "a"}
    copy = copied([shared, shared])

    assert copy == [shared, shared]
    assert copy[0] is not copy[1]


def test_a_tuple_stays_a_tuple_and_its_lists_are_copied() -> None:
    inner = [1]
    copy = copied((inner, "a"))

    assert copy == (inner, "a")
    assert copy[0] is not inner


def test_a_kind_of_dict_becomes_a_dict_with_the_same_order() -> None:
    copy = copied(OrderedDict(b=1, a=2))

    assert type(copy) is dict
    assert list(copy) == ["b", "a"]


@pytest.mark.parametrize(
    "value", [{1}, b"a", bytearray(b"a"), object(), len], ids=lambda value: type(value).__name__
)
def test_a_type_that_json_lacks_is_refused(value: Any) -> None:
    with pytest.raises(Refusal, match=f"type {type(value).__name__}, which JSON lacks") as caught:
        copied([{"input": value}])

    assert caught.value.code == "not_a_history"


def test_endless_nesting_is_refused() -> None:
    itself: list[Any] = []
    itself.append({"again": itself})
    with pytest.raises(Refusal, match="contains itself") as caught:
        copied(itself)

    assert caught.value.code == "not_a_history"

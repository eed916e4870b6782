"""The fields of a JSON object."""

from typing import Any

import pytest

from ctxlab.messages.json_fields import KINDS, fields_fault, json_fault

VALUES = ["a", "", " \n", None, True, 1, [], ["a"], ["a", ""], ["a", 1], [{}], [{}, "a"], {}]
TAKEN = {
    "a text": ["a"],
    "a text, perhaps empty": ["a", "", " \n"],
    "a text or null": ["a", None],
    "a text or a list of texts": ["a", ["a"]],
    "a list of texts": [[], ["a"]],
    "a list of objects": [[], [{}]],
    "true or false": [True],
}


def test_every_kind_takes_what_it_says() -> None:
    taken = {kind: [value for value in VALUES if is_kind(value)] for kind, is_kind in KINDS.items()}
    assert taken == TAKEN


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"id": "a", "needs": [], "more": 1}, ""),
        (["id", "needs"], "is a list, not an object"),
        (None, "is None, not an object"),
        ({"id": "a"}, "has no needs, which is a list of texts"),
        ({"id": 7, "needs": None}, "has 7 as its id, not a text"),
        ({"id": "a", "needs": "b"}, "has 'b' as its needs, not a list of texts"),
    ],
)
def test_the_first_field_that_is_wrong_is_named(value: Any, fault: str) -> None:
    assert fields_fault(value, {"id": "a text", "needs": "a list of texts"}) == fault


def test_what_has_no_json_form_is_told() -> None:
    assert json_fault({"a": ["漢", 1.5, None]}) == ""
    assert json_fault({"a": {1}}) == "has no JSON form: Object of type set is not JSON serializable"
    assert json_fault("\ud800").startswith("has no JSON form: 'utf-8' codec can't encode")

from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.encoding import compact_json, indented_json


def itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ([{"role": "user", "content": "hi"}], b'[{"role":"user","content":"hi"}]'),
        ({"a": [1, 1.5, True, None]}, b'{"a":[1,1.5,true,null]}'),
        ("é漢😀", '"é漢😀"'.encode()),
        ("line\nend\u2028", '"line\\nend\u2028"'.encode()),
        ((1, 2), b"[1,2]"),
    ],
    ids=str.split("history scalars unicode newline tuple"),
)
def test_the_form_is_compact_and_keeps_every_character(value: Any, data: bytes) -> None:
    assert compact_json(value) == data


WITHOUT_A_FORM = pytest.mark.parametrize(
    "value",
    [
        "\ud800",
        ["a\udfffb"],
        {"k": float("nan")},
        float("inf"),
        {1, 2},
        b"bytes",
        {(1, 2): 3},
        object(),
        10**5000,
        itself(),
        nested(100_000),
    ],
    ids=str.split("lone in_list nan inf set bytes tuple_key object huge_int itself deep"),
)


@WITHOUT_A_FORM
def test_what_has_no_utf8_json_form_is_no_history(value: Any) -> None:
    with pytest.raises(Refusal, match="no UTF-8 JSON form") as caught:
        compact_json(value)

    assert caught.value.code == "not_a_history"


def test_the_form_for_people_has_a_line_for_each_part() -> None:
    assert indented_json({"a": ["漢", None]}) == '{\n "a": [\n  "漢",\n  null\n ]\n}\n'.encode()


@WITHOUT_A_FORM
def test_what_has_no_form_for_people_is_a_value_error(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        indented_json(value)


def test_the_form_for_people_is_at_most_100_levels_deep() -> None:
    assert indented_json(nested(99)).count(b"[") == 100
    for value in (nested(100), {"a": nested(99)}, (nested(99),)):
        with pytest.raises(ValueError, match="nested over 100 levels deep"):
            indented_json(value)

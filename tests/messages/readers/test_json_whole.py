"""A list or object read whole: the lines of its messages, its faults, and a file that is cut."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import HistoryError
from ctxlab.messages.readers.json_whole import Whole

MESSAGES = [
    {"role": "user", "content": "a\nb"},
    {"role": "assistant", "content": [{"type": "text", "text": "c"}]},
]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def whole(text: str) -> Whole:
    read = Whole(text, "file", [])
    read.read()
    return read


@given(
    st.lists(JSON) | st.dictionaries(st.sampled_from(["messages", "input", "a"]), JSON),
    st.sampled_from([None, 2]),
)
def test_it_reads_what_json_reads(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert whole(text).value == json.loads(text)


def test_each_message_has_its_line() -> None:
    text = json.dumps(MESSAGES, indent=1)
    listed = whole(text)
    lines = [record.origin.lines for record in listed.records_of(listed.value) or []]
    assert lines == [(2,), (6,)]
    assert [text.split("\n")[number - 1].strip() for (number,) in lines] == ["{", "{"]
    body = whole(json.dumps({"model": "m", "messages": MESSAGES}, indent=1))
    assert [record.origin.place for record in body.records_of(body.value["messages"]) or []] == [
        "item 0 (line 4)",
        "item 1 (line 8)",
    ]


@given(st.data())
def test_a_list_that_is_cut_gives_the_messages_before_the_cut(data: st.DataObject) -> None:
    text = json.dumps([*MESSAGES, {"role": "user", "content": 'tr\u00fce "\\'}, {"n": [True, None, 12]}])
    ends = [len(json.dumps(json.loads(text)[:count])) - 1 for count in range(1, 5)]
    cut = data.draw(st.integers(ends[0], len(text) - 1))

    read = whole(text[:cut])

    assert read.value == json.loads(text)[: sum(end <= cut for end in ends)]
    assert [(torn.line, torn.recovered) for torn in read.torn] == [(1, False)]
    assert "breaks off" in read.torn[0].text


def test_a_body_that_is_cut_keeps_what_came_before() -> None:
    text = json.dumps({"system": "s", "messages": MESSAGES}, indent=1)
    read = whole(text[:-20])
    assert read.value == {"system": "s", "messages": MESSAGES[:1]}
    assert read.torn[0].place == f"line {text[:-20].count(chr(10)) + 1}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[\n{"role": "user"},\n{"role": }\n]', 3),
        ('[\n{"role": "user"}\n{"role": "user"}]', 3),
        ('[\n{"role": "user"},\n]', 3),
        ('{"a": 1\n"b": 2}', 2),
        ('{"a" 1}', 1),
        ("{1: 2}", 1),
        ('{"messages": [1],}', 1),
        ("[1]\n[2]", 2),
        ('{"messages": [\n', 2),
        ('[{"role": "us', 1),
    ],
)
def test_a_fault_inside_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        whole(text)
    assert caught.value.lineno == line


@pytest.mark.parametrize("text", ["[" * 100_000, '{"messages": ' + "[" * 100_000, "[" + "9" * 5000 + "]"])
def test_what_python_cannot_read_is_refused(text: str) -> None:
    with pytest.raises(HistoryError, match=r"file, from line 1 on: (nested|a whole number)"):
        whole(text)


def test_a_body_in_a_wrapper_keeps_its_lines_and_what_came_before_a_cut() -> None:
    text = json.dumps({"request": {"body": {"system": "s", "messages": MESSAGES}}, "id": 1}, indent=1)
    body = whole(text).value["request"]["body"]
    assert body == {"system": "s", "messages": MESSAGES}
    cut = whole(text[: text.index('"assistant"')])
    assert cut.value == {"request": {"body": {"system": "s", "messages": MESSAGES[:1]}}}
    (record,) = cut.records_of(cut.value["request"]["body"]["messages"]) or []
    assert text.split("\n")[record.origin.lines[0] - 1].strip() == "{"


def test_what_cannot_be_read_is_named_with_its_line() -> None:
    with pytest.raises(HistoryError, match="file, from line 3 on: a whole number"):
        whole('[\n{"role": "user"},\n{"role": ' + "9" * 5000 + "}\n]")

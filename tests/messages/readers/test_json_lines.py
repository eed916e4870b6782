"""JSON lines: broken lines, glued records, encodings, line ends."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import HistoryError
from ctxlab.messages.readers import json_lines
from ctxlab.messages.readers.json_lines import Lines
from ctxlab.messages.readers.plain import recognises
from ctxlab.messages.readers.transcript import Torn

ONE, TWO = (
    {"role": "user", "content": "one"},
    {"role": "assistant", "content": [{"type": "text", "text": "two"}]},
)
A, B = json.dumps(ONE).encode(), json.dumps(TWO).encode()


def read(data: bytes) -> tuple[list[Any], list[Torn], list[str]]:
    torn: list[Torn] = []
    records = list(Lines(io.BytesIO(data), "file", recognises, torn))
    return [record.value for record in records], torn, [record.origin.place for record in records]


@pytest.mark.parametrize(
    "data",
    [A + b"\n" + B, A + b"\n" + B + b"\n", A + b"\r\n" + B + b"\r\n", b"\xef\xbb\xbf" + A + b"\n" + B],
    ids=["no end", "end", "CRLF", "BOM"],
)
def test_whole_lines_are_read(data: bytes) -> None:
    assert read(data) == ([ONE, TWO], [], ["line 1", "line 2"])


def test_empty_lines_keep_their_number() -> None:
    assert read(b"\n" + A + b"\n \t\r\n\n" + B) == ([ONE, TWO], [], ["line 2", "line 5"])


def test_line_ends_of_unicode_do_not_part_lines() -> None:
    odd = {"role": "user", "content": "a\u2028b\x85c"}
    assert read(json.dumps(odd, ensure_ascii=False).encode())[0] == [odd]


def test_a_record_that_breaks_off_at_the_end_is_named() -> None:
    values, torn, _ = read(A + b"\n" + B[:-5])
    assert values == [ONE]
    assert [(one.line, one.recovered) for one in torn] == [(2, False)]
    assert "breaks off" in torn[0].text
    assert "column" in torn[0].text


def test_a_record_glued_to_a_torn_one_is_recovered_with_its_column() -> None:
    head = b'{"role":"user","content":[{"type":"tool_res'
    values, torn, places = read(A + b"\n" + head + B + b"\n" + A)
    assert values == [ONE, TWO, ONE]
    assert places == ["line 1", "line 2", "line 3"]
    assert [(one.line, one.recovered) for one in torn] == [(2, True)]
    assert f"column {len(head) + 1} " in torn[0].text
    assert "lost" in torn[0].text


def test_two_whole_records_on_one_line_are_both_read() -> None:
    values, torn, _ = read(A + B)
    assert values == [ONE, TWO]
    assert torn == [
        Torn("line 1", f"2 records stand on one line; they begin at column 1 and {len(A) + 1}", 1, True)
    ]


def test_a_record_whose_tail_is_lost_before_the_next_is_named() -> None:
    values, torn, _ = read(A + b'{"role": "us' + B)
    assert values == [ONE, TWO]
    assert f"what begins at column 1 and {len(A) + 13} is read, the rest of the line is lost" in torn[0].text


def test_a_part_of_a_torn_record_is_no_record() -> None:
    values, torn, _ = read(A + b'\n{"role": "assistant", "content": [{"type": "text", "text": "x"}')
    assert values == [ONE]
    assert not torn[0].recovered


@pytest.mark.parametrize("end", [b"", b"\n" + A])
def test_a_character_that_is_cut_in_two_is_a_torn_record(end: bytes) -> None:
    values, torn, _ = read(A + b'\n{"role": "user", "content": "gr\xc3' + (B if end else b"") + end)
    assert values == ([ONE, TWO, ONE] if end else [ONE])
    assert [one.line for one in torn] == [2]
    assert ("at column 33 " if end else "a character is cut in two") in torn[0].text


def test_a_whole_record_before_the_cut_character_is_read() -> None:
    values, torn, _ = read(A + b'{"role": "user", "content": "gr\xc3' + B)
    assert values == [ONE, TWO]
    assert "the rest of the line is lost" in torn[0].text


def test_another_encoding_is_refused_with_its_line() -> None:
    with pytest.raises(HistoryError, match="file, line 2: not UTF-8; save the file as UTF-8"):
        read(A + b"\n" + '{"role": "user", "content": "grün"}'.encode("latin-1") + b"\n" + A)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"[" * 100_000, "line 1: nested too deeply"),
        (b"9" * 5000, r"line 1: a whole number"),
    ],
)
def test_what_python_cannot_read_is_refused(line: bytes, problem: str) -> None:
    with pytest.raises(HistoryError, match=problem):
        read(line)


def test_a_line_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE_BYTES", 60)
    with pytest.raises(HistoryError, match="line 2: over 60 bytes"):
        read(A + b"\n" + B * 3)


def test_a_broken_line_is_not_searched_without_end() -> None:
    values, torn, _ = read(A + b"\n" + b'{"a' * 200_000 + B)
    assert values == [ONE]
    assert len(torn) == 1


@given(st.lists(st.dictionaries(st.text(), st.text(), max_size=3), min_size=1, max_size=4), st.data())
def test_a_file_that_is_cut_anywhere_gives_the_records_before_the_cut(
    values: list[dict[str, str]], data: st.DataObject
) -> None:
    lines = [json.dumps({"role": "user", **value}, ensure_ascii=False).encode() + b"\n" for value in values]
    whole = b"".join(lines)
    cut = data.draw(st.integers(0, len(whole)))
    ends = [sum(map(len, lines[: number + 1])) - 1 for number in range(len(lines))]
    complete = sum(end <= cut for end in ends)

    read_values, torn, _ = read(whole[:cut])

    assert read_values == [{"role": "user", **value} for value in values[:complete]]
    rest = whole[:cut].rsplit(b"\n", 1)[-1]
    assert bool(torn) == (rest != b"" and cut not in ends)


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"type": "user", "message": ONE, "uuid": "u"}).encode()[10:],
        json.dumps({"role": "assistant", "input": {"messages": [ONE, TWO]}}).encode()[:-1],
    ],
    ids=["the start is lost", "the end is lost"],
)
def test_what_stands_inside_a_torn_record_is_no_record(line: bytes) -> None:
    values, torn, _ = read(A + b"\n" + line + b"\n" + B)
    assert values == [ONE, TWO]
    assert [(one.line, one.recovered) for one in torn] == [(2, False)]


def test_zero_bytes_behind_a_record_lose_nothing() -> None:
    values, torn, _ = read(A + b"\0\0\n" + b'{"role": "us' + B + b"\0\0\n")
    assert values == [ONE, TWO]
    assert [(one.line, one.recovered) for one in torn] == [(1, True), (2, True)]


def test_binary_data_is_no_other_encoding() -> None:
    with pytest.raises(HistoryError, match="line 1: binary data, no text"):
        read(b"\x7fELF\0\xff\xfe\x80 \x80\x80 \n")

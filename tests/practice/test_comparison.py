import json
from typing import Any

import pytest

from ctxlab.practice.comparison import compared, expectation


@pytest.mark.parametrize("text", ["42\n", "", "größer\r\n", "a\n\nb"])
def test_the_same_is_the_same_to_the_last_byte(text: str) -> None:
    assert compared(text.encode(), text).verdict == "the same"


@pytest.mark.parametrize(
    ("output", "detail"),
    [
        (b"42\nand more\n", "line 2 is 'and more' in the output, '' in expected.txt"),
        (b"43\n", "line 1 is '43' in the output, '42' in expected.txt"),
        (b"42", "only expected.txt has a line 2: ''"),
        (b"42\n\n", "only the output has a line 3: ''"),
        (b"", "line 1 is '' in the output, '42' in expected.txt"),
        (b" 42\n", "line 1 is ' 42' in the output, '42' in expected.txt"),
        (b"42\r\n", "line 1 is '42\\r' in the output, '42' in expected.txt"),
        (b"x" * 100, f"line 1 is '{'x' * 60}'... in the output, '42' in expected.txt"),
    ],
)
def test_anything_else_is_not_and_the_first_line_that_differs_is_named(output: bytes, detail: str) -> None:
    assert compared(output, "42\n").text() == f"not the same: {detail}"


def test_bytes_that_are_no_text_never_equal_their_replacement() -> None:
    assert compared(b"\xff", "\ufffd").verdict == "not the same"


def exchange(call_id: str, name: str, content: str, is_error: bool = False) -> list[dict[str, Any]]:
    result = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": is_error}
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": call_id, "name": name, "input": {}}]},
        {"role": "user", "content": [result]},
    ]


QUESTION = [{"role": "user", "content": "?"}]


def report(expected: object) -> str:
    return json.dumps({"report": "done", "expected.txt": expected})


def test_the_expected_text_comes_from_the_newest_report() -> None:
    messages = [
        *QUESTION,
        *exchange("a", "delegate", report("old\n")),
        *exchange("b", "delegate", report("42\n")),
        *exchange("c", "delegate", report(None)),
        *exchange("d", "read_file", "text"),
    ]
    assert expectation(messages, "delegate") == "42\n"
    assert expectation(messages[:3], "delegate") == "old\n"


@pytest.mark.parametrize(
    "content",
    [
        "[Not a result: the text of message 2, block 0, call 'a' was archived in snapshot 'x'.]",
        report(None),
        report(42),
        "[]",
        "{}",
        "no_report: the sub-agent ended with model_error",
        '{"report": "cut',
    ],
)
def test_where_it_is_gone_there_is_none(content: str) -> None:
    assert expectation([*QUESTION, *exchange("a", "delegate", content)], "delegate") is None


def test_it_is_not_taken_from_anything_else() -> None:
    summary = {"role": "user", "content": f"? {report('42' + chr(10))}"}
    assert expectation([summary], "delegate") is None
    assert expectation([*QUESTION, *exchange("a", "read_file", report("42\n"))], "delegate") is None

from pathlib import Path

from ctxlab.practice import PracticeResult


def result(output: str) -> PracticeResult:
    requests = {"parent": 9, "sub-agent": 3, "summary": 1}
    return PracticeResult("answered", "A.", requests, [], {}, "used", True, 0, output, "the same", Path())


def test_the_output_is_told_as_it_is() -> None:
    assert result("42\n").lines()[1].endswith("output: '42\\n'")


def test_a_long_output_is_told_in_part() -> None:
    line = result("x" * 20_000).lines()[1]
    assert line.endswith("xxx... (20000 characters)")
    assert len(line) < 250

"""Places and counts as words."""

import pytest

from ctxlab.messages.readers.transcript import Origin, at_lines, counted, kind_of, listed


@pytest.mark.parametrize(
    ("numbers", "words"),
    [((3,), "3"), ((3, 5), "3 and 5"), ((3, 5, 6), "3, 5 and 6"), (tuple(range(2, 11)), "2 to 10")],
)
def test_numbers_are_listed(numbers: tuple[int, ...], words: str) -> None:
    assert listed(numbers) == words


def test_lines_are_sorted() -> None:
    assert at_lines([7]) == Origin("line 7", (7,))
    assert at_lines([8, 3]) == Origin("lines 3 and 8", (3, 8))


def test_one_is_no_plural() -> None:
    assert (counted(1, "item"), counted(0, "item"), counted(2, "item")) == ("1 item", "0 items", "2 items")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"type": "system", "subtype": "turn"}, "system/turn"),
        ({"type": "progress"}, "progress"),
        ({"type": ["no text"]}, "record without a type"),
        ({}, "record without a type"),
        ("text", "value that is no object"),
    ],
)
def test_a_record_is_counted_under_its_type(value: object, kind: str) -> None:
    assert kind_of(value) == kind

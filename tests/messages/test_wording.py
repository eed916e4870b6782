from typing import Any

import pytest

from ctxlab.messages.wording import one_line, shown, type_words, visible


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("nothing to say")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("call_1", "'call_1'"),
        ("two\nlines", r"'two\nlines'"),
        ("\ud800", r"'\ud800'"),
        (None, "None"),
        ("a" * 98, f"'{'a' * 98}'"),
        ("a" * 5000, f"'{'a' * 99}... (5000 characters)"),
        ([0] * 50, f"[{'0, ' * 33}... (150 characters)"),
        (nested(100_000), "a value of type list"),
        (10**5000, "a value of type int"),
        (Mute(), "a value of type Mute"),
    ],
    ids=str.split("short newline surrogate none limit long list deep huge mute"),
)
def test_a_value_is_shown_in_one_short_line(value: Any, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    ("value", "words"),
    [(7, "an int"), ([], "a list"), ("", "a str"), (None, "None"), (OSError(), "an OSError")],
)
def test_a_type_has_its_article(value: object, words: str) -> None:
    assert type_words(value) == words


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("caf\u00e9 \U0001f600 a b", "caf\u00e9 \U0001f600 a b"),
        ("red\x1b[31m\x9b\r\n", "red\\u001b[31m\\u009b\\u000d\\n"),
        ("\u202eback\u2028", "\\u202eback\\u2028"),
        ("half \ud83d", "half \\ud83d"),
    ],
)
def test_a_text_is_one_line_that_steers_no_terminal(text: str, line: str) -> None:
    assert visible(text) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # Spaces and joiners that are not seen, and marks of direction that turn nothing else around.
        *(
            (text, text)
            for text in (
                "\u6f22\u3000\u5b57",
                "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
                "\U0001f469\u200d\U0001f4bb",
                "a\u00a0b\u00adc",
                "\u200f\u05d0",
            )
        ),
        ("a\nb\tc\x0bd\x1ce\x85f\u2028g\u2029", "a\\nb\\tc\\u000bd\\u001ce\\u0085f\\u2028g\\u2029"),
        ("\x1b[31m\x9b", "\\u001b[31m\\u009b"),
        ("\u202eback\u2066in\u2069", "\\u202eback\\u2066in\\u2069"),
        ("half \ud83d", "half \\ud83d"),
    ],
)
def test_a_line_for_a_model_keeps_what_does_no_harm(text: str, line: str) -> None:
    assert one_line(text) == line

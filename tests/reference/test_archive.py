import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.reference import archive_writer, read_archive
from ctxlab.reference.archive import MAX_SNAPSHOT_BYTES, RECEIPT

HISTORY = [
    {"role": "user", "content": "Why? 漢\nline\u2028two\r\n"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "a", "name": "n", "input": {"x": [1, None]}}],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "a", "content": "", "is_error": True}],
    },
]
ID = "0123456789ab"
NAME = f"context-{ID}.jsonl"


def fixed_id() -> str:
    return ID


def refusal(function: Callable[..., Any], *arguments: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        function(*arguments)
    return caught.value


def of_size(size: int) -> list[dict[str, Any]]:
    """A history whose snapshot has exactly this many bytes."""
    empty = len(json.dumps({"role": "user", "content": ""}, separators=(",", ":"))) + 1
    return [{"role": "user", "content": "x" * (size - empty)}]


def in_process(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program text that finds its arguments in `directory` and `more`."""
    start = "import sys; directory, *more = sys.argv[1:]\nfrom ctxlab.reference import archive_writer\n"
    command = [sys.executable, "-c", start + program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


# Writing


def test_a_snapshot_is_one_file_with_one_message_a_line(tmp_path: Path) -> None:
    receipt = archive_writer(tmp_path, fixed_id)(HISTORY)

    assert receipt == NAME
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    data = (tmp_path / NAME).read_bytes()
    assert data.endswith(b"\n")
    assert [json.loads(line) for line in data.split(b"\n")[:-1]] == HISTORY
    assert "漢".encode() in data


def test_random_ids_make_names_that_differ(tmp_path: Path) -> None:
    save = archive_writer(str(tmp_path))
    receipts = {save(HISTORY) for _ in range(20)}

    assert len(receipts) == 20
    assert all(RECEIPT.fullmatch(receipt) for receipt in receipts)
    assert {path.name for path in tmp_path.iterdir()} == receipts


def test_the_directory_is_made_with_its_parents(tmp_path: Path) -> None:
    folder = tmp_path / "run" / ".context"
    receipt = archive_writer(folder)(HISTORY)

    assert read_archive(folder, receipt) == HISTORY


def test_a_snapshot_is_never_overwritten(tmp_path: Path) -> None:
    save = archive_writer(tmp_path, fixed_id)
    save(HISTORY)
    with pytest.raises(FileExistsError):
        save(HISTORY[:1])

    assert read_archive(tmp_path, NAME) == HISTORY
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_of_many_writers_of_one_name_one_wins(tmp_path: Path) -> None:
    together = threading.Barrier(8)
    won, lost = [], []

    def write(number: int) -> None:
        together.wait()
        try:
            archive_writer(tmp_path, fixed_id)([{"role": "user", "content": f"{number}" * 5000}])
            won.append(number)
        except FileExistsError:
            lost.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(won), len(lost)) == (1, 7)
    assert read_archive(tmp_path, NAME) == [{"role": "user", "content": f"{won[0]}" * 5000}]


@pytest.mark.parametrize(
    "made",
    [
        "",
        "0123456789AB",
        "0123456789abc",
        "0123456789a",
        "0123456789ab\n",
        "../../../../x",
        None,
    ],
)
def test_an_id_that_is_no_name_is_refused(tmp_path: Path, made: Any) -> None:
    folder = tmp_path / "new"
    refused = refusal(archive_writer(folder, lambda: made), HISTORY)

    assert (refused.code, "12 hex digits" in str(refused)) == ("bad_argument", True)
    assert not folder.exists()


@pytest.mark.parametrize("messages", [None, "text", {}, (1,)], ids=repr)
def test_only_a_list_is_archived(tmp_path: Path, messages: Any) -> None:
    assert refusal(archive_writer(tmp_path), messages).code == "not_a_history"


@pytest.mark.parametrize("item", [None, "text", HISTORY], ids=str.split("none text list"))
def test_only_messages_are_archived(tmp_path: Path, item: Any) -> None:
    refused = refusal(archive_writer(tmp_path / "new"), [*HISTORY, item])
    assert (refused.code, str(refused)[:9]) == ("not_a_history", "message 3")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("part", [{1: "a", "1": "b"}, {None: 1}, {"x": (1, 2)}], ids=repr)
def test_what_json_would_change_is_not_archived(tmp_path: Path, part: Any) -> None:
    history = [*HISTORY, {"role": "user", "content": [part]}]
    refused = refusal(archive_writer(tmp_path / "new"), history)
    assert (refused.code, str(refused)[:9]) == ("not_a_history", "message 3")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("part", ["\ud800", float("nan"), {1}], ids=repr)
def test_what_has_no_json_form_leaves_nothing_behind(tmp_path: Path, part: Any) -> None:
    folder = tmp_path / "new"

    assert (
        refusal(archive_writer(folder), [*HISTORY, {"role": "user", "content": part}]).code == "not_a_history"
    )
    assert not folder.exists()


def test_a_snapshot_of_1_000_000_bytes_is_the_largest(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    save = archive_writer(folder)
    refused = refusal(save, of_size(MAX_SNAPSHOT_BYTES + 1))

    assert (refused.code, "1000001 of 1000000 bytes" in str(refused)) == ("snapshot_too_large", True)
    # The size is checked before the directory is made.
    assert not folder.exists()
    receipt = save(of_size(MAX_SNAPSHOT_BYTES))
    assert (folder / receipt).stat().st_size == 1_000_000
    assert read_archive(folder, receipt) == of_size(MAX_SNAPSHOT_BYTES)


def test_a_directory_that_cannot_be_made_is_an_oserror(tmp_path: Path) -> None:
    # A file in its place or above it holds for root too, whom no permission stops.
    place = tmp_path / "file"
    place.write_text("in the way", "utf-8")
    for folder in (place, place / "below"):
        with pytest.raises(OSError, match=r"exists|Not a directory"):
            archive_writer(folder)(HISTORY)

    assert place.read_text("utf-8") == "in the way"


LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    archive_writer(directory)([{"role": "user", "content": "x" * 5000}])
except OSError as error:
    print("OSError", error.errno)
"""


def test_a_write_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    ended = in_process(LIMITED, str(tmp_path))

    assert ended.stdout == "OSError 27\n", ended.stderr
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, signal
call = more[0]
real = getattr(os, call)
def die(*arguments):
    if more[1] == "after":
        real(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, call, die)
archive_writer(directory, lambda: "0123456789ab")([{"role": "user", "content": "x" * 900_000}])
"""


@pytest.mark.parametrize(
    ("call", "moment", "complete"),
    [
        ("fsync", "before", False),
        ("fsync", "after", False),
        ("link", "before", False),
        ("link", "after", True),
    ],
)
def test_a_kill_leaves_the_snapshot_complete_or_absent(
    tmp_path: Path, call: str, moment: str, complete: bool
) -> None:
    ended = in_process(KILLED, str(tmp_path), call, moment)

    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert (tmp_path / NAME).exists() is complete
    if complete:
        assert read_archive(tmp_path, NAME) == [{"role": "user", "content": "x" * 900_000}]
    else:
        # The name is free: the next try succeeds.
        assert archive_writer(tmp_path, fixed_id)(HISTORY) == NAME


ENDLESS = """
print("ready", flush=True)
save = archive_writer(directory)
while True:
    save([{"role": "user", "content": "x" * 900_000}])
"""


def test_a_kill_at_any_moment_leaves_only_complete_snapshots(tmp_path: Path) -> None:
    start = "import sys; directory = sys.argv[1]\nfrom ctxlab.reference import archive_writer\n"
    complete = 0
    for round_number in range(5):
        folder = tmp_path / str(round_number)
        command = [sys.executable, "-c", start + ENDLESS, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            try:
                writer.wait(timeout=0.05 + 0.013 * round_number)
            except subprocess.TimeoutExpired:
                writer.kill()
        for path in folder.glob("context-*"):
            assert read_archive(folder, path.name) == [{"role": "user", "content": "x" * 900_000}]
            complete += 1

    assert complete > 0


# Reading


@pytest.mark.parametrize(
    "receipt",
    ["", "context-0123456789AB.jsonl", f"{NAME}\n", f"../{NAME}", f"/{NAME}", NAME.encode(), None, 7],
    ids=repr,
)
def test_only_the_name_of_a_snapshot_is_read(tmp_path: Path, receipt: Any) -> None:
    folder = tmp_path / "folder"
    archive_writer(tmp_path, fixed_id)(HISTORY)
    archive_writer(folder, fixed_id)(HISTORY)

    assert refusal(read_archive, folder, receipt).code == "bad_receipt"


@pytest.mark.parametrize("name", [f"{NAME}\n", f"{NAME}.bak", f"x{NAME}"], ids=repr)
def test_a_file_of_another_name_is_not_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{}\n", "utf-8")

    assert refusal(read_archive, tmp_path, name).code == "bad_receipt"


def test_a_snapshot_that_does_not_exist_is_named(tmp_path: Path) -> None:
    refused = refusal(read_archive, tmp_path, NAME)

    assert (refused.code, f"no snapshot {NAME}" in str(refused)) == ("bad_receipt", True)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"role":"user","content":"hi"}\n{"role":"us', "line 2 of"),
        (b"\xff\xfe\n", "line 1 of"),
        (b'{"role":"user","content":"hi"}\n\n{}\n', "line 2 of"),
        (b"[1]\n", "line 1 of context-0123456789ab.jsonl is not a message"),
        (b'{"role":"user","content":NaN}\n', "no UTF-8 JSON form"),
        (b'{"role":"user","content":"\\ud800"}\n', "no UTF-8 JSON form"),
        (b"[" * 100_000, "line 1 of"),
        (b'{"n":' + b"1" * 5000 + b"}\n", "line 1 of"),
    ],
    ids=str.split("torn bytes blank list nan surrogate deep huge_int"),
)
def test_a_damaged_snapshot_is_no_history(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / NAME).write_bytes(data)
    refused = refusal(read_archive, tmp_path, NAME)

    assert (refused.code, words in str(refused)) == ("not_a_history", True)


def test_reading_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with path.open("wb") as file:
        file.truncate(50_000_000_000)  # a file with a hole: it takes no room
    refused = refusal(read_archive, tmp_path, NAME)

    assert (refused.code, "over 1000000 bytes" in str(refused)) == ("snapshot_too_large", True)


def test_a_directory_in_the_place_of_a_snapshot_is_an_oserror(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(IsADirectoryError):
        read_archive(tmp_path, NAME)

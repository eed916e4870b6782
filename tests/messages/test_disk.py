import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import pytest

from ctxlab.messages.disk import home_folder, locked_file, sync_folder, write_synced

TAKEN = TimeoutError("taken")
HOLD = """
import sys, time
from pathlib import Path
from ctxlab.messages.disk import locked_file
with locked_file(Path(sys.argv[1]), TimeoutError("taken")):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holder(path: Path, seconds: float) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", HOLD, str(path), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def is_free(path: Path) -> bool:
    """Say whether another process can take the lock."""
    command = [sys.executable, "-c", HOLD, str(path), "0"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0 or ended.stderr.endswith("TimeoutError: taken\n")
    return ended.returncode == 0


def test_the_home_folder_is_that_of_the_variable_or_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for value, folder in (("", tmp_path / "data" / "ctxlab"), ("/a/b", Path("/a/b"))):
        monkeypatch.setenv("CTXLAB_HOME", value)
        assert home_folder() == folder


def test_a_file_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for data in (b"long enough", b"new"):
        write_synced(path, data)
        assert path.read_bytes() == data
    sync_folder(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync_folder(tmp_path / "none")


def test_a_file_is_written_nowhere_else(tmp_path: Path) -> None:
    other, path = tmp_path / "other", tmp_path / "file"
    other.write_bytes(b"precious")
    path.symlink_to(other)
    write_synced(path, b"data")
    assert (other.read_bytes(), path.read_bytes()) == (b"precious", b"data")
    path.unlink()
    os.mkfifo(path)
    write_synced(path, b"data")
    assert path.read_bytes() == b"data"


def test_a_full_disk_is_an_error(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            write_synced(tmp_path / "file", b"more than ten")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_lock_is_taken_again_only_by_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    other = tmp_path / "other name"
    with locked_file(path, TAKEN):
        os.link(path, other)
        with locked_file(other, TAKEN):
            pass
        # Leaving the inner one has not freed it.
        assert not is_free(path)
    with holder(path, 60) as process:
        with pytest.raises(TimeoutError, match="taken"), locked_file(path, TAKEN):
            pass
        process.kill()
    with locked_file(path, TAKEN):
        assert path.read_bytes() == b""


def test_a_lock_is_held_until_its_holder_has_left_as_often_as_it_came(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    outer, inner = locked_file(path, TAKEN), locked_file(path, TAKEN)
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    assert not is_free(path)
    inner.__exit__(None, None, None)
    assert is_free(path)


def test_a_lock_is_free_even_if_another_has_its_file_open(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked_file(path, TAKEN):
        # As a process has it that was forked by other code than Python's.
        [found] = [each for each in Path("/proc/self/fd").iterdir() if each.resolve() == path]
        copy = os.dup(int(found.name))
    assert is_free(path)
    os.close(copy)


def test_another_thread_holds_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with ThreadPoolExecutor(1) as pool, locked_file(path, TAKEN):
        # It has a copy of what its maker knows, and is not its maker.
        taking = pool.submit(copy_context().run, locked_file(path, TAKEN).__enter__)
        with pytest.raises(TimeoutError, match="taken"):
            taking.result()
    assert is_free(path)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("other")])
def test_what_is_no_file_is_no_lock(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "lock")
    with pytest.raises(OSError, match="lock"), locked_file(tmp_path / "lock", TAKEN):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_a_lock_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holder(path, 0.2):
        began = time.monotonic()
        with locked_file(path, TAKEN, wait=30):
            assert time.monotonic() - began < 20
    with holder(path, 60) as process:
        began = time.monotonic()
        with pytest.raises(TimeoutError, match="taken"), locked_file(path, TAKEN, wait=0.1):
            pass
        assert time.monotonic() - began >= 0.1
        process.kill()


def test_an_exception_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with pytest.raises(KeyError), locked_file(path, TAKEN):
        raise KeyError
    assert is_free(path)

import subprocess
import sys
import time
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
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        write_synced(tmp_path / "full", b"data")


def test_a_lock_is_taken_again_only_by_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    other = tmp_path / "other name"
    with locked_file(path, TAKEN):
        other.symlink_to(path)
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

"""Files that must outlive their process: where they lie, written through to the disk, held by one process."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from platformdirs import user_data_path

# What holds which lock files, by device and inode. Another thread, or another process, holds none of them.
_held: ContextVar[frozenset[tuple[int, int]]] = ContextVar("held", default=frozenset())


def home_folder() -> Path:
    """Return the folder of what is kept: CTXLAB_HOME (~ is the user's home), or the user's data folder."""
    home = os.environ.get("CTXLAB_HOME")
    if not home:
        return user_data_path("ctxlab", appauthor=False)
    path = Path(os.path.expanduser(home))  # noqa: PTH111 - Path.expanduser raises for a user it does not know
    try:
        return path.absolute()
    except FileNotFoundError:  # the working directory itself was removed
        return path


def write_synced(path: Path, data: bytes) -> None:
    """Write a file, and return when its content is on the disk. What stood in it before is gone at once."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder are on the disk: new files, and those that were renamed."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked_file(path: Path, taken: Exception, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of a file, which is made where it is missing, or raise `taken`.

    `wait` is for how many seconds another holder is waited for. The system frees the lock when its process
    ends, however it ends. Who holds it may take it again. The file stays: were it removed, two processes
    could each lock a file of this name.
    """
    end = time.monotonic() + wait
    with path.open("a") as file:
        status = os.fstat(file.fileno())
        key = (status.st_dev, status.st_ino)
        if key in _held.get():
            yield
            return
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise taken from None
                time.sleep(0.01)
        token = _held.set(_held.get() | {key})
        try:
            yield
        finally:
            _held.reset(token)

"""Files that must outlive their process: where they lie, written through to the disk, held by one process."""

import errno
import fcntl
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path


@dataclass
class _Holder:
    """Who holds a lock: a thread of this process, by the open lock file, taken `depth` times."""

    thread: threading.Thread
    descriptor: int
    depth: int = 1


# The locks that this process holds, by device and inode of their files.
_held: dict[tuple[int, int], _Holder] = {}


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
    """Write a new file, and return when its content is on the disk. What has its name is removed first."""
    # To write over it could mean to write elsewhere (a link), or to wait for ever (a pipe).
    path.unlink(missing_ok=True)
    with path.open("xb") as file:
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

    `wait` is for how many seconds another holder is waited for. The thread that holds it may take it again;
    the lock is free when it has left as often as it came. The system frees the lock when the process ends,
    however it ends. A worker that Python forks meanwhile does not hold it; one that other code forks keeps
    it until that worker ends. The file stays: were it removed, two processes could each lock a file of this
    name. Raises OSError, also for a link or what else is no file.
    """
    key, holder = _taken(path, taken, time.monotonic() + wait)
    try:
        yield
    finally:
        holder.depth -= 1
        # In a forked process the lock is not held any more.
        if holder.depth == 0 and _held.get(key) is holder:
            del _held[key]
            # To close it would not do where a process forked by other code has it open too.
            fcntl.flock(holder.descriptor, fcntl.LOCK_UN)
            os.close(holder.descriptor)


def _taken(path: Path, taken: Exception, end: float) -> tuple[tuple[int, int], _Holder]:
    """Take the lock of a file until the time `end`, or raise `taken`. Returns its key and its holder."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no file, so it cannot be a lock; remove it", str(path))
        key = (status.st_dev, status.st_ino)
        holder = _held.get(key)
        if holder is not None and holder.thread is threading.current_thread():
            holder.depth += 1
        else:
            _lock(descriptor, taken, end)
            _held[key] = holder = _Holder(threading.current_thread(), descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    if holder.descriptor != descriptor:
        os.close(descriptor)
    return key, holder


def _lock(descriptor: int, taken: Exception, end: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= end:
                raise taken from None
            time.sleep(0.01)


def _forget_held() -> None:
    """Close, in a process that was forked, the lock files that its parent holds.

    A lock is held as long as any process has its file open: a worker would keep it from everybody, and from
    itself, long after its parent has ended.
    """
    for holder in _held.values():
        os.close(holder.descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_forget_held)

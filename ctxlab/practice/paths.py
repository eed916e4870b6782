"""Reading files inside one directory, and nowhere else."""

import os
import stat
from pathlib import Path

from ctxlab.errors import Refusal
from ctxlab.messages.wording import shown
from ctxlab.practice.workspace import HOST_FOLDER

MAX_FILE_BYTES = 20_000


def plain_name(path: str) -> str:
    """Return the one way to write a path: "./logs//day1.log" is "logs/day1.log". Refuses `bad_path`."""
    folder_names, name = _parts(path)
    return "/".join([*folder_names, name])


def read_text_inside(directory: Path, path: str) -> str:
    """Return the text of a file, as `read_inside` finds it. Refuses `bad_path` also for what is not UTF-8."""
    data = read_inside(directory, path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal("bad_path", f"{shown(path)} is no text: it is not UTF-8") from error


def read_inside(directory: Path, path: str) -> bytes:
    """Return the content of the regular file `path`, which is relative to `directory`.

    Refuses `bad_path`: an absolute path, `..`, a link anywhere on the way, a file with a second name (it may
    stand outside), anything but a regular file, over 20,000 bytes, the folder of the host, what is not there.
    """
    folder_names, name = _parts(path)
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Opened one by one, and no link followed: so nothing can be exchanged between a check and its use.
        for part in folder_names:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        # Opening a pipe would wait for its other end, were it not for O_NONBLOCK.
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        raise Refusal("bad_path", f"{shown(path)} is no file inside the directory: {_why(error)}") from error
    finally:
        os.close(folder)
    try:
        return _content(file, path)
    finally:
        os.close(file)


def _parts(path: str) -> tuple[list[str], str]:
    """Return the names of the folders on the way, and that of the file."""
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        raise Refusal("bad_path", f"the path is {shown(path)}; give the name of a file, such as 'rules.md'")
    if path.startswith("/"):
        raise Refusal("bad_path", f"{shown(path)} is an absolute path; give one relative to the directory")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or not parts:
        raise Refusal("bad_path", f"{shown(path)} leads out of the directory, or names no file in it")
    if parts[0].casefold() == HOST_FOLDER:
        raise Refusal("bad_path", f"{shown(path)} belongs to the host; no tool reads there")
    return parts[:-1], parts[-1]


def _why(error: OSError) -> str:
    # The system's own words for a link that is not followed, "Too many levels", would mislead.
    reasons: dict[type[OSError], str] = {
        FileNotFoundError: "there is none of this name",
        NotADirectoryError: "a part of it is no folder",
    }
    return reasons.get(type(error), "links are not followed, and it must be readable")


def _content(file: int, path: str) -> bytes:
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        raise Refusal("bad_path", f"{shown(path)} is no regular file")
    if status.st_nlink != 1:
        raise Refusal("bad_path", f"{shown(path)} has a second name, which may stand outside the directory")
    data = b""
    while len(data) <= MAX_FILE_BYTES:
        chunk = os.read(file, MAX_FILE_BYTES + 1 - len(data))
        if not chunk:
            return data
        data += chunk
    raise Refusal("bad_path", f"{shown(path)} has over {MAX_FILE_BYTES} bytes")

"""Reading a text file that a person names."""

import stat
from collections.abc import Callable
from pathlib import Path

from ctxlab.errors import CtxlabError


def read_text(
    path: Path,
    error: type[CtxlabError],
    *,
    kind: str,
    most: int,
    missing: Callable[[], str],
    too_large: str,
) -> str:
    """Return the text of a UTF-8 file of at most `most` bytes.

    Raises `error` with the path and a remedy for anything else. `kind` is the kind of file that is wanted,
    such as ".yaml"; `missing` gives the remedy for a file that is not there, and `too_large` is that for one
    over the limit.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise error(f"{path} is a directory; give the path of a {kind} file in it")
        # Anything else, such as a pipe, could keep the reader waiting for ever.
        if not stat.S_ISREG(mode):
            raise error(f"{path} is not a regular file; give the path of a {kind} file")
        with path.open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError as problem:
        raise error(f"there is no file {path}; {missing()}") from problem
    except (OSError, ValueError) as problem:
        raise error(
            f"{str(path)!r} cannot be read ({problem}); check the path and its permissions"
        ) from problem
    if len(data) > most:
        raise error(f"{path} has over {most} bytes; {too_large}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise error(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from problem

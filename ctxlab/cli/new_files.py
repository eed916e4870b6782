"""Writing new files: all of them whole, or none."""

import os
import secrets
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from ctxlab.cli.output import UsageError


def same_file(one: str | Path, other: str | Path) -> bool:
    """Tell whether two paths lead to one file that is there, by links too."""
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return False


def write_new_files(contents: Mapping[str, bytes], source: Path, force: bool) -> None:
    """Write each content to its path, all or none, readable by whom `source` is readable.

    A file that is there is overwritten only with `force`, and `source` never. Raises UsageError, with nothing
    written, for a path that cannot be used.
    """
    for path in contents:
        _check(path, source, force)
    with ExitStack() as drafts:
        written = []
        for path, content in contents.items():
            try:
                target = Path(os.path.realpath(path))
                draft = target.parent / f".ctxlab-{secrets.token_hex(8)}"
                drafts.callback(draft.unlink, missing_ok=True)
                draft.write_bytes(content)
                shutil.copymode(source, draft)
            except (OSError, ValueError) as error:
                raise _unwritable(path, error) from error
            written.append((path, draft, target))
        # The first comes last: when it is there, so is all that belongs to it.
        for path, draft, target in reversed(written):
            _put(path, draft, target, force)


def _check(path: str, source: Path, force: bool) -> None:
    if same_file(path, source):
        raise UsageError(f"{path} is the transcript itself, which is never overwritten; give another name")
    try:
        there = Path(path)
        if there.exists() and not there.is_file():
            kind = "a directory" if there.is_dir() else "no regular file"
            raise UsageError(f"{there} is {kind}; give the name of a new file")
        if there.exists() and not force:
            raise UsageError(f"{path} is there already; give another name, or --force to overwrite it")
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error


def _put(path: str, draft: Path, target: Path, force: bool) -> None:
    """Put a draft in its place, in one step."""
    try:
        if not force:
            # Whoever made such a file since it was looked for keeps it.
            target.open("xb").close()
        draft.replace(target)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: str, error: OSError | ValueError) -> UsageError:
    reason = error.strerror if isinstance(error, OSError) else error
    remedy = "name a file in a folder that exists and that you may write to"
    return UsageError(f"{path!r} cannot be written ({reason}); {remedy}")

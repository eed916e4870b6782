"""The directory of a run: the files of the task, and the folder of the host."""

import os
import shutil
from pathlib import Path

from ctxlab.errors import CtxlabError

TASK = Path(__file__).parent / "task"

# Snapshots and the state of the run are the host's own: no tool of a model reads them.
HOST_FOLDER = ".context"


def make_workspace(directory: Path, task: Path = TASK) -> Path:
    """Copy the files of `task` into `directory` and return the host's folder in it, which is new.

    Raises CtxlabError where the directory is not empty, or cannot be made or written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        # Files that somebody else put there are neither overwritten nor shown to a model.
        if any(directory.iterdir()):
            raise CtxlabError(f"{directory} is not empty; give a new directory, or an empty one")
        host = directory / HOST_FOLDER
        host.mkdir()
        # Contents alone are copied: the files of an installed package may be read-only.
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(task, directory, dirs_exist_ok=True, copy_function=shutil.copyfile, ignore=ignored)
    except (FileExistsError, NotADirectoryError) as error:
        raise CtxlabError(f"{directory} is no directory; give a new one, or an empty one") from error
    except (OSError, ValueError) as error:
        raise CtxlabError(
            f"no run can be set up in {os.fspath(directory)!r} ({_why(error)}); give a directory with some "
            "room, which you may write to"
        ) from error
    return host


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, shutil.Error):
        # It lists every file that was not copied: (from, to, why).
        return str(error.args[0][0][2])
    return str(getattr(error, "strerror", None) or error)

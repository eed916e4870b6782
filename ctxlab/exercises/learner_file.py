"""Loading a learner's file, which is executed for it."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.exercises.guard import Failure, guarded
from ctxlab.messages.text_files import read_text

MAX_FILE_BYTES = 1_000_000
SECONDS = 10.0
MODULE = "checked_file"


def definitions(path: Path) -> dict[str, Any]:
    """Execute a Python file and return what its names stand for then.

    The file is not `__main__`, and its folder comes first in `sys.path`, for what it imports now or later.
    What it prints is left out. Raises CtxlabError, in one line, for a file that cannot be read or executed,
    also when it ends the program or does not end.
    """
    if path.suffix == ".ipynb":
        raise CtxlabError(
            f"{path} is a notebook; save it as an executable script (menu File), or check in the notebook"
        )
    text = read_text(
        path,
        CtxlabError,
        kind=".py",
        most=MAX_FILE_BYTES,
        missing=lambda: "check the path",
        too_large="put the functions to check into a file of their own",
    )
    module = ModuleType(MODULE)
    module.__file__ = str(path)
    sys.modules[MODULE] = module  # where a dataclass, for one, looks for the module that it is defined in
    sys.path.insert(0, str(path.resolve().parent))

    def execute() -> None:
        exec(compile(text, str(path), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - its purpose

    ended = guarded(execute, SECONDS, module.__dict__)
    if ended.timed_out:
        raise CtxlabError(f"{path} was still running after {SECONDS:.0f} seconds; keep to definitions in it")
    if ended.failure:
        raise CtxlabError(f"{path}{_told(ended.failure, str(path))}")
    return module.__dict__


def _told(failure: Failure, file: str) -> str:
    line = failure.lines.get(file)
    place = f", line {line}" if line else ""
    if failure.kind == "exited":
        return f"{place}: it ends the program when it is loaded; remove that call"
    said = f": {failure.message}" if failure.message else ""
    return f"{place}: {failure.type}{said}"

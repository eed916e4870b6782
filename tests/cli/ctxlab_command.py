"""The command line as a real process."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(sys.executable).with_name("ctxlab")


def ctxlab(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    defaults: dict[str, object] = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 60}
    return subprocess.run([SCRIPT, *arguments], check=False, **(defaults | options))  # type: ignore[call-overload]


def unusable(run: subprocess.CompletedProcess[str]) -> str:
    """The one line that says what is wrong with the input."""
    assert run.returncode == 2, run.stderr
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    assert line.startswith("ctxlab: ")
    return line.removeprefix("ctxlab: ")

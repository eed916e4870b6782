"""Run the stages of `make test` or `make lint`, each as its own process, and print what each took.

python tools/stages.py lint|test

A failing stage does not stop the later ones: one run tells everything that is wrong.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORT = "build/tests.xml"
STAGE_LIMIT = 1800  # seconds; a stage that takes longer hangs

LINT = {
    "ruff": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
    "imports": ["lint-imports", "--no-logo"],
    "javascript": ["tests/js/node_modules/.bin/tsc", "--project", "tests/js"],
}
TEST = {"tests": ["pytest", "tests", f"--junitxml={REPORT}"]}
LESSONS = {
    "lessons": ["pytest", "--nbval", "--nbval-current-env", "--nbval-cell-timeout", "60", "lessons"],
    "lessons again": ["python", "tools/notebooks.py", "--check"],
}


def stages(target: str) -> dict[str, list[str]]:
    """Stage name -> command, in order."""
    if target == "lint":
        return LINT
    lessons = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("lessons/*.ipynb"))
    again = {"lessons again": [*LESSONS["lessons again"], *lessons]}
    return LINT | TEST | LESSONS | again


def run(command: list[str]) -> str:
    """Run one stage in a process group of its own; "ok" or what went wrong."""
    scripts = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    # Its own group, so that a stage which hangs ends with the kernels and browsers that it started.
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        code = process.wait(STAGE_LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"FAILED: still running after {STAGE_LIMIT} s"
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGINT)
        process.wait()
        raise
    # pytest ends with 5 where it found no test: that is a failure too.
    return "ok" if code == 0 else f"FAILED (exit {code})"


def main(target: str) -> int:
    rows = []
    for name, command in stages(target).items():
        print(f"--- {name}: {' '.join(command)}", flush=True)
        start = time.monotonic()
        result = run(command)
        rows.append((name, time.monotonic() - start, result))
    print("\nstage            seconds  result")
    for name, seconds, result in rows:
        print(f"{name:<16} {seconds:>7.1f}  {result}")
    print(f"{'all':<16} {sum(seconds for _, seconds, _ in rows):>7.1f}")
    return 0 if all(result == "ok" for _, _, result in rows) else 1


if __name__ == "__main__":
    if sys.argv[1:] not in (["lint"], ["test"]):
        sys.exit(__doc__)
    try:
        sys.exit(main(sys.argv[1]))
    except KeyboardInterrupt:
        sys.exit(130)

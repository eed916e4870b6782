"""The standard library's own tests on two small instrumented modules, and on a recorder that is broken."""

import subprocess
import sys
from pathlib import Path

BROKEN = """
import sys
from ctxlab.tracer import record

# A recorder that turns each comparison's operand into another one.
hooks = record.Recorder.hooks
record.Recorder.hooks = lambda self: hooks(self) | {"operand": lambda frame, slot, value: 0}
sys.path.insert(0, sys.argv[1])
import differential
print("\\n".join(differential.run_suite("colorsys", traced=True).outcomes.values()))
"""


def differential(root: Path, *modules: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, root / "tools" / "differential.py", *modules]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_instrumented_modules_pass_their_own_tests(root: Path) -> None:
    ended = differential(root, "colorsys", "fnmatch")
    rows = [line.split() for line in ended.stdout.splitlines()]

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert rows[0] == ["module", "functions", "calls", "tests", "differences"]
    assert [row[0] for row in rows[1:4]] == ["colorsys", "fnmatch", "all"]
    assert rows[1][1] == "7"
    assert all(int(figure.replace(",", "")) > 0 for row in rows[1:3] for figure in row[1:4])
    assert rows[3][-1] == "0"
    # What cannot be traced is counted and named.
    assert "functions that are not traced: 1" in ended.stdout
    assert "fnmatch._compile_pattern: wrapped by a decorator" in ended.stdout


def test_a_fault_of_the_tracer_is_a_difference(root: Path) -> None:
    command = [sys.executable, "-c", BROKEN, root / "tools"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    assert "failed" in ended.stdout or "error" in ended.stdout, ended.stderr


def test_a_module_that_is_not_one_of_the_ten_is_named(root: Path) -> None:
    ended = differential(root, "colorsys", "json")

    assert ended.returncode == 2
    assert ended.stderr.startswith("differential: json: not one of bisect, colorsys,")

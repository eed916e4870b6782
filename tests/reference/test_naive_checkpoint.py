"""Each fault of the naive checkpoint breaks a law that ours keeps, on the same input."""

import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from naive import checkpoint as naive

from ctxlab.errors import Refusal
from ctxlab.reference import checkpoint as ours

BOTH = pytest.mark.parametrize("module", [naive, ours], ids=["naive", "ours"])

START = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from {module} import checkpoint as module
directory = Path(sys.argv[1])
task = module.Checkpoint("t", "goal")
module.save(task, directory=directory)
"""
# A write that passes the limit kills the process in the middle of it.
KILLED_WHILE_SAVING = """
import resource
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
task.pinned_conclusions.append("x" * 2000)
module.save(task, directory=directory)
"""
KILLED_AFTER_THE_EFFECT = """
def pay():
    (directory / "paid").open("a").write("80\\n")
    os.kill(os.getpid(), signal.SIGKILL)
module.idempotent_side_effect(task, 1, "pay the tuner", pay, directory=directory)
"""


def killed(module: ModuleType, program: str, directory: Path) -> int:
    """Run a program in a process of its own, to its death. Returns the signal."""
    text = START.format(module=module.__name__.rpartition(".")[0]) + program
    command = [sys.executable, "-c", text, str(directory), str(Path(__file__).parent)]
    return -subprocess.run(command, timeout=60, check=False).returncode


@BOTH
def test_a_kill_while_saving_tears_the_file(module: ModuleType, tmp_path: Path) -> None:
    assert killed(module, KILLED_WHILE_SAVING, tmp_path) == signal.SIGXFSZ
    if module is naive:
        with pytest.raises(ValueError, match="Unterminated string"):
            module.load("t", directory=tmp_path)
    else:
        assert module.load("t", directory=tmp_path).pinned_conclusions == []


@BOTH
def test_a_kill_after_an_effect_lets_it_happen_twice(module: ModuleType, tmp_path: Path) -> None:
    assert killed(module, KILLED_AFTER_THE_EFFECT, tmp_path) == signal.SIGKILL
    task, _ = module.resume("t", [], directory=tmp_path)
    paid = tmp_path / "paid"

    def pay() -> None:
        paid.write_text(paid.read_text() + "80\n")

    outcome = module.idempotent_side_effect(task, 1, "pay the tuner", pay, directory=tmp_path)
    if module is naive:
        assert (outcome["status"], paid.read_text()) == ("executed", "80\n80\n")
    else:
        assert (outcome["status"], paid.read_text()) == ("unknown", "80\n")


@BOTH
def test_a_step_whose_tool_is_gone_is_skipped(module: ModuleType, tmp_path: Path) -> None:
    task = module.Checkpoint("t", "goal", pending=["fax::the board", "mail::the board"])
    module.save(task, directory=tmp_path)
    resumed, problems = module.resume("t", ["mail"], directory=tmp_path)
    if module is naive:
        assert (resumed.pending, problems) == (["mail::the board"], [])
    else:
        assert resumed.pending == ["fax::the board", "mail::the board"]
        assert problems == ["pending step 0, 'fax::the board': there is no tool 'fax'"]


@BOTH
def test_a_separator_in_the_id_leaves_the_directory(module: ModuleType, tmp_path: Path) -> None:
    task = module.Checkpoint("../config", "goal")
    if module is naive:
        module.save(task, directory=tmp_path / "state")
        assert (tmp_path / "config.json").exists()
    else:
        with pytest.raises(Refusal, match="has a separator"):
            module.save(task, directory=tmp_path / "state")
        assert list(tmp_path.iterdir()) == []


@BOTH
def test_a_result_that_is_no_json_is_forgotten(module: ModuleType, tmp_path: Path) -> None:
    runs = []

    def pay() -> bytes:
        runs.append(80)
        return b"receipt 77"

    for _ in range(2):
        task = module.load("t", directory=tmp_path) or module.Checkpoint("t", "goal")
        if module is naive:
            with pytest.raises(TypeError, match="not JSON serializable"):
                module.idempotent_side_effect(task, 1, "pay", pay, directory=tmp_path)
        else:
            outcome = module.idempotent_side_effect(task, 1, "pay", pay, directory=tmp_path)
            assert outcome == {"status": "unknown", "result": "b'receipt 77'"}
    assert runs == ([80, 80] if module is naive else [80])

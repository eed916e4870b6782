"""What `make setup` says where it cannot go on. That it works is shown by these tests running at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def setup(root: Path, venv: Path, python: Path) -> subprocess.CompletedProcess[str]:
    command = ["sh", root / "tools" / "setup.sh", venv]
    environment = os.environ | {"PYTHON": str(python)}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def interpreter(path: Path, answers: str) -> Path:
    """A Python that answers some questions differently; `$2` is the code that it is asked to run."""
    path.write_text(f'#!/bin/sh\ncase "$2" in\n{answers}\nesac\nexec "{sys.executable}" "$@"\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("version", ["3.10", "3.14"])
def test_another_python_is_refused_with_the_remedy(root: Path, tmp_path: Path, version: str) -> None:
    minor = version.partition(".")[2]
    other = interpreter(
        tmp_path / "python3",
        f'*version_info*) exec "{sys.executable}" -c "import sys; sys.version_info = (3, {minor}); $2";;',
    )
    run = setup(root, tmp_path / "venv", other)
    assert run.returncode == 1
    assert "not a Python from 3.11 to 3.13" in run.stderr
    assert "apt-get install" in run.stderr
    assert not (tmp_path / "venv").exists()


def test_a_python_without_venv_names_the_package_that_is_missing(root: Path, tmp_path: Path) -> None:
    run = setup(root, tmp_path / "venv", interpreter(tmp_path / "python3", "*ensurepip*) exit 1;;"))
    assert run.returncode == 1
    assert f"python{sys.version_info.major}.{sys.version_info.minor}-venv is missing" in run.stderr
    assert not (tmp_path / "venv").exists()

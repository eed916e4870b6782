"""The player's module under node: its pure functions, and its page in jsdom."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize("script", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_node(script: str, payloads: Path) -> None:
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    node = shutil.which("node", path=search)
    assert node, "no node: `make setup` installs one into the project's environment"
    command = [node, "--test", "--test-timeout=60000", script]
    environment = os.environ | {"CTXLAB_PAYLOADS": str(payloads)}
    ran = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True, timeout=240)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "\nℹ pass 0\n" not in ran.stdout, "no test ran"

"""Real payloads for the tests of the player's module."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def payloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the payloads that `make_payloads.py` describes, recorded for this session."""
    folder = tmp_path_factory.mktemp("payloads")
    script = Path(__file__).parent / "support" / "make_payloads.py"
    subprocess.run([sys.executable, script, folder], check=True, timeout=120)
    return folder

"""What every test of the exercises needs: a learner's home that is empty."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the progress file. It does not exist yet."""
    folder = tmp_path / "home"
    monkeypatch.setenv("CTXLAB_HOME", str(folder))
    return folder

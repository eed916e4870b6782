"""For nbval: each notebook's kernel gets a home of its own, without anyone's progress or settings."""

import os
import tempfile
from pathlib import Path

import pytest

HOMES = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[HOMES] = tempfile.TemporaryDirectory()


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[HOMES].cleanup()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    # A kernel starts with its notebook's first cell and takes the environment as it is then.
    home = Path(item.config.stash[HOMES].name) / item.path.stem
    os.environ["CTXLAB_HOME"] = str(home / "ctxlab")
    os.environ["IPYTHONDIR"] = str(home / "ipython")

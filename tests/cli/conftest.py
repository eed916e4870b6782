"""A file of each format that a reader knows."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[1] / "data" / "transcripts"


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    """Return a folder with a copy of each sample, the databases made from their scripts."""
    folder = tmp_path / "transcripts"
    folder.mkdir()
    for sample in SAMPLES.iterdir():
        if sample.suffix == ".sql":
            with closing(sqlite3.connect(folder / f"{sample.stem}.db")) as connection:
                connection.executescript(sample.read_text(encoding="utf-8"))
        else:
            shutil.copy(sample, folder)
    return folder

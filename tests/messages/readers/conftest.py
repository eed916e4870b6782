"""The samples of the readers, and a database made from its script."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "data" / "transcripts"


@pytest.fixture
def samples() -> Path:
    """Return the folder of the samples."""
    return SAMPLES


@pytest.fixture
def database(tmp_path: Path):
    """Return a function that makes the database of a script in the samples."""

    def made(name: str) -> Path:
        path = tmp_path / f"{name}.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript((SAMPLES / f"{name}.sql").read_text("utf-8"))
        return path

    return made

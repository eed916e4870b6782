"""What the tests of the practice share: runs in a directory of their own, with receipts that are known."""

import itertools
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxlab.models import ScriptedModel
from ctxlab.practice import Models, PermissionRequest, PracticeResult, Progress, run_practice
from ctxlab.practice.script import SUMMARY, parent_answers, sub_agent_answers
from ctxlab.practice.workspace import TASK


class Practice:
    """Runs the practice and keeps what it was asked and told. `asked` are the questions to the person."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.asked: list[PermissionRequest] = []
        self.told: list[Progress] = []

    def run(self, allowed: bool = True, **options: Any) -> PracticeResult:
        numbers = itertools.count(1)

        def decide(request: PermissionRequest) -> bool:
            self.asked.append(request)
            return allowed

        defaults = {"new_id": lambda: f"{next(numbers):012x}", "report": self.told.append}
        return run_practice(self.directory, decide, **(defaults | options))

    @property
    def marker(self) -> Path:
        """The file that main.py writes."""
        return self.directory / "ran.txt"


@pytest.fixture
def practice(tmp_path: Path) -> Practice:
    return Practice(tmp_path / "run")


@pytest.fixture
def task(tmp_path: Path) -> Callable[..., Path]:
    """task(main="...") -> a folder like that of the task, with some files replaced."""

    def make(**files: str) -> Path:
        folder = tmp_path / "task"
        shutil.copytree(TASK, folder)
        names = {"main": "main.py", "expected": "expected.txt"}
        for name, text in files.items():
            (folder / names[name]).write_text(text, encoding="utf-8")
        return folder

    return make


@pytest.fixture
def is_running() -> Callable[[int], bool]:
    """is_running(pid) -> whether there is such a process, and not only the trace of one that has ended."""

    def look(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        status = Path(f"/proc/{pid}/stat")
        return not (status.exists() and status.read_text().rpartition(") ")[2].startswith("Z"))

    return look


@pytest.fixture
def scripted() -> Callable[..., Models]:
    """scripted(parent={ids: answer}, sub_agent={...}, summary=...) -> the script with changes."""

    def make(
        parent: dict[tuple[str, ...], Any] | None = None,
        sub_agent: dict[tuple[str, ...], Any] | None = None,
        summary: str = SUMMARY,
    ) -> Models:
        model = ScriptedModel(parent_answers() | (parent or {}), summary)
        return Models(model, ScriptedModel(sub_agent_answers() | (sub_agent or {}), summary), model)

    return make

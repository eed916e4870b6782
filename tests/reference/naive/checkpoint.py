"""Checkpoints as they are often written: short, and fine until a process dies."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Checkpoint:
    """What is kept of one task."""

    task_id: str
    goal: str
    constraints: list[str] = field(default_factory=list)
    pinned_conclusions: list[str] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    side_effects: dict[str, dict[str, Any]] = field(default_factory=dict)
    version: int = 1
    updated_at: str = ""


def save(cp: Checkpoint, *, directory: Path) -> None:
    """Write the checkpoint of a task."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{cp.task_id}.json").write_text(json.dumps(asdict(cp), indent=2))


def load(task_id: str, *, directory: Path) -> Checkpoint | None:
    """Return the checkpoint of a task, or None."""
    path = directory / f"{task_id}.json"
    if not path.exists():
        return None
    return Checkpoint(**json.loads(path.read_text()))


def idempotent_side_effect(
    cp: Checkpoint, step_no: int, action: str, run: Callable[[], Any], *, directory: Path
) -> dict[str, Any]:
    """Run a side effect, unless the checkpoint has a record of it."""
    key = f"{step_no}:{action}"
    if key in cp.side_effects:
        return {"status": "already_done", "result": cp.side_effects[key]["result"]}
    result = run()
    cp.side_effects[key] = {"key": key, "action": action, "result": result}
    save(cp, directory=directory)
    return {"status": "executed", "result": result}


def resume(task_id: str, current_tools: list[str], *, directory: Path) -> tuple[Checkpoint, list[str]]:
    """Return the checkpoint of a task with the steps that can be done."""
    cp = load(task_id, directory=directory)
    if cp is None:
        raise FileNotFoundError(task_id)
    cp.pending = [step for step in cp.pending if step.split("::")[0] in current_tools]
    return cp, []

"""Scenarios of checkpoints: a directory as an earlier run has left it, and one call."""

import atexit
import fcntl
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from ctxlab.reference.checkpoint import (
    Checkpoint,
    effect_key,
    idempotent_side_effect,
    load,
    resume,
    save,
)
from ctxlab.scenarios.fields import Part
from ctxlab.scenarios.systems.stand_ins import fresh_directory
from ctxlab.scenarios.systems.system import System

TIME = "2026-01-31T12:00:00+00:00"
EFFECTS = "effects.txt"


class SideEffect(Part):
    """A side effect that an earlier run has recorded."""

    step_no: int = Field(ge=0, description="The number of the step.")
    action: str = Field(min_length=1, description="What was to happen.")
    status: Literal["unknown", "done", "not_done"] = Field(description="What is known of its outcome.")
    result: Any = Field(default=None, description="What it returned, or a text about an unknown outcome.")


class Task(Part):
    """The fields of a checkpoint."""

    task_id: str = Field(default="accounts", description="The name of the task.")
    goal: str = Field(default="Settle the accounts of the concert", description="What the task is about.")
    constraints: list[str] = Field(default=["Ask before paying"], description="What holds throughout.")
    pinned_conclusions: list[str] = Field(default=[], description="What was found out for good.")
    pending: list[str] = Field(default=[], description="The unfinished steps: tool::detail, or a tool.")
    side_effects: list[SideEffect] = Field(default=[], description="What was begun before the run.")

    def checkpoint(self) -> Checkpoint:
        """Return a new checkpoint with these fields."""
        fields = self.model_dump()
        records = {}
        for effect in self.side_effects:
            key = effect_key(self.task_id, effect.step_no, effect.action)
            record = effect.model_dump(exclude={"step_no"})
            records[key] = {"key": key, **record, "time": TIME}
        return Checkpoint(**{**fields, "side_effects": records}, updated_at=TIME)


class Effect(Part):
    """What the function does that is called: it adds a line to a file, then returns or raises."""

    returns: Any = Field(default=None, description="The value that it returns.")
    as_bytes: bool = Field(default=False, description="Whether it returns bytes, which JSON cannot hold.")
    fails: bool = Field(default=False, description="Whether it raises ConnectionError in the end.")


class Given(Part):
    """What lies in the directory, and the arguments of the call."""

    stored: Task | None = Field(default=None, description="The checkpoint that an earlier run saved.")
    content: str | None = Field(default=None, description="The content of the file, in place of `stored`.")
    held: bool = Field(default=False, description="Whether another process works on the task.")
    task: Task = Field(default=Task(), description="The checkpoint that is given to the function.")
    step_no: int = Field(default=1, description="The number of the step.")
    action: str = Field(default="pay the tuner", description="What is to happen.")
    effect: Effect = Field(default=Effect(), description="What the function does that is called.")
    current_tools: list[str] = Field(default=[], description="The names of the tools that there are now.")


def arguments(given: Given) -> dict[str, Any]:
    """Return new values for the parameters of the functions, in a directory made for them."""
    directory = fresh_directory()
    path = directory / f"{(given.stored or given.task).task_id}.json"
    if given.stored:
        save(given.stored.checkpoint(), directory=directory, now=fixed_time)
    if given.content is not None:
        path.write_text(given.content, encoding="utf-8")
    if given.held:
        hold(path.with_name(f"{path.name}.lock"))
    return {
        "cp": given.task.checkpoint(),
        "task_id": given.task.task_id,
        "step_no": given.step_no,
        "action": given.action,
        "run": acting(given.effect, directory / EFFECTS),
        "current_tools": list(given.current_tools),
        "directory": directory,
        "now": fixed_time,
    }


def fixed_time() -> str:
    """Return the same time whenever it is asked for."""
    return TIME


def hold(path: Path) -> None:
    """Take the lock as another process would, until this process ends."""
    file = path.open("a", encoding="utf-8")
    fcntl.flock(file, fcntl.LOCK_EX)
    atexit.register(file.close)


def acting(effect: Effect, path: Path) -> Callable[[], Any]:
    """Return a function with a side effect that can be counted afterwards: a line more in a file."""

    def act() -> Any:
        with path.open("a", encoding="utf-8") as file:
            file.write("done\n")
        if effect.fails:
            raise ConnectionError("the answer was lost")
        return str(effect.returns).encode() if effect.as_bytes else effect.returns

    return act


def outcome(returned: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what came back, the files in the directory, and how often the effect has happened."""
    directory: Path = arguments["directory"]
    files = sorted(path.name for path in directory.iterdir() if path.suffix != ".lock")
    happened = (directory / EFFECTS).read_text("utf-8").count("\n") if EFFECTS in files else 0
    return {"returned": plain(returned), "files": files, "happened": happened}


def plain(returned: Any) -> Any:
    """Return a returned value as plain data: of a checkpoint, what changes during a task."""
    if isinstance(returned, tuple):
        return {**plain(returned[0]), "problems": returned[1]}
    if isinstance(returned, Checkpoint):
        return {"pending": returned.pending, "pinned_conclusions": returned.pinned_conclusions}
    return returned


SYSTEM = System(
    name="checkpoint",
    functions={
        "save": save,
        "load": load,
        "idempotent_side_effect": idempotent_side_effect,
        "resume": resume,
    },
    given=Given,
    arguments=arguments,
    outcome=outcome,
)

"""The progress file: what a learner has done, in one small local file.

It is written whole or not at all, and a lock keeps two kernels from losing each other's changes. What is
wrong with the file or its folder never stops a lesson: it comes back as one line for the learner to read.
"""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ctxlab.exercises.exercise import exercise
from ctxlab.messages.disk import home_folder, locked_file, write_synced
from ctxlab.messages.wording import shown

FORMAT: Final = "ctxlab.progress/1"
MAX_BYTES = 10_000_000
MOST_HINTS = 3
WAIT_FOR_LOCK = 5.0  # seconds; a kernel that holds the lock for longer has been stopped


class Record(BaseModel):
    """A part of the progress file. A field that is not listed, or of another type, is damage."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ExerciseRecord(Record):
    """What was done on one exercise. Once passed, it stays passed. `hints` is how many were revealed."""

    attempts: int = Field(default=0, ge=0)
    passed: bool = False
    hints: int = Field(default=0, ge=0, le=MOST_HINTS)


class LessonRecord(Record):
    """What was done in one lesson: exercises by name, answers by activity."""

    exercises: dict[str, ExerciseRecord] = {}
    answers: dict[str, dict[str, Any]] = {}


class Progress(Record):
    """The content of the file: lessons by number, such as "01"."""

    format: Literal["ctxlab.progress/1"] = FORMAT
    lessons: dict[str, LessonRecord] = {}

    def lesson(self, number: str) -> LessonRecord:
        """Return the record of a lesson, begun if there is none."""
        return self.lessons.setdefault(number, LessonRecord())

    def exercise(self, name: str) -> ExerciseRecord:
        """Return the record of an exercise, begun if there is none. Raises CtxlabError for another name."""
        return self.lesson(exercise(name).lesson).exercises.setdefault(name, ExerciseRecord())


class DamagedError(Exception):
    """A progress file that cannot be used. The text says what is wrong with it."""


def read() -> tuple[Progress, str]:
    """Return the progress so far, and a line that tells what went wrong, or ""."""
    try:
        return _load(home_folder() / "progress.json"), ""
    except DamagedError:
        return _changed(lambda _: None)
    except OSError as error:
        return Progress(), _unusable("cannot be read", error)


def problem() -> str:
    """Return a line that tells why no progress can be kept, or "". It makes no folder to find that out."""
    home = home_folder()
    if home.exists():
        return _changed(lambda _: None)[1]
    above = next((parent for parent in home.parents if parent.exists()), home)
    if above.is_dir() and os.access(above, os.W_OK):
        return ""
    return _unusable("is not kept", PermissionError(0, f"it cannot be made in {above}"))


def record_check(name: str, passed: bool) -> str:
    """Count an attempt on an exercise. Returns a line that tells what went wrong, or ""."""

    def change(progress: Progress) -> None:
        record = progress.exercise(name)
        record.attempts += 1
        record.passed = record.passed or passed

    return _changed(change)[1]


def record_hint(name: str, level: int) -> str:
    """Keep that the hints of an exercise up to `level` were revealed. Returns what went wrong, or ""."""

    def change(progress: Progress) -> None:
        record = progress.exercise(name)
        record.hints = max(record.hints, level)

    return _changed(change)[1]


def record_answer(lesson: str, activity: str, answer: dict[str, Any]) -> str:
    """Keep the answer to an activity, as plain JSON values, in place of an earlier one.

    Returns a line that tells what went wrong, or "".
    """

    def change(progress: Progress) -> None:
        progress.lesson(lesson).answers[activity] = answer

    return _changed(change)[1]


def forget(lesson: str) -> str:
    """Drop all that is kept of a lesson. Returns a line that tells what went wrong, or ""."""

    def change(progress: Progress) -> None:
        progress.lessons.pop(lesson, None)

    return _changed(change)[1]


def _changed(change: Callable[[Progress], None]) -> tuple[Progress, str]:
    """Change the file under the lock. Returns what it holds then, and a line that tells what went wrong."""
    path = home_folder() / "progress.json"
    progress, notice = Progress(), ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        taken = TimeoutError(0, "another kernel holds progress.lock; shut that kernel down")
        with locked_file(path.with_name("progress.lock"), taken, WAIT_FOR_LOCK):
            try:
                progress = _load(path)
            except DamagedError as damage:
                aside = _set_aside(path)
                notice = (
                    f"{path} {damage}. It was set aside as {aside.name}, and a new one was begun. "
                    f"To go on with the old one, correct it and rename it to {path.name}."
                )
            before = _text(progress)
            change(progress)
            if _text(progress) != before:
                _write(path, _text(progress))
    except OSError as error:
        notice = _unusable("is not kept", error)
    return progress, notice


def _load(path: Path) -> Progress:
    """Return the content of the file; fresh progress where there is none. Raises DamagedError or OSError."""
    try:
        # Opening anything but a file, such as a pipe, could wait for ever.
        if not stat.S_ISREG(path.stat().st_mode):
            raise DamagedError("is no file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Progress()
    if len(data) > MAX_BYTES:
        raise DamagedError(f"has over {MAX_BYTES} bytes")
    try:
        content = json.loads(data)
        if not isinstance(content, dict):
            raise DamagedError("holds no JSON object")
        if content.get("format") != FORMAT:
            raise DamagedError(
                f"is not of the format {FORMAT}: another version of ctxlab may have written it"
            )
        progress = Progress.model_validate(content)
        _text(progress)  # Python reads deeper values than it writes, and what is read must be written again
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise DamagedError(f"is damaged at {shown(place)}") from error
    except (ValueError, RecursionError) as error:
        raise DamagedError("is not readable JSON") from error
    return progress


def _set_aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"progress.damaged-{number}.json")).exists():
        number += 1
    return path.rename(aside)


def _text(progress: Progress) -> str:
    return json.dumps(progress.model_dump(), indent=1)


def _write(path: Path, text: str) -> None:
    """Write a new file beside the old one and put it in its place, so that no reader ever sees half of it."""
    new = path.with_name("progress.new")
    write_synced(new, text.encode("utf-8"))
    new.replace(path)


def _unusable(what: str, error: OSError) -> str:
    """Return the line that tells what is wrong with the folder, or with a file in it, and what to do."""
    place = error.filename or home_folder()
    reason = error.strerror or type(error).__name__
    return (
        f"Your progress {what}: {place} cannot be used ({reason}). "
        "Correct that, or set CTXLAB_HOME to another folder that you may write to."
    )

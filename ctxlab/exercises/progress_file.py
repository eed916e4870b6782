"""The progress file: what a learner has done, in one small local file.

It is written whole or not at all, and a lock keeps two kernels from losing each other's changes. What is
wrong with the file or its folder never stops a lesson: it comes back as one line for the learner to read.
"""

import fcntl
import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ctxlab.exercises.exercise import exercise
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


def folder() -> Path:
    """Return the folder of the file: CTXLAB_HOME, or the user's own data folder."""
    home = os.environ.get("CTXLAB_HOME")
    return Path(home) if home else user_data_path("ctxlab", appauthor=False)


def read() -> tuple[Progress, str]:
    """Return the progress so far, and a line that tells what went wrong, or ""."""
    try:
        return _load(folder() / "progress.json"), ""
    except DamagedError:
        return _changed(lambda _: None)
    except OSError as error:
        return Progress(), f"Your progress cannot be read ({_reason(error)})."


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
    path = folder() / "progress.json"
    progress, notice = Progress(), ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.with_name("progress.lock")):
            try:
                progress = _load(path)
            except DamagedError as damage:
                aside = _set_aside(path)
                notice = f"{path} {damage}. It was set aside as {aside.name}, and a new one was begun."
            before = _text(progress)
            change(progress)
            if _text(progress) != before:
                _write(path, _text(progress))
    except OSError as error:
        notice = f"Your progress is not kept: {path.parent} cannot be used ({_reason(error)})."
    return progress, notice


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock that every change takes. The system frees it when a process ends, however it ends."""
    end = time.monotonic() + WAIT_FOR_LOCK
    with path.open("a") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > end:
                    raise TimeoutError(0, f"another kernel holds {path.name}") from error
                time.sleep(0.01)
        yield


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
        if isinstance(content, dict) and content.get("format") != FORMAT:
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
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__

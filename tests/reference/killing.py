"""Start a worker, kill it with SIGKILL at a random moment, look at what it left; many times.

Usage: killing.py saves|effects DIRECTORY SEED KILLS. Prints counts as JSON; an AssertionError ends it.
It is a process of its own because it forks, which a test process with threads had better not do.
"""

import json
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ctxlab.reference.checkpoint import Checkpoint, idempotent_side_effect, load, locked_task, resume, save

LONG = "x" * 100_000
KILLS_PER_TASK = 25  # then a new one is begun, so that the files stay short


def note(path: Path, line: str) -> None:
    """Add a line to a file: whole or not at all, as one short write is."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def no_clock() -> str:
    return "then"


def version(number: int) -> Checkpoint:
    return Checkpoint("task", "goal", pending=[f"write::{number}{LONG}"], updated_at="then")


def save_for_ever(directory: Path, task_id: str) -> None:
    """Save one version after the other; `notes` says which one is being saved, and which one was."""
    last = load(task_id, directory=directory)
    number = int(last.pending[0].removeprefix("write::").removesuffix(LONG)) if last else 0
    while True:
        number += 1
        note(directory / "notes", f"begun {number}")
        save(version(number), directory=directory, now=no_clock)
        note(directory / "notes", f"saved {number}")


def look_at_saves(directory: Path, task_id: str) -> str:
    """The file holds the version that was being saved, whole, or the one before it, whole."""
    path = directory / "task.json"
    word, number = (lines_of(directory / "notes") or ["saved 0"])[-1].split()
    versions = [int(number)] if word == "saved" else [int(number), int(number) - 1]
    for found in versions:
        if found == 0 and not path.exists():
            return "before the first"
        fields = vars(version(found))
        if path.exists() and path.read_bytes() == (json.dumps(fields, indent=1) + "\n").encode():
            return "between saves" if word == "saved" else "new" if found == int(number) else "old"
    raise AssertionError(f"after {word} {number}, the file is torn or of another version")


def add(effects: Path, step: int) -> int:
    note(effects, str(step))
    time.sleep(0.0005)
    return step


def work_for_ever(directory: Path, task_id: str) -> None:
    """Do the pending step: add its number to a file of this task, at most once. Then the next one."""
    effects = directory / f"{task_id}.effects"
    with locked_task(task_id, directory=directory):
        if load(task_id, directory=directory) is None:
            save(Checkpoint(task_id, "count", pending=["count::0"]), directory=directory)
        task, _ = resume(task_id, ["count"], directory=directory)
        while True:
            step = int(task.pending[0].removeprefix("count::"))
            run = partial(add, effects, step)
            idempotent_side_effect(task, step, "count", run, directory=directory)
            # An outcome that is unknown would be asked about. Here nobody answers: on with the next step.
            task.pending = [f"count::{step + 1}"]
            save(task, directory=directory)


def look_at_effects(directory: Path, task_id: str) -> str:
    """Each effect happened at most once, none without a record, and none that is done did not happen."""
    path = directory / f"{task_id}.json"
    happened = [int(line) for line in lines_of(directory / f"{task_id}.effects")]
    assert len(happened) == len(set(happened)), f"an effect of {task_id} happened twice: {happened}"
    if not path.exists():
        assert not happened
        return "before the first"
    stored = json.loads(path.read_bytes())["side_effects"]
    records = {int(key.split("/")[1]): record for key, record in stored.items()}
    assert set(happened) <= set(records), f"an effect of {task_id} happened without an intent"
    for step, record in records.items():
        assert record["status"] == "unknown" or step in happened, f"{step} is called done, and is not"
    last = max(records, default=-1)
    if last < 0 or records[last]["status"] == "done":
        return "between effects"
    return "unknown, happened" if last in happened else "unknown, not happened"


MODES = {"saves": (save_for_ever, look_at_saves), "effects": (work_for_ever, look_at_effects)}


def kill_one(work: Callable[[Path, str], None], directory: Path, task_id: str, moment: float) -> None:
    worker = os.fork()
    if worker == 0:
        try:
            work(directory, task_id)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    time.sleep(moment)
    os.kill(worker, signal.SIGKILL)
    _, status = os.waitpid(worker, 0)
    assert os.WIFSIGNALED(status), "the worker ended by itself"


def pace(directory: Path) -> float:
    """Return the seconds that a save takes here, so that the kills fall on all of its moments."""
    began = time.monotonic()
    for number in range(10):
        save(version(number), directory=directory)
    return (time.monotonic() - began) / 10


def main(mode: str, directory: Path, seed: int, kills: int) -> None:
    chance = random.Random(seed)
    work, look = MODES[mode]
    longest = 0.005 + 4 * pace(directory / "pace")
    counts: Counter[str] = Counter()
    for number in range(kills):
        task_id = "task" if mode == "saves" else f"task-{number // KILLS_PER_TASK}"
        kill_one(work, directory, task_id, chance.uniform(0, longest))
        counts[look(directory, task_id)] += 1
    assert not list(directory.glob("*.damaged-*"))
    print(json.dumps(counts))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))

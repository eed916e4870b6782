"""Checkpoints: a task that outlives its process, and side effects that happen at most once.

A checkpoint says what a task is about and what is left to do. It lies in one file, replaced whole, so a kill
at any moment leaves the old file or the new one. No file can make an effect happen *exactly* once: a crash
can fall between the effect and the note of it. So an intent is saved first, and what was begun without a
known outcome is "unknown" to the next run: it asks, and runs nothing by itself.

Engines such as DBOS (https://docs.dbos.dev) and Temporal (https://docs.temporal.io) do this for many tasks on
many machines, with the same limit: there too an effect has to be idempotent, or can happen twice.
"""

import glob
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.disk import sync_folder, write_synced
from ctxlab.messages.encoding import indented_json
from ctxlab.messages.wording import shown, type_words
from ctxlab.reference.checkpoint_file import (
    VERSION,
    Directory,
    checked_bytes,
    checkpoint_path,
    locked_task,
    sound_fields,
    tool_of,
)

MAX_RESULT_BYTES = 100_000


@dataclass
class Checkpoint:
    """What must survive of one task. `save` checks the fields.

    `goal` and `constraints` are kept word for word and never change; `pinned_conclusions` only grows.
    `pending` are the unfinished steps in order, each `tool::detail` or the bare name of a tool.
    `side_effects` maps a key (see `effect_key`) to its record: key, action, status ("unknown", "done" or
    "not_done"), result (a JSON value; of an unknown outcome, a text about it, or None) and time.
    `version` is that of the format, `updated_at` the time of the last save.
    """

    task_id: str
    goal: str
    constraints: list[str] = field(default_factory=list)
    pinned_conclusions: list[str] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    side_effects: dict[str, dict[str, Any]] = field(default_factory=dict)
    version: int = VERSION
    updated_at: str = ""


def utc_now() -> str:
    """Return the time now, in UTC, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def save(cp: Checkpoint, *, directory: Directory = None, now: Callable[[], str] = utc_now) -> None:
    """Put a checkpoint in the place of the task's last one, and set its `updated_at` to `now()`.

    Whenever the process is killed, and at a loss of power too, the file is the old one or the new one.
    Refuses `bad_argument` (a field that cannot be stored; a goal, a constraint, a conclusion or a side effect
    that the last checkpoint has and this one does not), and what `load` and `locked_task` refuse. Raises
    OSError, such as that of a full disk; the last checkpoint stays then.
    """
    # Is it anything but a checkpoint?
    if not isinstance(cp, Checkpoint):
        raise Refusal("bad_argument", f"{type_words(cp)} was given to save, not a Checkpoint")
    path = checkpoint_path(cp.task_id, directory)

    # 1. Check all of it before the disk is touched.
    moment = now()
    data = checked_bytes(vars(cp) | {"updated_at": moment})
    with locked_task(cp.task_id, directory=directory):
        # 2. Compare it with the last one.
        last = load(cp.task_id, directory=directory)
        # Is there a checkpoint that this one replaces?
        if last is not None:
            check_kept(last, cp)

        # 3. Write a draft beside the file. Its name is fixed: one that a crash left is written over.
        draft = path.with_name(f"{path.name}.draft")
        write_synced(draft, data)

        # 4. Let it take the place of the file. A rename happens whole or not at all.
        draft.replace(path)

        # 5. Bring the new name to the disk too.
        sync_folder(path.parent)
    cp.updated_at = moment


def check_kept(last: Checkpoint, new: Checkpoint) -> None:
    """Refuse (`bad_argument`) a checkpoint that has lost what the last one of its task holds."""
    # Has the goal changed, or a constraint?
    if new.goal != last.goal or new.constraints != last.constraints:
        # What a person has set is never rewritten on the way. Another goal is another task.
        raise Refusal("bad_argument", "goal and constraints never change; begin another task instead")
    for conclusion in last.pinned_conclusions:
        # Is this conclusion gone?
        if conclusion not in new.pinned_conclusions:
            raise Refusal("bad_argument", f"the pinned conclusion {shown(conclusion)} is gone; keep it")
    for key, record in last.side_effects.items():
        known = new.side_effects.get(key)
        # Would this effect look as if it had not been tried, or one that is done be changed?
        if known is None or (record["status"] == "done" and known != record):
            # It could happen a second time.
            raise Refusal(
                "bad_argument", f"the side effect {shown(key)} was recorded since; resume the task again"
            )


def load(task_id: str, *, directory: Directory = None) -> Checkpoint | None:
    """Return the checkpoint of a task, or None where there is none.

    It takes no lock. Refuses `bad_task_id`, and `damaged` once the file is set aside, under the name that the
    text gives; while another process works on the task, a damaged file stays (`locked`). Raises OSError.
    """
    # Is there no checkpoint of this task?
    if not checkpoint_path(task_id, directory).exists():
        return None
    return read_checkpoint(task_id, directory)


def read_checkpoint(task_id: str, directory: Directory) -> Checkpoint:
    """Return the checkpoint of a task that has one, as `load` does."""
    fields = sound_fields(task_id, directory)
    # Is it the file of another task?
    if fields["task_id"] != task_id:
        # Some systems take A and a for one name of a file.
        raise Refusal(
            "bad_task_id", f"the file of this id holds the task {shown(fields['task_id'])}; use that"
        )
    return Checkpoint(**fields)


def effect_key(task_id: str, step_no: int, action: str) -> str:
    """Return the key of a side effect. A service that takes an idempotency key should get this one."""
    return f"{task_id}/{step_no}/{action}"


def idempotent_side_effect(
    cp: Checkpoint,
    step_no: int,
    action: str,
    run: Callable[[], Any],
    *,
    directory: Directory = None,
    now: Callable[[], str] = utc_now,
) -> dict[str, Any]:
    """Call `run()` unless this effect may have happened before: {"status": ..., "result": value}.

    The effect is known by task, step number and `action`, a text that says what is done to what. "executed":
    `run` was called just now, and returned `result`. "already_done": an earlier call has returned it.
    "unknown": it was begun, and nobody knows how it ended: ask, then `settle_side_effect`. `result` is then a
    text about it, or None after a crash. Unknown too is the outcome of a `run` that raises (the exception
    passes through), and of one that returns what JSON cannot give back equal, or over 100,000 bytes.

    The checkpoint is saved with the intent before `run` is called, and with the outcome after it; its
    `side_effects` are brought up to date. The task is locked meanwhile. Refuses `bad_argument`, and what
    `save` refuses. An OSError of the second save passes through; the outcome is unknown then.
    """
    check_effect(cp, step_no, action)
    # Is there nothing to call?
    if not callable(run):
        raise Refusal("bad_argument", f"run is {type_words(run)}, not a function without parameters")
    key = effect_key(cp.task_id, step_no, action)
    with locked_task(cp.task_id, directory=directory):
        # 1. Look into the file: another process may have gone on since this checkpoint was read.
        last = load(cp.task_id, directory=directory)
        # Is there a file?
        if last is not None:
            cp.side_effects = cp.side_effects | last.side_effects
        known = cp.side_effects.get(key, {"status": "not_done", "result": None})
        # Is the effect known to have happened?
        if known["status"] == "done":
            return {"status": "already_done", "result": copied(known["result"])}
        # Was it begun, and never settled?
        if known["status"] == "unknown":
            # Perhaps it happened. To run it again could do it twice.
            return {"status": "unknown", "result": known["result"]}

        # 2. Save the intent. Until more is known, the outcome is unknown.
        record = {"key": key, "action": action, "status": "unknown", "result": None, "time": now()}
        save_record(cp, record, directory, now)

        # 3. Let it happen.
        try:
            result = run()
        except BaseException as error:
            # It may have happened before it failed: a lost answer looks like a lost request.
            with suppress(OSError, Refusal):  # the file says unknown already
                save_record(cp, record | {"result": shown(error), "time": now()}, directory, now)
            raise

        # 4. Save the outcome.
        outcome = outcome_of(result)
        save_record(cp, record | outcome | {"time": now()}, directory, now)
    # Did it return what cannot be stored?
    if outcome["status"] == "unknown":
        return outcome
    return {"status": "executed", "result": result}


def check_effect(cp: Checkpoint, step_no: int, action: str) -> None:
    """Refuse (`bad_argument`) what names no side effect."""
    # Is it anything but a checkpoint?
    if not isinstance(cp, Checkpoint):
        raise Refusal("bad_argument", f"{type_words(cp)} was given, not a Checkpoint")
    # Is the step no number?
    if type(step_no) is not int or step_no < 0:
        raise Refusal("bad_argument", f"step_no is {shown(step_no)}, not an int of at least 0")
    # Does the action say nothing?
    if not isinstance(action, str) or not action.strip():
        raise Refusal("bad_argument", f"action is {shown(action)}, not a text that says what is done")


def outcome_of(result: Any) -> dict[str, Any]:
    """Return the status and the result to record for what an effect returned."""
    try:
        data = indented_json([[[result]]])  # as deep as in the file
    except ValueError:
        # It has no JSON form.
        return {"status": "unknown", "result": shown(result)}
    [[[stored]]] = json.loads(data)
    # Would another value come back, such as a list for a tuple, or is it too long?
    if stored != result or len(data) > MAX_RESULT_BYTES:
        return {"status": "unknown", "result": shown(result)}
    return {"status": "done", "result": stored}


def save_record(cp: Checkpoint, record: dict[str, Any], directory: Directory, now: Callable[[], str]) -> None:
    """Save the checkpoint with this record. Where that fails, the checkpoint is as it was."""
    side_effects = cp.side_effects | {record["key"]: record}
    updated = replace(cp, side_effects=side_effects)
    save(updated, directory=directory, now=now)
    cp.side_effects, cp.updated_at = side_effects, updated.updated_at


def settle_side_effect(
    cp: Checkpoint,
    step_no: int,
    action: str,
    happened: bool,
    result: Any = None,
    *,
    directory: Directory = None,
    now: Callable[[], str] = utc_now,
) -> None:
    """Save what a person found out about an effect whose outcome is unknown.

    One that has happened counts as done from now on, with `result`; one that has not may be run again.
    Refuses `bad_argument` where no such effect is unknown, or `result` is no JSON value of at most 100,000
    bytes, and what `save` refuses.
    """
    check_effect(cp, step_no, action)
    known = cp.side_effects.get(effect_key(cp.task_id, step_no, action))
    # Is there nothing to settle?
    if known is None or known["status"] != "unknown":
        raise Refusal("bad_argument", f"step {step_no} has no unknown effect {shown(action)}")
    outcome = outcome_of(result) if happened else {"status": "not_done", "result": None}
    # Is this a result that cannot be stored?
    if outcome["status"] == "unknown":
        raise Refusal("bad_argument", f"result is {outcome['result']}, which JSON cannot give back equal")
    save_record(cp, known | outcome | {"time": now()}, directory, now)


def resume(
    task_id: str, current_tools: Iterable[str], *, directory: Directory = None
) -> tuple[Checkpoint, list[str]]:
    """Return the checkpoint of a task, and what stands in the way of going on: one line for each problem.

    `current_tools` are the names of the tools that there are now. Only the steps in `pending` are left to do.
    A step whose tool is gone stays among them and is named, as is each side effect whose outcome is unknown.
    Raises FileNotFoundError where there is no checkpoint. Refuses `bad_argument`, and what `load` and
    `locked_task` refuse.
    """
    # Is it anything but several names?
    if isinstance(current_tools, str) or not isinstance(current_tools, Iterable):
        given = type_words(current_tools)
        raise Refusal("bad_argument", f"current_tools is {given}, not a list with the names of the tools")
    names = list(current_tools)

    # 1. Read the checkpoint under the lock: who goes on with a task must be alone with it.
    path = checkpoint_path(task_id, directory)
    # Is there none?
    if not path.exists():
        raise FileNotFoundError(missing(task_id, path))
    with locked_task(task_id, directory=directory):
        cp = read_checkpoint(task_id, directory)

    # 2. Name each pending step that cannot be done.
    problems = []
    for number, step in enumerate(cp.pending):
        # Is the tool of this step gone?
        if tool_of(step) not in names:
            # To skip it would leave the task undone, and nobody would know.
            problems.append(f"pending step {number}, {shown(step)}: there is no tool {shown(tool_of(step))}")

    # 3. Name each effect that may have happened.
    for record in cp.side_effects.values():
        # Is its outcome unknown?
        if record["status"] == "unknown":
            problems.append(f"side effect {shown(record['key'])}: it may have happened; ask, then settle it")
    return cp, problems


def missing(task_id: str, path: Path) -> str:
    """Return what to say of a task without a checkpoint."""
    aside = sorted(other.name for other in path.parent.glob(f"{glob.escape(path.name)}.damaged-*"))
    # Was a damaged one set aside?
    if aside:
        # To begin anew could do again what was done already.
        return (
            f"the checkpoint of the task {shown(task_id)} was damaged; correct {aside[-1]} and rename it back"
        )
    return f"there is no checkpoint of the task {shown(task_id)}; check the id and the directory"

"""Checkpoints: a task that outlives its process, and side effects that happen at most once.

A checkpoint says what a task is about and what is left to do. It lies in one file, replaced whole, so a kill
at any moment leaves the old file or the new one. No file can make an effect happen *exactly* once: a crash
can fall between the effect and the note of it. So an intent is saved first, and what was begun without a
known outcome is "unknown" to the next run: it asks, and runs nothing by itself.

Engines such as DBOS (https://docs.dbos.dev) and Temporal (https://docs.temporal.io) do this for many tasks on
many machines, with the same limit: there too an effect has to be idempotent, or can happen twice.
"""

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
from ctxlab.messages.wording import shown, type_words, visible
from ctxlab.reference.checkpoint_file import (
    MAX_RESULT_BYTES,
    VERSION,
    Directory,
    checked_bytes,
    checkpoint_path,
    is_there,
    locked_task,
    refuse_set_aside,
    sound_fields,
    tool_of,
)

MAX_TEXT_CHARS = 2_000
MAX_STEP_NO = 1_000_000_000


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
    Refuses `bad_argument` (a field that cannot be stored; a goal, a constraint, a conclusion or the record of
    a side effect that the last checkpoint has and this one does not; over 10,000,000 bytes, of which 101,000
    are kept free for each effect whose outcome is unknown), and what `load` and `locked_task` refuse. Raises
    OSError, such as that of a full disk; the last checkpoint stays then.
    """
    # Is it anything but a checkpoint?
    if not isinstance(cp, Checkpoint):
        raise Refusal("bad_argument", f"{type_words(cp)} was given to save, not a Checkpoint")
    path = checkpoint_path(cp.task_id, directory)

    # 1. Check all of it before the disk is touched.
    moment = now()
    data = checked_bytes(vars(cp) | {"updated_at": moment}, with_room=True)
    with locked_task(cp.task_id, directory=directory):
        # 2. Compare it with the last one.
        last = load(cp.task_id, directory=directory)
        # Is there a checkpoint that this one replaces?
        if last is not None:
            check_kept(last, cp)

        # 3. Put it in the place of the last one.
        replace_file(path, data)
    cp.updated_at = moment


def replace_file(path: Path, data: bytes) -> None:
    """Replace the content of a file: whole, or not at all."""
    # 1. Write a draft beside the file. Its name is fixed: one that a crash left is removed.
    draft = path.with_name(f"{path.name}.draft")
    write_synced(draft, data)

    # 2. Let it take the place of the file. A rename happens whole or not at all.
    draft.replace(path)

    # 3. Bring the new name to the disk too.
    sync_folder(path.parent)


def check_kept(last: Checkpoint, new: Checkpoint) -> None:
    """Refuse (`bad_argument`) a checkpoint that has lost what the last one of its task holds."""
    check_same_task(last, new)
    kept = set(new.pinned_conclusions)
    for conclusion in last.pinned_conclusions:
        # Is this conclusion gone?
        if conclusion not in kept:
            raise Refusal("bad_argument", f"the pinned conclusion {shown(conclusion)} is gone; keep it")
    for key, record in last.side_effects.items():
        # Is another outcome known of this effect, or none?
        if new.side_effects.get(key) != record:
            # Only the call that holds it, or a person, can say how it ended. It could happen a second time.
            raise Refusal(
                "bad_argument", f"the side effect {shown(key)} was recorded since; resume the task again"
            )


def check_same_task(last: Checkpoint, new: Checkpoint) -> None:
    """Refuse (`bad_argument`) a checkpoint with another goal, or other constraints."""
    # Has the goal changed, or a constraint?
    if new.goal != last.goal or new.constraints != last.constraints:
        # What a person has set is never rewritten on the way. Another goal is another task.
        raise Refusal("bad_argument", "goal and constraints never change; begin another task instead")


def load(task_id: str, *, directory: Directory = None) -> Checkpoint | None:
    """Return the checkpoint of a task, or None where there is none.

    It takes no lock. Refuses `bad_task_id`, `bad_argument` (the directory), `other_version` (the file stays)
    and `damaged`. A damaged file is set aside, under the name that the text gives, and the task is refused
    until that is corrected or taken away; while another process works on the task, it stays (`locked`).
    Raises OSError, also where a damaged file cannot be set aside.
    """
    path = checkpoint_path(task_id, directory)
    # Is there no checkpoint of this task?
    if not is_there(path):
        refuse_set_aside(path)
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

    The intent is saved before `run` is called, and the outcome after it; `cp.side_effects` is brought up to
    date. All else stays as the file has it: what has changed in `cp` is for `save`. Only a task without a
    file is saved whole. The task is locked meanwhile. Refuses `bad_argument`, also where the file has no room
    for another outcome, and what `save` refuses. An error of the second save passes through; the outcome is
    unknown then.
    """
    check_effect(cp, step_no, action, directory)
    # Is there nothing to call?
    if not callable(run):
        raise Refusal("bad_argument", f"run is {type_words(run)}, not a function without parameters")
    key = effect_key(cp.task_id, step_no, action)
    with locked_task(cp.task_id, directory=directory):
        # 1. Look into the file: another process may have gone on since this checkpoint was read.
        task = up_to_date(cp, directory)
        cp.side_effects = copied(task.side_effects)
        known = task.side_effects.get(key, {"status": "not_done", "result": None})
        # Is the effect known to have happened?
        if known["status"] == "done":
            return {"status": "already_done", "result": known["result"]}
        # Was it begun, and never settled?
        if known["status"] == "unknown":
            # Perhaps it happened. To run it again could do it twice.
            return {"status": "unknown", "result": known["result"]}

        # 2. Save the intent. Until more is known, the outcome is unknown.
        record = {"key": key, "action": action, "status": "unknown", "result": None, "time": now()}
        task.side_effects[key] = record
        checked_bytes(vars(task), with_room=True)  # an outcome without room could not be saved
        save_record(cp, task, record, directory, now)

        # 3. Let it happen.
        try:
            result = run()
        except BaseException as error:
            # It may have happened before it failed: a lost answer looks like a lost request.
            with suppress(Exception):  # the file says unknown already
                failed = record | {"result": text_form(error), "time": now()}
                save_record(cp, task, failed, directory, now)
            raise

        # 4. Save the outcome.
        outcome = outcome_of(result)
        save_record(cp, task, record | outcome | {"time": now()}, directory, now)
    # Did it return what cannot be stored?
    if outcome["status"] == "unknown":
        return outcome
    return {"status": "executed", "result": result}


def check_effect(cp: Checkpoint, step_no: int, action: str, directory: Directory) -> None:
    """Refuse (`bad_argument`, `bad_task_id`) what names no side effect of a task that can be stored."""
    # Is it anything but a checkpoint?
    if not isinstance(cp, Checkpoint):
        raise Refusal("bad_argument", f"{type_words(cp)} was given, not a Checkpoint")
    # Is the step no number, or one that Python does not write out?
    if type(step_no) is not int or not 0 <= step_no <= MAX_STEP_NO:
        raise Refusal("bad_argument", f"step_no is {shown(step_no)}, not an int from 0 to {MAX_STEP_NO}")
    # Does the action say nothing?
    if type(action) is not str or not action.strip():
        # A member of an Enum, say, is a text too, and writes itself as another one into the key.
        raise Refusal("bad_argument", f"action is {shown(action)}, not a plain text that says what is done")
    checkpoint_path(cp.task_id, directory)
    checked_bytes(vars(cp))


def up_to_date(cp: Checkpoint, directory: Directory) -> Checkpoint:
    """Return the task as its file has it, or as `cp` has it where there is no file.

    It has the side effects of both, and shares nothing with `cp`, which `run` could change.
    """
    own = Checkpoint(**copied(vars(cp)))
    last = load(cp.task_id, directory=directory)
    # Is there no file?
    if last is None:
        return own
    check_same_task(last, own)
    return replace(last, side_effects=own.side_effects | last.side_effects)


def outcome_of(result: Any) -> dict[str, Any]:
    """Return the status and the result to record for what an effect returned."""
    try:
        data = indented_json([[[result]]])  # as deep as in the file
    except ValueError:
        # It has no JSON form.
        return {"status": "unknown", "result": text_form(result)}
    [[[stored]]] = json.loads(data)
    # Would another value come back, such as a list for a tuple, or is it too long?
    if stored != result or len(data) > MAX_RESULT_BYTES:
        return {"status": "unknown", "result": text_form(result)}
    return {"status": "done", "result": stored}


def text_form(value: Any) -> str:
    """Return `value` as Python writes it, in one line of at most 2,000 characters and their number.

    It is all that is kept of the value: a person has to find out from it what happened.
    """
    try:
        text = visible(repr(value))
    except Exception:  # noqa: BLE001 - a broken __repr__, as in `shown`
        return shown(value)
    return text if len(text) <= MAX_TEXT_CHARS else f"{text[:MAX_TEXT_CHARS]}... ({len(text)} characters)"


def save_record(
    cp: Checkpoint, task: Checkpoint, record: dict[str, Any], directory: Directory, now: Callable[[], str]
) -> None:
    """Save a record into the file of a task, which the caller holds, or save the task where there is no file.

    `cp` gets the side effects that are saved then. Where that fails, it is as it was.
    """
    # What has been called may have saved on its own, such as the record of an effect within this one.
    last = load(task.task_id, directory=directory) or task
    side_effects = last.side_effects | {record["key"]: record}
    fields = vars(last) | {"side_effects": task.side_effects | side_effects, "updated_at": now()}
    replace_file(checkpoint_path(task.task_id, directory), checked_bytes(fields))
    cp.side_effects, cp.updated_at = copied(fields["side_effects"]), fields["updated_at"]


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
    What has changed in `cp` besides is for `save`. Refuses `bad_argument` where no such effect is unknown,
    `happened` is no bool, or `result` is no JSON value of at most 100,000 bytes, and what `save` refuses.
    """
    check_effect(cp, step_no, action, directory)
    # Is the answer anything but yes or no?
    if type(happened) is not bool:
        # "no" would count as a yes.
        raise Refusal("bad_argument", f"happened is {shown(happened)}, not True or False")
    outcome = outcome_of(result) if happened else {"status": "not_done", "result": None}
    # Is this a result that cannot be stored?
    if outcome["status"] == "unknown":
        raise Refusal("bad_argument", f"result is {outcome['result']}, which JSON cannot give back equal")
    with locked_task(cp.task_id, directory=directory):
        task = up_to_date(cp, directory)
        known = task.side_effects.get(effect_key(cp.task_id, step_no, action))
        # Is there nothing to settle?
        if known is None or known["status"] != "unknown":
            raise Refusal("bad_argument", f"step {step_no} has no unknown effect {shown(action)}")
        save_record(cp, task, known | outcome | {"time": now()}, directory, now)


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
    if not is_there(path):
        refuse_set_aside(path)
        raise FileNotFoundError(
            f"there is no checkpoint of the task {shown(task_id)}; check the id and the directory"
        )
    with locked_task(task_id, directory=directory):
        cp = read_checkpoint(task_id, directory)

    # 2. Name each pending step that cannot be done.
    problems = []
    for number, step in enumerate(cp.pending):
        # Is the tool of this step gone?
        if not has_tool(step, names):
            # To skip it would leave the task undone, and nobody would know.
            problems.append(f"pending step {number}, {shown(step)}: there is no tool {shown(tool_of(step))}")

    # 3. Name each effect that may have happened.
    for record in cp.side_effects.values():
        # Is its outcome unknown?
        if record["status"] == "unknown":
            problems.append(f"side effect {shown(record['key'])}: it may have happened; ask, then settle it")
    return cp, problems


def has_tool(step: str, names: list[str]) -> bool:
    """Say whether one of these is the tool of a pending step. The name of a tool may have "::" in it too."""
    return tool_of(step) in names or any(f"{step.strip()}::".startswith(f"{name}::") for name in names)

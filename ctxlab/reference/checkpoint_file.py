"""The file of a checkpoint: its name, its fields, and what makes it damaged.

The file of a task is `<task_id>.json`. Beside it may stand `<task_id>.json.draft` (a save under way, or one
that a crash broke off), `.lock` (see `locked_task`) and `.damaged-1`, `.damaged-2`, ... (set aside). None of
these ends like a checkpoint, so no task can be named after them.

A directory that cannot be written can be read all the same: `load` needs no more. All else raises OSError.
"""

import json
import os
import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.disk import home_folder, locked_file
from ctxlab.messages.encoding import indented_json
from ctxlab.messages.wording import shown, type_words

Directory = str | os.PathLike[str] | None

VERSION = 1
FIELDS = frozenset(
    "task_id goal constraints pinned_conclusions pending side_effects version updated_at".split()
)
TEXTS = ("task_id", "goal", "updated_at")
LISTS = ("constraints", "pinned_conclusions", "pending")
RECORD = frozenset("key action status result time".split())
# The outcome of a side effect: nobody knows, it has happened, a person found that it has not.
STATUSES = ("unknown", "done", "not_done")

MAX_BYTES = 10_000_000
MAX_RESULT_BYTES = 100_000
# What is kept free for the outcome of an effect: its result, and some to spare.
ROOM_BYTES = MAX_RESULT_BYTES + 1_000
MAX_ID_BYTES = 200  # file systems allow 255 for a name, and the longest ending takes some
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def checkpoint_path(task_id: str, directory: Directory) -> Path:
    """Return the path of the file of a task. Refuses `bad_task_id`: a file is named after the id.

    Refuses `bad_argument` where `directory` is no path. Without one, it is the folder `checkpoints` in
    CTXLAB_HOME, or else in the user's data folder.
    """
    problem = id_fault(task_id)
    # Is this no name for a file?
    if problem:
        # With a separator in it, the file would land in a directory of the id's choice.
        raise Refusal("bad_task_id", f"the task id {shown(task_id)} {problem}")
    # Is no directory given?
    if directory is None:
        directory = home_folder() / "checkpoints"
    # Can it not be the name of a directory?
    if not is_path(directory):
        raise Refusal("bad_argument", f"directory is {shown(directory)}, not the path of a directory")
    return Path(directory) / f"{task_id}.json"


def is_path(directory: Any) -> bool:
    """Say whether this is a path that the system can take, as a text or as a Path."""
    try:
        return isinstance(os.fspath(directory), str) and b"\0" not in os.fsencode(directory)
    except (TypeError, UnicodeEncodeError):
        return False


def id_fault(task_id: Any) -> str:
    """Return why a task id cannot name a file, as the rest of a sentence, or ""."""
    # Is it anything but a text that says something?
    if type(task_id) is not str or not task_id.strip():
        # A member of an Enum, say, is a text too, and writes itself as another one into the name of a file.
        return "is not a plain text that says something"
    # Would it lead to another directory?
    if "/" in task_id or "\\" in task_id or ".." in task_id:
        return "has a separator or '..' in it; use letters, digits, '-' and '_'"
    # Does it hold what is not seen, such as NUL or a line break?
    if not task_id.isprintable():
        return "has a character in it that is not seen"
    # Would the system hide the file, or change its name?
    if task_id[0] in ". " or task_id[-1] in ". " or ":" in task_id:
        return "begins or ends with a dot or a space, or has a colon in it"
    # Is it the name of a device?
    if DEVICES.fullmatch(task_id):
        return "is reserved on some systems; use another"
    # Is it too long?
    if len(task_id.encode("utf-8")) > MAX_ID_BYTES:
        return f"has over {MAX_ID_BYTES} bytes"
    return ""


def locked_task(task_id: str, *, directory: Directory = None) -> AbstractContextManager[None]:
    """Return a context manager that holds a task; hold it for a whole run. Refuses `locked`, `bad_task_id`.

    Each function that changes the checkpoint takes the lock for its own time, so no side effect is lost or
    done twice. Only a lock held from `resume` to the end of the run keeps a second process off the task while
    the first one waits for its model. The thread that holds it may take it again; another thread may not,
    nor may a process that is forked meanwhile. Raises OSError where the lock file cannot be used.
    """
    path = checkpoint_path(task_id, directory)
    path.parent.mkdir(parents=True, exist_ok=True)
    who = f"another process works on the task {shown(task_id)}, or another thread of this one"
    reason = f"{who}; wait until it has ended, or end it"
    return locked_file(path.with_name(f"{path.name}.lock"), Refusal("locked", reason))


def checked_bytes(fields: dict[str, Any], *, with_room: bool = False) -> bytes:
    """Return the content of a file with these fields. Refuses `bad_argument`.

    `with_room`: it has to have room for each outcome that is unknown, for the result that may be saved yet.
    """
    problem = field_fault(fields)
    # Can these fields not be stored?
    if problem:
        raise Refusal("bad_argument", f"the checkpoint {problem}")
    try:
        data = indented_json(fields)
    except ValueError as error:
        raise Refusal("bad_argument", f"the checkpoint has no UTF-8 JSON form: {error}") from error
    unknown = [record for record in fields["side_effects"].values() if record["status"] == "unknown"]
    room = ROOM_BYTES * len(unknown) if with_room else 0
    # Is it too large to be read back, or would it be with the results?
    if len(data) + room > MAX_BYTES:
        raise Refusal(
            "bad_argument",
            f"the checkpoint has {len(data)} bytes, and {room} are kept for results; at most {MAX_BYTES} are "
            "allowed together. Settle what is unknown, or go on in another task",
        )
    return data


def is_there(path: Path) -> bool:
    """Say whether anything has this name, even a link that leads nowhere. Raises OSError."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def refuse_set_aside(path: Path) -> None:
    """Refuse `damaged` where the file of a task is missing because it was damaged, and is set aside."""
    numbers = [] if is_there(path) else set_aside_numbers(path)
    # Was a damaged one set aside, and not put back?
    if numbers:
        # To begin anew could do again what was done already.
        raise Refusal(
            "damaged",
            f"{path.name} was damaged, and set aside as {path.name}.damaged-{max(numbers)}. "
            + remedy(path, max(numbers)),
        )


def set_aside_numbers(path: Path) -> list[int]:
    """Return the numbers of the damaged files of a task that were set aside, in no order."""
    start = f"{path.name}.damaged-"
    # Is there no directory yet?
    if not path.parent.exists():
        return []
    names = [other.name for other in path.parent.iterdir() if other.name.startswith(start)]
    # The checkpoint of another task can begin like this, but ends in ".json".
    return [int(name[len(start) :]) for name in names if re.fullmatch("[1-9][0-9]*", name[len(start) :])]


def remedy(path: Path, number: int) -> str:
    """Return what to do about a damaged file that was set aside."""
    return (
        f"Correct {path.name}.damaged-{number} and rename it to {path.name}. Only after a look at what the "
        f"task has already done, begin it anew: move each {path.name}.damaged-* to another directory"
    )


def sound_fields(task_id: str, directory: Directory) -> dict[str, Any]:
    """Return the fields in the file of a task, or set a damaged file aside and refuse `damaged`.

    Refuses `other_version` too, and leaves the file.
    """
    path = checkpoint_path(task_id, directory)
    fields, damage = read_fields(path)
    # Is the file whole?
    if not damage:
        return fields
    # Under the lock nobody replaces it, so it is looked at once more.
    with locked_task(task_id, directory=directory):
        refuse_set_aside(path)
        fields, damage = read_fields(path)
        # Has another process replaced it in between?
        if not damage:
            return fields
        number = set_aside(path)
    raise Refusal(
        "damaged",
        f"{path.name} {damage}. It was set aside as {path.name}.damaged-{number}. {remedy(path, number)}",
    )


def read_fields(path: Path) -> tuple[dict[str, Any], str]:
    """Return the fields in a file, and what is wrong with it as the rest of a sentence, or "".

    Refuses `other_version`. Raises OSError where the file cannot be read.
    """
    # Is it anything but a file?
    if not path.is_file():
        # A pipe would keep its reader waiting for ever.
        return {}, "is no file"
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    # Is it too large?
    if len(data) > MAX_BYTES:
        return {}, f"has over {MAX_BYTES} bytes"
    try:
        fields = json.loads(data.decode("utf-8"))
        indented_json(fields)  # JSON can hold what cannot be written again, such as half a character
    except (ValueError, RecursionError):
        return {}, "is not readable JSON"
    # Was it written by another version?
    if isinstance(fields, dict) and type(fields.get("version")) is int and fields["version"] != VERSION:
        # That is no damage, and whoever wrote it can still use it.
        raise Refusal(
            "other_version",
            f"{path.name} has the version {shown(fields['version'])}, not {VERSION}; use the ctxlab that "
            "wrote it, or another task id",
        )
    return fields, field_fault(fields)


def field_fault(fields: Any) -> str:
    """Return what is wrong with the fields of a checkpoint, as the rest of a sentence, or ""."""
    # Is it anything but these fields, all of them?
    if not isinstance(fields, dict) or set(fields) != FIELDS:
        return f"does not hold the fields {', '.join(sorted(FIELDS))}"
    # Was it written by another version?
    if type(fields["version"]) is not int or fields["version"] != VERSION:
        return f"has the version {shown(fields['version'])}, not {VERSION}"
    for name in TEXTS:
        # Is this no text?
        if not isinstance(fields[name], str):
            return f"has {type_words(fields[name])} as its {name}, not a text"
    for name in LISTS:
        # Is this no list of texts?
        if not isinstance(fields[name], list) or not all(isinstance(item, str) for item in fields[name]):
            return f"has {shown(fields[name])} as its {name}, not a list of texts"
    for number, step in enumerate(fields["pending"]):
        # Does this step name no tool?
        if not tool_of(step):
            return f"has {shown(step)} as pending step {number}, which names no tool; write tool::detail"
    # Are the side effects anything but records by their keys?
    if not isinstance(fields["side_effects"], dict):
        return f"has {type_words(fields['side_effects'])} as its side_effects, not a dict"
    for key, record in fields["side_effects"].items():
        # Is this no complete record of it?
        if not isinstance(record, dict) or set(record) != RECORD or record["status"] not in STATUSES:
            return f"has {shown(record)} as the record of the side effect {shown(key)}"
        # Is what it says of itself no text?
        if not isinstance(record["action"], str) or not isinstance(record["time"], str):
            return f"has no texts as the action and the time of the side effect {shown(key)}"
        # Does it stand under the key of another one?
        if not isinstance(key, str) or record["key"] != key:
            return f"has the side effect {shown(record['key'])} under the key {shown(key)}"
    return ""


def tool_of(step: str) -> str:
    """Return the tool of a pending step, which is `tool::detail` or the bare name of a tool."""
    return step.partition("::")[0].strip()


def set_aside(path: Path) -> int:
    """Rename a damaged file to the next free name beside it, and return the number in that name."""
    number = max(set_aside_numbers(path), default=0) + 1
    path.rename(path.with_name(f"{path.name}.damaged-{number}"))
    return number

"""The file of a checkpoint: its name, its fields, and what makes it damaged.

The file of a task is `<task_id>.json`. Beside it may stand `<task_id>.json.draft` (a save under way, or one
that a crash broke off), `.lock` (see `locked_task`) and `.damaged-1`, `.damaged-2`, ... (set aside). None of
these ends like a checkpoint, so no task can be named after them.
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
MAX_ID_BYTES = 200  # file systems allow 255 for a name, and the longest ending takes some
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def checkpoint_path(task_id: str, directory: Directory) -> Path:
    """Return the path of the file of a task. Refuses `bad_task_id`: a file is named after the id.

    Without a `directory`, it is the folder `checkpoints` in CTXLAB_HOME, or else in the user's data folder.
    """
    problem = id_fault(task_id)
    # Is this no name for a file?
    if problem:
        # With a separator in it, the file would land in a directory of the id's choice.
        raise Refusal("bad_task_id", f"the task id {shown(task_id)} {problem}")
    # Is no directory given?
    if directory is None:
        directory = home_folder() / "checkpoints"
    return Path(directory) / f"{task_id}.json"


def id_fault(task_id: Any) -> str:
    """Return why a task id cannot name a file, as the rest of a sentence, or ""."""
    # Is it anything but a text that says something?
    if not isinstance(task_id, str) or not task_id.strip():
        return "is not a text that says something"
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
    the first one waits for its model. Who holds it may take it again; another thread may not.
    """
    path = checkpoint_path(task_id, directory)
    path.parent.mkdir(parents=True, exist_ok=True)
    reason = f"another process works on the task {shown(task_id)}; wait until it has ended, or end it"
    return locked_file(path.with_name(f"{path.name}.lock"), Refusal("locked", reason))


def checked_bytes(fields: dict[str, Any]) -> bytes:
    """Return the content of a file with these fields. Refuses `bad_argument`."""
    problem = field_fault(fields)
    # Can these fields not be stored?
    if problem:
        raise Refusal("bad_argument", f"the checkpoint {problem}")
    try:
        data = indented_json(fields)
    except ValueError as error:
        raise Refusal("bad_argument", f"the checkpoint has no UTF-8 JSON form: {error}") from error
    # Is it too large to be read back?
    if len(data) > MAX_BYTES:
        raise Refusal(
            "bad_argument", f"the checkpoint has {len(data)} bytes; at most {MAX_BYTES} are allowed"
        )
    return data


def sound_fields(task_id: str, directory: Directory) -> dict[str, Any]:
    """Return the fields in the file of a task, or set a damaged file aside and refuse `damaged`."""
    path = checkpoint_path(task_id, directory)
    fields, damage = read_fields(path)
    # Is the file whole?
    if not damage:
        return fields
    # Under the lock nobody replaces it, so it is looked at once more.
    with locked_task(task_id, directory=directory):
        fields, damage = read_fields(path)
        # Has another process replaced it in between?
        if not damage:
            return fields
        aside = set_aside(path)
    raise Refusal(
        "damaged",
        f"{path.name} {damage}. It was set aside as {aside.name}; correct it and rename it to {path.name}. "
        "Begin the task anew only after a look at what it has already done",
    )


def read_fields(path: Path) -> tuple[dict[str, Any], str]:
    """Return the fields in a file, and what is wrong with it as the rest of a sentence, or "".

    Raises OSError where the file cannot be read.
    """
    # Is it anything but a file?
    if path.exists() and not path.is_file():
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
        # Does it stand under the key of another one?
        if not isinstance(key, str) or record["key"] != key:
            return f"has the side effect {shown(record['key'])} under the key {shown(key)}"
    return ""


def tool_of(step: str) -> str:
    """Return the tool of a pending step, which is `tool::detail` or the bare name of a tool."""
    return step.partition("::")[0].strip()


def set_aside(path: Path) -> Path:
    """Rename a damaged file to the first free name beside it, and return that. Nothing is overwritten."""
    number = 1
    # Is this name taken?
    while path.with_name(f"{path.name}.damaged-{number}").exists():
        number += 1
    return path.rename(path.with_name(f"{path.name}.damaged-{number}"))

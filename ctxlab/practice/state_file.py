"""The state of a run on the disk. Each file is replaced in one step, so it can be read at any moment."""

import json
from pathlib import Path
from typing import Any

from ctxlab.messages.encoding import compact_json

STATE, HISTORY = "state.json", "history.jsonl"


def save_state(folder: Path, state: dict[str, Any], messages: list[dict[str, Any]]) -> None:
    """Write the state, and the active history with one message a line. Raises OSError."""
    lines = b"".join(compact_json(message) + b"\n" for message in messages)
    replace(folder / HISTORY, lines)
    replace(folder / STATE, json.dumps(state, indent=2).encode("utf-8") + b"\n")


def replace(path: Path, data: bytes) -> None:
    """Put `data` in the place of a file: a reader finds the old content or the new one, whole.

    That holds whenever the process ends. A power cut would ask for an fsync, which takes longer than the step
    that is recorded.
    """
    # Always of the same name: a draft that an interruption leaves is taken over by the next one.
    draft = path.with_name(f".draft-{path.name}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise

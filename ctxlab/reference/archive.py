"""Snapshots: a full copy of a history on disk, taken before anything is removed from it."""

import json
import os
import re
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.disk import sync_folder
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.wording import shown

MAX_SNAPSHOT_BYTES = 1_000_000
RECEIPT = re.compile(r"context-[0-9a-f]{12}\.jsonl")


def random_id() -> str:
    """Return 12 random hex digits."""
    return secrets.token_hex(6)


def archive_writer(
    directory: str | os.PathLike[str], new_id: Callable[[], str] = random_id
) -> Callable[[list[dict[str, Any]]], str]:
    """Return `save(messages) -> receipt`, which writes one new snapshot file into `directory` per call.

    The file holds one message a line. The receipt is its name: `context-`, the 12 hex digits of `new_id()`,
    `.jsonl`. `save` refuses `snapshot_too_large` (over 1,000,000 bytes; nothing is made then),
    `not_a_history` and `bad_argument` (an unusable id), and raises OSError when the directory cannot be
    written.
    """
    folder = Path(directory)

    def save(messages: list[dict[str, Any]]) -> str:
        if not isinstance(messages, list):
            raise Refusal("not_a_history", f"a history is a list of messages, not {type(messages).__name__}")
        for index, message in enumerate(messages):
            if not isinstance(message, dict):
                raise Refusal(
                    "not_a_history", f"message {index} is not a message but {type(message).__name__}"
                )
        data = b"".join(compact_json(message) + b"\n" for message in messages)
        # Is the snapshot too large?
        if len(data) > MAX_SNAPSHOT_BYTES:
            raise Refusal("snapshot_too_large", f"the snapshot has {len(data)} of {MAX_SNAPSHOT_BYTES} bytes")
        # Would the snapshot give back anything but this history?
        for index, line in enumerate(data.splitlines()):
            if json.loads(line) != messages[index]:
                # JSON turns a key that is no text into text, and a tuple into a list.
                raise Refusal(
                    "not_a_history",
                    f"message {index} changes when it is written as JSON; use lists, and texts as keys",
                )
        receipt = f"context-{new_id()}.jsonl"
        if not RECEIPT.fullmatch(receipt):
            raise Refusal("bad_argument", f"new_id does not give 12 hex digits: {shown(receipt)}")
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / receipt, data)
        return receipt

    return save


def write_whole(path: Path, data: bytes) -> None:
    """Create `path` with `data`: complete or absent, never torn. Raises FileExistsError when it exists."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".snapshot-") as draft:
        draft.write(data)
        draft.flush()
        os.fsync(draft.fileno())
        # A link appears in one step and fails when the name is taken, so no snapshot is ever overwritten.
        os.link(draft.name, path)
    sync_folder(path.parent)


def read_archive(directory: str | os.PathLike[str], receipt: str) -> list[dict[str, Any]]:
    """Return the messages of the snapshot that `receipt` names.

    Refuses `bad_receipt` (no receipt, or no such snapshot), `snapshot_too_large` and `not_a_history` (a
    damaged file).
    """
    if not isinstance(receipt, str) or not RECEIPT.fullmatch(receipt):
        raise Refusal("bad_receipt", f"{shown(receipt)} is not the name of a snapshot")
    path = Path(directory) / receipt
    try:
        with path.open("rb") as file:
            data = file.read(MAX_SNAPSHOT_BYTES + 1)
    except FileNotFoundError as error:
        raise Refusal("bad_receipt", f"there is no snapshot {receipt} in {os.fspath(directory)}") from error
    if len(data) > MAX_SNAPSHOT_BYTES:
        raise Refusal("snapshot_too_large", f"{receipt} has over {MAX_SNAPSHOT_BYTES} bytes")
    messages = []
    for number, line in enumerate(data.splitlines()):
        try:
            messages.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise Refusal("not_a_history", f"line {number + 1} of {receipt} is not JSON: {error}") from error
        if not isinstance(messages[-1], dict):
            raise Refusal("not_a_history", f"line {number + 1} of {receipt} is not a message")
    compact_json(messages)  # refuses what no writer can have written, such as NaN
    return messages

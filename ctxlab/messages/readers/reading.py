"""Reading a transcript: what kind of file it is, which format its records have, and who reads it."""

import json
import os
import re
import stat
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ctxlab.errors import HistoryError
from ctxlab.messages.diagnosis.finding import Finding
from ctxlab.messages.readers import agents_sqlite, claude_code, codex, langchain, plain, request_body
from ctxlab.messages.readers.json_lines import BOM, FORMS, Lines
from ctxlab.messages.readers.json_whole import Whole, is_cut
from ctxlab.messages.readers.transcript import Draft, Record, Transcript
from ctxlab.messages.shapes import shape_of
from ctxlab.messages.text_files import read_text
from ctxlab.messages.wording import shown

MAX_LINES_BYTES = 1_000_000_000
MAX_WHOLE_BYTES = 100_000_000
# So many records are looked at for one that shows the format.
MAX_HEAD = 1_000

# What files that are no text begin with, and what to do with them.
NO_TEXT = {
    b"\x1f\x8b": "packed with gzip; unpack it first, as with gunzip",
    b"PK\x03\x04": "a zip archive; unpack it and give the path of the transcript in it",
    b"BZh": "packed with bzip2; unpack it first",
    b"\xfd7zXZ": "packed with xz; unpack it first",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it first",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"%PDF": "a PDF document",
}
# The marks of UTF-16 and UTF-32, or a bracket in one of them.
WIDE = re.compile(rb"\xff\xfe|\xfe\xff|[\[{]\0|\0{1,3}(?:\xfe\xff|[\[{])")

# What only an answer of a provider has, or an error in its place.
ANSWER_KEYS = {"choices", "error", "output", "stop_reason"}

TORN = "torn_record"
TORN_FIX = (
    "Keep a copy of the file as it is, then take the broken part out, or write it out whole from another "
    "copy. A call whose result was in it has an unknown outcome: do not run it again to find out. Whoever "
    "appends must first see that the last byte is a line end."
)


class Format(NamedTuple):
    """A format of records: its name, how one is recognised, and what turns all of them into a draft."""

    name: str
    recognises: Callable[[Any], bool]
    read: Callable[[Iterable[Record], Draft], None]


# The first that recognises a record reads them all; each knows its own marks, `plain` only a role.
FORMATS = [
    Format(module.NAME, module.recognises, module.read) for module in (claude_code, codex, langchain, plain)
]


def read_transcript(path: str | os.PathLike[str], session: str | None = None) -> Transcript:
    """Return the history in a file, whatever its format: it is told by the content, not by the name.

    Reads JSON lists, JSON lines, objects and whole request bodies, session files of Claude Code and Codex
    CLI, dumps of LangChain, and databases of the OpenAI Agents SDK, of which `session` names one session.
    JSON lines are read one at a time, up to 1 GB; lists and objects are read whole, up to 100 MB. What is
    kept is in memory, so its form tells: 50 MB with 167,000 texts took 175 MiB at the peak as lines and 225
    MiB as a list, in 1 second; 367,000 short calls and results 560 and 600 MiB, in 4 to 5 seconds. Where a
    text holds a character beyond U+FFFF it takes up to four times its bytes.

    Messages are handed over as they are, sound or not. Raises HistoryError, which names the file, the place
    and the remedy, for a file that cannot be read or holds no messages.
    """
    file = Path(path)
    draft = Draft()
    with _opened(file) as stream:
        _read(stream, file, draft, session)
    if not draft.messages:
        raise HistoryError(f"{file}: no messages in it{_counted(draft)}; {FORMS}")
    return Transcript(
        draft.format,
        draft.messages,
        draft.api or shape_of(draft.messages, None),
        draft.system,
        draft.tools,
        draft.origin,
        dict(draft.skipped),
        draft.notes,
        _findings(draft),
    )


def _opened(path: Path) -> BinaryIO:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise HistoryError(f"{path} is a directory; give the path of a transcript in it")
        # Anything else, such as a pipe, could keep the reader waiting for ever.
        if not stat.S_ISREG(mode):
            raise HistoryError(f"{path} is not a regular file; give the path of a transcript")
        return path.open("rb")
    except FileNotFoundError as error:
        raise HistoryError(f"there is no file {path}; check the path") from error
    except (OSError, ValueError) as error:
        raise HistoryError(
            f"{str(path)!r} cannot be read ({error}); check the path and its permissions"
        ) from error


def _read(stream: BinaryIO, path: Path, draft: Draft, session: str | None) -> None:
    start = stream.read(len(agents_sqlite.MAGIC))
    stream.seek(0)
    _check_is_text(start, path)
    if start == agents_sqlite.MAGIC:
        draft.format = agents_sqlite.NAME
        agents_sqlite.read(path, draft, session)
        return
    if session is not None:
        raise HistoryError(
            f"{path} is no database, so it has no session {shown(session)}; leave the session out"
        )
    if os.fstat(stream.fileno()).st_size > MAX_LINES_BYTES:
        raise HistoryError(f"{path} has over {MAX_LINES_BYTES} bytes; cut it between two exchanges first")
    if _is_lines(stream):
        _read_lines(stream, path, draft)
    else:
        _read_whole(stream, path, draft)


def _check_is_text(start: bytes, path: Path) -> None:
    for magic, words in NO_TEXT.items():
        if start.startswith(magic):
            raise HistoryError(f"{path} is no text but {words}; {FORMS}")
    if WIDE.match(start):
        raise HistoryError(f"{path}: not UTF-8 but UTF-16 or UTF-32; save the file as UTF-8")
    if start and not start.strip(b"\0"):
        raise HistoryError(
            f"{path} begins with zero bytes, as after a crash while it was written; take another copy"
        )


def _is_lines(stream: BinaryIO) -> bool:
    """Tell JSON lines, where a line is a whole record, from one list or object."""
    lines = (line for line in iter(lambda: stream.readline(MAX_WHOLE_BYTES + 1), b"") if line.strip())
    first = next(lines, b"").removeprefix(BOM).strip()
    more = next(lines, None) is not None
    stream.seek(0)
    if not first.startswith(b"{"):
        return not first.startswith(b"[")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return more or request_body.body_in(value) is None


def _read_lines(stream: BinaryIO, path: Path, draft: Draft) -> None:
    if os.fstat(stream.fileno()).st_size == 0:
        raise HistoryError(f"{path} is empty; {FORMS}")
    lines = Lines(stream, str(path), lambda value: _is_record(value, draft.format), draft.torn)
    _read_records(lines, path, draft)
    lost = [torn for torn in draft.torn if not torn.recovered]
    if len(lost) > lines.whole:
        raise HistoryError(f"{path}, {lost[0].place}: {lost[0].text}; {FORMS}")


def _read_whole(stream: BinaryIO, path: Path, draft: Draft) -> None:
    text = read_text(
        path,
        HistoryError,
        kind="transcript",
        most=MAX_WHOLE_BYTES,
        missing=lambda: "check the path",
        too_large="write it as JSON lines, one message a line, or cut it between two exchanges first",
    )
    whole = Whole(text, str(path), draft.torn)
    try:
        whole.read()
    except json.JSONDecodeError as error:
        if _goes_on_in_lines(text):
            _read_lines(stream, path, draft)
            return
        place = f"{path}, line {error.lineno}, column {error.colno}"
        raise HistoryError(f"{place}: {_not_json(error)}") from error
    if isinstance(whole.value, list):
        _read_records(whole.records_of(whole.value) or [], path, draft)
    else:
        _read_object(whole, path, draft)


def _read_object(whole: Whole, path: Path, draft: Draft) -> None:
    body = request_body.body_in(whole.value)
    if body is None:
        raise HistoryError(
            f"{path}: an object without messages; they stand under 'messages' or 'input', and this one has "
            f"{shown(list(whole.value))}"
        )
    known = whole.records_of(request_body.listed_in(body))
    records = request_body.records_of(body) if known is None else known
    if records:
        _read_records(records, path, draft)
    if draft.format in ("", plain.NAME):
        draft.format = request_body.NAME
    request_body.take_settings(whole.value, body, draft)


def _not_json(error: json.JSONDecodeError) -> str:
    """Say what is wrong where a file is no JSON, and what to do about it."""
    if is_cut(error):
        return f"the file breaks off before one message is whole ({error.msg}); take another copy of it"
    problem = f"not JSON: {error.msg}"
    if error.msg == "Extra data":
        return f"{problem}; a list or object ends before this place, so put all into one list"
    if error.doc[error.pos : error.pos + 1] == "'":
        return f"{problem}; this is how Python prints a value, so write the file with json.dump"
    return f"{problem}; correct it there"


def _goes_on_in_lines(text: str) -> bool:
    """Tell whether this is no object but JSON lines of which the first is torn: the last line is a record."""
    *before, last = text.rstrip().rsplit("\n", 1)
    if not before or not text.startswith("{"):
        return False
    try:
        return _is_record(json.loads(last))
    except (ValueError, RecursionError):
        return False


def _read_records(records: Iterable[Record], path: Path, draft: Draft) -> None:
    """Let the format read the records that recognises the first of them that any format recognises."""
    head: list[Record] = []
    rest = iter(records)
    for record in rest:
        head.append(record)
        for found in FORMATS:
            if found.recognises(record.value):
                draft.format = found.name
                found.read(chain(head, rest), draft)
                return
        if len(head) >= MAX_HEAD:
            break
    raise HistoryError(_unknown(head, path, draft))


def _unknown(head: list[Record], path: Path, draft: Draft) -> str:
    if not head:
        problem = f", {draft.torn[0].place}: {draft.torn[0].text}" if draft.torn else ": no messages in it"
        return f"{path}{problem}; {FORMS}"
    first, origin = head[0]
    if isinstance(first, dict) and request_body.body_in(first) is not None:
        if draft.torn:
            return f"{path}, {origin.place}: a whole request among other text; keep the request alone"
        return f"{path}: each line is a whole request; write the one you mean to a file of its own"
    if isinstance(first, dict) and ANSWER_KEYS & first.keys():
        return f"{path}, {origin.place}: the answer of a provider; give the request that it answers"
    names = ", ".join(found.name for found in FORMATS)
    value = f"an object with {shown(list(first))}" if isinstance(first, dict) else shown(first)
    return f"{path}, {origin.place}: {value} is no record of a known format; those are: {names}"


def _is_record(value: Any, format_name: str = "") -> bool:
    """Tell a record of that format, or of any while it is not known yet."""
    return any(found.recognises(value) for found in FORMATS if format_name in ("", found.name))


def _findings(draft: Draft) -> list[Finding]:
    """Return a finding for each torn line; its message is the last one that was read from that line."""
    held = {line: index for index, origin in enumerate(draft.origin) for line in origin.lines}
    found = []
    for torn in draft.torn:
        message = held.get(torn.line) if torn.recovered and torn.line is not None else None
        place = torn.place if message is None else f"message {message} ({torn.place})"
        found.append(Finding(TORN, message, None, None, f"{place}: {torn.text}", TORN_FIX))
    return found


def _counted(draft: Draft) -> str:
    if not draft.skipped:
        return ""
    return ", only " + ", ".join(f"{count} x {kind}" for kind, count in draft.skipped.most_common(8))

"""In which form a repaired history is written: in that of its file, where it is one of the messages alone."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from ctxlab.messages.readers import plain, request_body
from ctxlab.messages.report import Report

Form = Literal["JSON list", "JSON lines", "request body"]


def copy_of(report: Report, path: Path, messages: list[Any]) -> tuple[Form, Any]:
    """Return the form and the value of a copy of the file at `path` in which `messages` stand.

    A request body keeps all else that is in it. Where the file has records of another program around the
    messages, as a session file or a database, the copy is a JSON list of the messages alone.
    """
    if report.transcript.format == request_body.NAME:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
        body = request_body.body_in(value) or {}
        key = request_body.list_key(body) or "messages"
        if messages != report.transcript.messages:
            body[key] = messages
        return "request body", value
    if report.transcript.format == plain.NAME and not _is_list(path):
        return "JSON lines", messages
    return "JSON list", messages


def written(form: Form, value: Any) -> bytes:
    """Return the content of a file in this form."""
    return lines(value) if form == "JSON lines" else _encoded(json.dumps(value, ensure_ascii=False, indent=2))


def lines(values: Iterable[Any]) -> bytes:
    """Return the values as JSON lines."""
    return b"".join(_encoded(json.dumps(value, ensure_ascii=False)) for value in values)


def _encoded(text: str) -> bytes:
    # A lone surrogate has no UTF-8 form; this writes it as JSON does, such as \\ud800.
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _is_list(path: Path) -> bool:
    with path.open(encoding="utf-8-sig") as file:
        return next((line.lstrip()[:1] for line in file if line.strip()), "") == "["

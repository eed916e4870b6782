"""A history that a person brings along: a list, or a JSON or JSON-lines file."""

import json
import os
from pathlib import Path
from typing import Any

from ctxlab.errors import HistoryError, Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.text_files import read_text
from ctxlab.messages.wording import type_words

MAX_FILE_BYTES = 50_000_000
FORMS = "a file holds one JSON list of messages, or one message a line"


def load_history(source: Any) -> list[dict[str, Any]]:
    """Return the messages of a list (as a copy), or of the file that a path names.

    A message is a dict with a text under "role". Whether the messages pair up is not looked at. Raises
    HistoryError, which names the file, the line or message, and what to do.
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        text = read_text(
            path,
            HistoryError,
            kind=".json or .jsonl",
            most=MAX_FILE_BYTES,
            missing=lambda: "check the path",
            too_large="cut it between two exchanges first",
        )
        return _checked(_parsed(text, str(path)), str(path))
    return _checked(source, "messages")


def _parsed(text: str, file: str) -> Any:
    """Return the one JSON value of the text, or a list of the values on its lines."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        if text.lstrip().startswith("["):
            raise HistoryError(f"{file}, line {error.lineno}: not JSON: {error.msg}") from error
        return _lines(text, file)
    except (ValueError, RecursionError) as error:  # an int of too many digits, or nesting without an end
        raise HistoryError(f"{file}: not usable as JSON: {error}") from error
    # A JSON-lines file of one message.
    return [value] if isinstance(value, dict) and "role" in value else value


def _lines(text: str, file: str) -> list[Any]:
    values = []
    # JSON may hold the other line ends of Unicode inside a string, so only \n parts two lines.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise HistoryError(f"{file}, line {number}: not JSON: {error.msg}; {FORMS}") from error
            except (ValueError, RecursionError) as error:
                raise HistoryError(f"{file}, line {number}: not usable as JSON: {error}") from error
    return values


def _checked(value: Any, name: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        inside = isinstance(value, dict) and "messages" in value
        remedy = "give what stands under 'messages'" if inside else "give such a list, or the path of a file"
        raise HistoryError(f"{name}: a history is a list of messages, not {type_words(value)}; {remedy}")
    if not value:
        raise HistoryError(f"{name}: the history is empty; it needs at least the question")
    messages = []
    for index, message in enumerate(value):
        place = f"{name}: message {index}"
        if not isinstance(message, dict):
            found = type(message).__name__
            raise HistoryError(f'{place} is a {found}; a message is a dict with "role" and "content"')
        if not isinstance(message.get("role"), str):
            raise HistoryError(f'{place} has no role; give it a text under "role", such as "user"')
        try:
            compact_json(message)
            messages.append(copied(message))
        except Refusal as refusal:
            raise HistoryError(f"{place} cannot be written as JSON: {refusal}") from refusal
    return messages

"""Whether each message can be sent at all: as JSON, and that as UTF-8."""

import json
from collections.abc import Iterator
from typing import Any

from ctxlab.messages.diagnosis.finding import Finding, at_message, at_part
from ctxlab.messages.view import View

HALF = "holds half of a surrogate pair, which UTF-8 cannot carry"


def without_json(view: View) -> dict[int, str]:
    """Return the messages that have no JSON form, with the reason. Nothing may walk their inside."""
    problems = {}
    for index, message in enumerate(view.messages):
        try:
            json.dumps(message, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            problems[index] = str(error)
    return problems


def encoding_findings(view: View, problems: dict[int, str]) -> Iterator[Finding]:
    """Yield the messages without a JSON form, and the blocks that hold half a character.

    The API answers 400, "request body is not valid JSON, no low surrogate in string"
    (anthropics/claude-code#56064, vertesia/llumiverse#462).
    """
    for index, problem in problems.items():
        yield at_message("not_json", index, f"has no JSON form: {problem}")
    broken = {
        index for index, message in enumerate(view.messages) if index not in problems and _has_half(message)
    }
    found = set()
    for part in view.parts if broken else ():
        if part.message in broken and _has_half(part.value):
            found.add(part.message)
            yield at_part("lone_surrogate", part, HALF)
    for index in broken - found:
        yield at_message("lone_surrogate", index, f"{HALF}, outside its content")


def _has_half(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False

"""Spot: histories with one fault each. The learner names the message to blame and what is wrong with it."""

import copy
import json
from pathlib import Path
from typing import Any, Self

import traitlets
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from ctxlab.errors import CtxlabError
from ctxlab.exercises.activities.lesson import Text, checked_lesson
from ctxlab.exercises.activities.widget import Activity, module
from ctxlab.exercises.exercise import FOLDER
from ctxlab.exercises.fields import read_fields
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.parts import Part as MessagePart
from ctxlab.messages.parts import name_in, text_of
from ctxlab.messages.shapes import Api
from ctxlab.messages.view import view_of
from ctxlab.scenarios.fields import Part

TASK = "In each history one thing is wrong. Which message is to blame, and what is wrong with it?"
TRIES = 2
NAMES: dict[Api, str] = {
    "anthropic-messages": "Anthropic Messages",
    "openai-chat": "OpenAI Chat",
    "openai-responses": "OpenAI Responses",
}


class Kind(Part):
    """A kind of fault in plain words, with the codes that `diagnose` has for it."""

    text: Text
    codes: list[str] = Field(min_length=1)


class BrokenHistory(Part):
    """A history with one fault, where it was reported, and how it came about."""

    api: Api
    source: Text
    story: Text
    messages: list[dict[str, Any]] = Field(min_length=1)

    @model_validator(mode="after")
    def one_fault(self) -> Self:
        """Refuse a history in which `diagnose` finds anything but one fault."""
        codes = [finding.code for finding in diagnose(self.messages, self.api)]
        if len(codes) != 1:
            raise PydanticCustomError("one_fault", "should have one fault, and has {codes}", {"codes": codes})
        return self


class SpotFile(Part):
    """The histories of a lesson, and the kinds of fault to choose from."""

    kinds: list[Kind] = Field(min_length=2)
    histories: list[BrokenHistory] = Field(min_length=1)

    @model_validator(mode="after")
    def each_has_its_kind(self) -> Self:
        """Refuse a history whose fault is of no kind, or of several."""
        for number, history in enumerate(self.histories):
            code = diagnose(history.messages, history.api)[0].code
            if sum(code in kind.codes for kind in self.kinds) != 1:
                problem = "needs {code} of history {number} in exactly one of its kinds"
                raise PydanticCustomError("one_kind", problem, {"code": code, "number": number})
        return self


class Spot(Activity):
    """Broken histories. `tried` holds, for each of them, the tries so far: [message, index of the kind].

    A history is done when a try was right, or after the second one. Then `diagnose` says what it finds there.
    `messages` are the histories themselves.
    """

    _esm = module("spot.js")
    activity = "spot"
    kept = ("tried",)

    task = traitlets.Unicode(TASK).tag(sync=True)
    kinds: "traitlets.List[str]" = traitlets.List().tag(sync=True)
    histories: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    tried: "traitlets.List[list[list[int]]]" = traitlets.List().tag(sync=True)

    def __init__(self, number: str, file: SpotFile) -> None:
        count = len(file.histories)
        super().__init__(
            number,
            kinds=[kind.text for kind in file.kinds],
            histories=[
                {"title": f"History {at} of {count}, {NAMES[history.api]}", **_shown(history, file.kinds)}
                for at, history in enumerate(file.histories, start=1)
            ],
            tried=[[] for _ in file.histories],
        )
        self._given = [history.messages for history in file.histories]

    @property
    def messages(self) -> list[list[dict[str, Any]]]:
        """Copies of the histories, to look at with other tools."""
        return copy.deepcopy(self._given)

    def fits(self, answer: dict[str, Any]) -> bool:
        """Say whether kept tries are ones on these histories."""
        tried = answer["tried"]
        return (
            isinstance(tried, list)
            and len(tried) == len(self.histories)
            and all(
                isinstance(tries, list)
                and len(tries) <= TRIES
                and all(_is_try(each, len(history["rows"]), len(self.kinds)) for each in tries)
                for tries, history in zip(tried, self.histories, strict=True)
            )
        )

    def asked(self) -> list[tuple[str, list[str]]]:
        """Return the task with the kinds, then each history."""
        histories = [
            (history["title"], [_line(number, row) for number, row in enumerate(history["rows"])])
            for history in self.histories
        ]
        return [(self.task, list(self.kinds)), *histories]


def _is_try(value: Any, messages: int, kinds: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(at) is int and 0 <= at < most for at, most in zip(value, (messages, kinds), strict=True))
    )


def _shown(history: BrokenHistory, kinds: list[Kind]) -> dict[str, Any]:
    """Return the rows of a history, the right answer, and what is said once it is known."""
    (finding,) = diagnose(history.messages, history.api)
    kind = next(at for at, kind in enumerate(kinds) if finding.code in kind.codes)
    return {
        "rows": _rows(history),
        "answer": [finding.message, kind],
        "code": finding.code,
        "text": finding.text,
        "fix": finding.fix,
        "story": history.story,
        "source": history.source,
    }


def _rows(history: BrokenHistory) -> list[dict[str, Any]]:
    """Return for each message its role and its parts, each with a kind, an id ("" for none) and a text."""
    rows: list[dict[str, Any]] = [
        {"role": name_in(message, "role"), "parts": []} for message in history.messages
    ]
    for part in view_of(history.messages, history.api).parts:
        rows[part.message]["parts"].append({"kind": part.kind, "id": part.id or "", "text": _text(part)})
    return rows


def _text(part: MessagePart) -> str:
    """Return what a part says: its text, the text of a result, or the name and the arguments of a call."""
    value = part.value
    if part.kind == "text":
        return text_of(part) or ""
    if part.kind == "result":
        return name_in(value, "content") or name_in(value, "output")
    if part.kind == "call":
        call = value.get("function", value)
        arguments = call.get("arguments", call.get("input"))
        return f"{name_in(call, 'name')} {arguments if isinstance(arguments, str) else json.dumps(arguments)}"
    return ""


def _line(number: int, row: dict[str, Any]) -> str:
    """Return a row as one line of text."""
    parts = [" ".join(filter(None, (part["kind"], part["id"], part["text"]))) for part in row["parts"]]
    return " ".join(filter(None, (str(number), row["role"], "; ".join(parts))))


def read_spot(path: Path) -> SpotFile:
    """Return what a spot.yaml holds. Raises CtxlabError, which names the file, the field and what to do."""
    return read_fields(path, SpotFile)


def spot(number: str) -> Spot:
    """Ask for the faults in the histories of a lesson ("14"). Raises CtxlabError for a lesson without any."""
    path = FOLDER / f"lesson_{checked_lesson(number)}" / "spot.yaml"
    if not path.is_file():
        having = sorted(
            found.parent.name.removeprefix("lesson_") for found in FOLDER.glob("lesson_*/spot.yaml")
        )
        raise CtxlabError(f"lesson {number} has no histories to look at; {', '.join(having)} has")
    return Spot(number, read_spot(path))

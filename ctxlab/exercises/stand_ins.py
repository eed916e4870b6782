"""Stand-ins for what a loop calls: the function that prepares a history, the model, and its tools.

Those of a scenario do their work. These also fail, in each way that a loop has to survive.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal

from ctxlab.errors import Refusal

Message = dict[str, Any]
History = list[Message]

TOOL = "read_file"
MISSING_TOOL = "no_such_tool"

# What stands in an answer: a text, or a call, by what comes of it.
Part = Literal["text", "works", "fails", "breaks", "unknown", "interrupted"]

OUTCOMES: dict[str, str] = {
    "works": "works",
    "fails": "raises OSError",
    "breaks": "raises an Exception of its own kind",
    "unknown": "names a tool that does not exist",
    "interrupted": "is interrupted, as by Ctrl-C",
}


class Interruption(BaseException):
    """What stands for Ctrl-C, which would end the check itself."""


class OwnError(Exception):
    """An exception that nothing but `except Exception` catches, of all that the code can know."""


def _raising(error: BaseException) -> Callable[[History], Any]:
    def prepare(_messages: History) -> Any:
        raise error

    return prepare


def _emptied(messages: History) -> Any:
    messages.clear()
    raise Refusal("over_budget", "the history does not fit")


# Functions in the place of `prepare`, by what they do. The first is the plainest.
PREPARES: dict[str, Callable[[History], Any]] = {
    "returns a new question": lambda _: [{"role": "user", "content": "new"}],
    "returns what it was given": lambda messages: messages,
    "drops the oldest exchange": lambda messages: messages[:1] + messages[3:],
    "returns None": lambda _: None,
    "returns a tuple": tuple,
    "returns a dict": lambda messages: {"messages": messages},
    "returns a text": lambda _: "a summary",
    "raises Refusal": _raising(Refusal("over_budget", "the history does not fit")),
    "raises OSError": _raising(OSError("the disk is full")),
    "empties its list, then raises Refusal": _emptied,
    "returns a generator": lambda messages: (message for message in messages),
    "returns an iterator": iter,
    "returns an empty list": lambda _: [],
    "returns a longer history": lambda messages: messages + messages[1:],
    "raises an Exception of its own kind": _raising(OwnError("no candidate")),
    "is interrupted, as by Ctrl-C": _raising(Interruption()),
}


def answer_of(parts: Iterable[str]) -> Message:
    """Return the assistant's message that these parts make: its text comes before its calls."""
    said = [{"type": "text", "text": "All is checked."} for part in parts if part == "text"]
    calls = [
        {
            "type": "tool_use",
            "id": call_id,
            "name": MISSING_TOOL if outcome == "unknown" else TOOL,
            "input": {"path": f"{call_id}.txt"},
        }
        for call_id, outcome in calls_of(parts).items()
    ]
    return {"role": "assistant", "content": [*said, *calls]}


def calls_of(parts: Iterable[str]) -> dict[str, str]:
    """Return the id of each call among these parts, and what comes of it."""
    outcomes = [part for part in parts if part != "text"]
    return {f"next_{number}": outcome for number, outcome in enumerate(outcomes, start=1)}


def reasons_of(parts: Iterable[str]) -> dict[str, str]:
    """Return what the result of each call that fails has to say: the words of the exception, or the name."""
    reasons = {"fails": "{}.txt cannot be read", "breaks": "{}.txt is broken", "unknown": MISSING_TOOL}
    return {
        call_id: reasons[outcome].format(call_id)
        for call_id, outcome in calls_of(parts).items()
        if outcome in reasons
    }


def tool_of(parts: Iterable[str]) -> Callable[..., str]:
    """Return the tool that the calls among these parts are for: `read_file(path=...)`."""
    outcomes = {f"{call_id}.txt": outcome for call_id, outcome in calls_of(parts).items()}

    def read_file(path: str) -> str:
        if outcomes.get(path) == "interrupted":
            raise Interruption
        if outcomes.get(path) == "breaks":
            raise OwnError(f"{path} is broken")
        if outcomes.get(path) != "works":
            raise OSError(f"{path} cannot be read")
        return f"Text of {path}."

    return read_file

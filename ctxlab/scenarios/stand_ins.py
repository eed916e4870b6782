"""What takes the place of the disk and of the model in a scenario, so that every run comes out the same."""

from collections.abc import Callable
from typing import Any

from ctxlab.messages.blocks import result_ids
from ctxlab.messages.copying import copied
from ctxlab.messages.counting import TokenCounter

Message = dict[str, Any]
History = list[Message]

SUMMARY = "The older results are archived; check the current files; obtain permission before you change one."
NEXT_CALL = "call_next"
NOTES = "Nothing has changed."
ANSWER = "The notes are checked, and nothing was deleted."


def receipt_of(number: int) -> str:
    """Return the name of the snapshot with this number, counted from 1."""
    return f"context-{number:012x}.jsonl"


class MemoryArchive:
    """An archive that keeps its snapshots in memory: `archive(messages)` returns the next receipt.

    `snapshots` maps each receipt to the history that it stands for.
    """

    def __init__(self) -> None:
        self.snapshots: dict[str, History] = {}

    def __call__(self, messages: History) -> str:
        """Keep a copy of the history."""
        receipt = receipt_of(len(self.snapshots) + 1)
        self.snapshots[receipt] = copied(messages)
        return receipt

    def __repr__(self) -> str:
        return f"MemoryArchive({len(self.snapshots)} snapshots)"


def fixed_archive(receipt: str) -> Callable[[History], str]:
    """Return an archive that keeps nothing, and whose answer is always `receipt`."""

    def archive(_messages: History) -> str:
        return receipt

    return archive


def failing_archive(_messages: History) -> str:
    """Raise OSError, as an archive on a full disk does."""
    raise OSError("the disk is full; no snapshot was written")


def failing_summariser(_messages: History) -> str:
    """Raise TimeoutError, as the call of a model does that gets no answer."""
    raise TimeoutError("the model gave no answer; no summary was made")


def fixed_summariser(text: str) -> Callable[[History], str]:
    """Return a summariser whose answer is always `text`."""

    def summarize(_messages: History) -> str:
        return text

    return summarize


def count_tokens(text: str) -> int:
    """Return the tokens of a text in cl100k_base, which stands in for the tokenizer of any model."""
    return TokenCounter().count(text)


def stand_in_model(messages: History) -> Message:
    """Call `read_file` once, then answer in text.

    The ids of the newest results decide, so nothing else in the history, such as a summary, changes the
    answer.
    """
    if NEXT_CALL in result_ids(messages[-1]):
        return {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}
    call = {"type": "tool_use", "id": NEXT_CALL, "name": "read_file", "input": {"path": "notes.txt"}}
    return {"role": "assistant", "content": [call]}


def read_file(path: str) -> str:  # noqa: ARG001 - a tool is called with what the model asks for
    """Return one short text, whichever file is asked for."""
    return NOTES

"""The comparison of what a program printed with what was expected, character for character."""

import json
from typing import Any, NamedTuple

from ctxlab.messages.blocks import result_ids

History = list[dict[str, Any]]

THE_SAME, DIFFERENT, NO_BASIS = "the same", "not the same", "no basis to compare"

EXPECTED = "expected.txt"


class Comparison(NamedTuple):
    """`verdict` is "the same", "not the same" or "no basis to compare"; `detail` says why, in one line."""

    verdict: str
    detail: str

    def text(self) -> str:
        """Return both in one line."""
        return f"{self.verdict}: {self.detail}"


def compared(output: bytes, expected: str) -> Comparison:
    """Compare a whole output with the whole expected text. One line too many is "not the same"."""
    if output == expected.encode("utf-8"):
        return Comparison(THE_SAME, f"the output is {expected!r}, as {EXPECTED} says")
    ours, theirs = output.split(b"\n"), expected.encode("utf-8").split(b"\n")
    for number, pair in enumerate(zip(ours, theirs, strict=False), start=1):
        if pair[0] != pair[1]:
            return Comparison(
                DIFFERENT, f"line {number} is {_line(pair[0])} in the output, {_line(pair[1])} in {EXPECTED}"
            )
    longer, lines = ("the output", ours) if len(ours) > len(theirs) else (EXPECTED, theirs)
    number = min(len(ours), len(theirs)) + 1
    return Comparison(DIFFERENT, f"only {longer} has a line {number}: {_line(lines[number - 1])}")


def expectation(messages: History, tool: str) -> str | None:
    """Return the expected text that stands in the history: in the newest result of `tool` that has one.

    The disk is not asked. What a trim or a summary has removed from the history can be compared with nothing.
    """
    for index in range(len(messages) - 2, 0, -1):
        calls = _calls_of(messages[index], tool)
        if calls and result_ids(messages[index + 1]):
            for block in messages[index + 1]["content"]:
                if block["tool_use_id"] in calls:
                    found = _expected_in(block["content"])
                    if found is not None:
                        return found
    return None


def _calls_of(message: dict[str, Any], tool: str) -> set[str]:
    blocks = message["content"] if isinstance(message["content"], list) else []
    return {block["id"] for block in blocks if block["type"] == "tool_use" and block["name"] == tool}


def _expected_in(text: str) -> str | None:
    try:
        value = json.loads(text)
    except ValueError:  # a marker, or the reason of a failure
        return None
    found = value.get(EXPECTED) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def _line(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}..."

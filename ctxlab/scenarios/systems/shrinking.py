"""Scenarios of shrinking: the text of one result, and a model that answers as the file says."""

import re
from typing import Any

from pydantic import Field

from ctxlab.reference.shrinking import MAX_TOKENS, compress_tool_result, trim_single_observation
from ctxlab.scenarios.fields import Part
from ctxlab.scenarios.systems.stand_ins import StandIn, answering
from ctxlab.scenarios.systems.system import System

MARK = re.compile(r"\[\d+ characters missing\]")


class Given(Part):
    """One result, and what is done with it."""

    text: str = Field(description="The text of the result.")
    limit_chars: int = Field(default=600, description="Limit of the trimmed text, in characters.")
    tool_name: str = Field(default="read_file", description="The tool whose result it is.")
    task_context: str = Field(default="Check the notes.", description="What the result is needed for.")
    max_tokens: int = Field(default=MAX_TOKENS, description="Limit of the model's answer, in tokens.")
    summarize: StandIn = Field(
        default=StandIn(answers=["The notes are checked."]), description="The model that extracts."
    )


def arguments(given: Given) -> dict[str, Any]:
    """Return new values for the parameters of both functions."""
    return {
        "text": given.text,
        "limit_chars": given.limit_chars,
        "tool_name": given.tool_name,
        "raw_result": given.text,
        "task_context": given.task_context,
        "summarize": answering(given.summarize),
        "max_tokens": given.max_tokens,
    }


def outcome(returned: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return whether the text is as it was, its length, and the mark in it."""
    mark = MARK.search(returned)
    return {
        "unchanged": returned == arguments["text"],
        "characters": len(returned),
        "mark": mark[0] if mark else None,
    }


SYSTEM = System(
    name="shrinking",
    functions={"trim": trim_single_observation, "compress": compress_tool_result},
    given=Given,
    arguments=arguments,
    outcome=outcome,
)

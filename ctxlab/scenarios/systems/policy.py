"""Scenarios of compaction by a policy: a history, the log of its steps, and the policy."""

from typing import Any

from pydantic import Field

from ctxlab.messages.copying import copied
from ctxlab.reference.policy import (
    CompactionPolicy,
    Step,
    compact,
    fingerprint,
    size_of,
    structured_summary,
)
from ctxlab.scenarios.fields import Part
from ctxlab.scenarios.systems.stand_ins import StandIn, answering
from ctxlab.scenarios.systems.system import System


class GivenStep(Part):
    """One call that has its result, in the host's log."""

    turn: int = Field(description="The number of its exchange in the run.")
    tool: str = Field(default="read_log", description="The name of the tool.")
    status: str = Field(default="ok", description="ok, or how the step failed or why it was given up.")
    brief: str = Field(default="", description="What the step found out, in a sentence.")
    output: str | None = Field(default=None, description="The text of the result. Left out: not kept.")


class GivenPolicy(Part):
    """The fields of a policy. Those left out have its defaults."""

    window: int = Field(default=128_000, description="The window, in tokens.")
    trigger_ratio: float = Field(default=0.6, description="The share over which old exchanges go.")
    keep_recent_turns: int = Field(default=4, description="How many of the last exchanges stay.")
    max_single_obs_ratio: float = Field(default=0.1, description="The share that one result may have.")
    summarize: StandIn | None = Field(
        default=None, description="The model that rewrites the record. Left out: none."
    )


class Given(Part):
    """The arguments of a compaction."""

    messages: list[dict[str, Any]] = Field(
        default=[], description="The history, in the form of OpenAI's Chat Completions."
    )
    steps: list[GivenStep] = Field(default=[], description="The log of the run.")
    policy: GivenPolicy = Field(default=GivenPolicy(), description="The policy.")


def arguments(given: Given) -> dict[str, Any]:
    """Return new values for the parameters of both functions."""
    asked = given.policy.summarize
    summarize = None if asked is None else answering(asked)
    policy = CompactionPolicy(**given.policy.model_dump(exclude={"summarize"}), summarize=summarize)
    return {
        "messages": copied(given.messages),
        "steps": [step_of(step) for step in given.steps],
        "policy": policy,
        "summarize": summarize,
    }


def step_of(given: GivenStep) -> Step:
    """Return the step that a file describes."""
    kept = None if given.output is None else fingerprint(given.output)
    return Step(given.turn, given.tool, given.status, given.brief, kept, given.output)


def outcome(returned: Any, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - all is in `returned`
    """Return the size of the new history and the events, with a number for the steps; or the record."""
    if isinstance(returned, str):
        return {"record": returned.splitlines()}
    messages, events = returned
    return {
        "messages": len(messages),
        "tokens": size_of(messages),
        "events": [
            {**event, "steps": len(event["steps"])} if "steps" in event else event for event in events
        ],
    }


SYSTEM = System(
    name="policy",
    functions={"compact": compact, "structured_summary": structured_summary},
    given=Given,
    arguments=arguments,
    outcome=outcome,
)

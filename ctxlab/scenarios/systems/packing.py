"""Scenarios of packing: the anchors, a history, and the room for both."""

from typing import Any, Literal

from pydantic import Field

from ctxlab.messages.copying import copied
from ctxlab.messages.counting import TokenCounter
from ctxlab.reference.costs import estimated_tokens
from ctxlab.reference.packing import ContextManager, LeftOut
from ctxlab.scenarios.fields import Part
from ctxlab.scenarios.systems.places import places_of
from ctxlab.scenarios.systems.system import System

History = list[dict[str, Any]]


class Given(Part):
    """The anchors, the history in the form of Chat Completions, and the limits."""

    system_prompt: str = Field(
        default="You look after the servers. Ask before you delete anything.",
        description="The first anchor: the system text.",
    )
    goal: str = Field(default="Check the notes.", description="The second anchor: what the user wants.")
    state: str | None = Field(
        default=None, description="The third anchor: the state of the work. Left out: none."
    )
    messages: list[dict[str, Any]] = Field(description="The history.")
    max_tokens: int = Field(default=8000, description="Limit of request and answer, in tokens.")
    reserve_output_tokens: int = Field(default=1500, description="The room for the answer, in tokens.")
    cost: Literal["counted", "estimated"] = Field(
        default="counted", description="counted: by a tokenizer; estimated: half the characters, and one."
    )


def arguments(given: Given) -> dict[str, Any]:
    """Return new values for the parameters of `build_safe_context`, its manager as `self`."""
    cost = estimated_tokens if given.cost == "estimated" else None
    return {
        "self": ContextManager(given.max_tokens, given.reserve_output_tokens, cost=cost),
        "system_prompt": given.system_prompt,
        "initial_user_goal": given.goal,
        "current_state_summary": given.state,
        "raw_history": copied(given.messages),
    }


def outcome(returned: tuple[History, list[LeftOut]], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what is packed and what is left out, by places in the history, and the tokens of the context.

    The tokens are counted, also where the run went by an estimate.
    """
    context, left_out = returned
    anchors = 3 if arguments["current_state_summary"] else 2
    return {
        "packed": places_of(context[anchors:], arguments["raw_history"]),
        "left_out": [[group.start, group.stop, group.reason] for group in left_out],
        "tokens": sum(map(TokenCounter().count_message, context)),
        "budget": arguments["self"].budget,
    }


SYSTEM = System(
    name="packing",
    functions={"pack": ContextManager.build_safe_context},
    given=Given,
    arguments=arguments,
    outcome=outcome,
)

"""Scenarios of planning: a goal or a plan, and a model that answers as it is told."""

import json
from typing import Any

from pydantic import Field

from ctxlab.messages.copying import copied
from ctxlab.reference.planning import checkpoint_plan, create_execution_plan
from ctxlab.scenarios.fields import Part
from ctxlab.scenarios.systems.stand_ins import StandIn, answering
from ctxlab.scenarios.systems.system import History, System


class Given(Part):
    """The arguments of the call, and what the model answers."""

    goal: str = Field(
        default="Move the museum's catalogue to the new database", description="What is to be reached."
    )
    context: str = Field(default="The old database is read-only.", description="What the model should know.")
    plan: dict[str, Any] = Field(default={}, description="The plan of the host.")
    completed_step_id: str = Field(default="", description="The step that is done.")
    result_summary: str = Field(default="4,812 records", description="What came of the step.")
    agent_notes: str = Field(default="", description="What the agent wants to add.")
    ask: StandIn = Field(
        description="The model. An answer is a text, a message (with a role), or an object to send as JSON."
    )


def arguments(given: Given) -> dict[str, Any]:
    """Return new values for the parameters of the functions."""
    return {
        "goal": given.goal,
        "context": given.context,
        "plan": copied(given.plan),
        "completed_step_id": given.completed_step_id,
        "result_summary": given.result_summary,
        "agent_notes": given.agent_notes,
        "ask": Asked(given.ask),
    }


class Asked:
    """A model that counts how often it is asked."""

    def __init__(self, stand_in: StandIn) -> None:
        self.requests = 0
        self._answer = answering(stand_in)

    def __call__(self, messages: History) -> dict[str, Any]:
        """Return the next answer as an assistant's message."""
        self.requests += 1
        answer = self._answer(messages)
        if isinstance(answer, dict) and "role" in answer:
            return answer
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return {"role": "assistant", "content": text}


def outcome(returned: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the number of requests, each step of the plan with its status, the results, the next step."""
    plan, verdict = returned if isinstance(returned, tuple) else (returned, {})
    steps = {step["id"]: step.get("status", "pending") for step in plan["steps"]}
    results = {step["id"]: step["result_summary"] for step in plan["steps"] if "result_summary" in step}
    found = {"requests": arguments["ask"].requests, "steps": steps}
    return found | ({"results": results, "next": verdict["next_step_id"]} if verdict else {})


SYSTEM = System(
    name="planning",
    functions={
        "create_execution_plan": create_execution_plan,
        "checkpoint_plan": checkpoint_plan,
    },
    given=Given,
    arguments=arguments,
    outcome=outcome,
)

"""Planning as it is often written: whatever the model answers becomes the plan."""

import json
from collections.abc import Callable
from typing import Any

Plan = dict[str, Any]
Ask = Callable[[list[dict[str, Any]]], dict[str, Any]]


def json_in(text: str) -> dict[str, Any]:
    """Return the JSON object in an answer, also out of a code fence or a sentence."""
    value: dict[str, Any] = json.loads(text[text.find("{") : text.rfind("}") + 1])
    return value


def create_execution_plan(goal: str, context: str = "", *, ask: Ask) -> Plan:
    """Return a plan for a goal."""
    prompt = f"Make a plan as JSON.\n\nGoal: {goal}\nContext: {context}"
    answer = ask([{"role": "user", "content": prompt}])
    return json_in(answer["content"])


def checkpoint_plan(
    plan: Plan, completed_step_id: str, result_summary: str, agent_notes: str = "", *, ask: Ask
) -> tuple[Plan, dict[str, Any]]:
    """Complete a step and ask what becomes of the plan."""
    for step in plan["steps"]:
        if step["id"] == completed_step_id:
            step["status"] = "completed"
            step["result_summary"] = result_summary
    plan.setdefault("log", []).append(completed_step_id)
    prompt = f"Does this plan still hold? {json.dumps(plan)}\nNotes: {agent_notes}"
    result = json_in(ask([{"role": "user", "content": prompt}])["content"])
    if result["needs_replan"]:
        plan["steps"] = result["updated_steps"]
    return plan, result

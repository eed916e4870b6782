"""Plans: their fields, and what can be wrong with one.

A plan is a JSON object with the fields of `PLAN`, and its steps have those of `STEP`. A step has a `status`
too as soon as anything has happened to it, and a `result_summary` when it is completed. Fields of other names
are kept as they are. A fault is the rest of a sentence that begins with the plan, or "".
"""

from graphlib import CycleError, TopologicalSorter
from typing import Any

from ctxlab.messages.json_fields import fields_fault, json_fault
from ctxlab.messages.wording import shown

Plan = dict[str, Any]
Step = dict[str, Any]

# Each field with its kind, as in `json_fields`. A request tells them to the model.
PLAN = {
    "goal_summary": "a text",
    "steps": "a list of objects",
    "key_constraints": "a list of texts",
    "definition_of_done": "a text or a list of texts",
}
STEP = {
    "id": "a text",
    "description": "a text",
    "depends_on": "a list of texts",
    "success_criteria": "a text or a list of texts",
    "tools_likely_needed": "a list of texts",
}
VERDICT = {
    "needs_replan": "true or false",
    "updated_steps": "a list of objects",
    "task_completed": "true or false",
    "next_step_id": "a text or null",
    "notes": "a text, perhaps empty",
}

# A step without a status is pending. Nothing happens any more to one whose status is among the second.
STATUSES = ("pending", "in_progress", "blocked", "failed", "completed", "cancelled")
CLOSED = ("completed", "cancelled")


def plan_fault(plan: Any) -> str:
    """Return what is wrong with a plan."""
    fault = json_fault(plan) or fields_fault(plan, PLAN)
    # Is it no plan?
    if fault:
        return fault
    # Is there nothing to do?
    if not plan["steps"]:
        return "has no steps"
    return steps_fault(plan["steps"])


def steps_fault(steps: list[Any]) -> str:
    """Return what is wrong with the steps of a plan: a field, an id, a dependency, or a cycle."""
    ids: set[str] = set()
    for index, step in enumerate(steps):
        fault = fields_fault(step, STEP) or status_fault(step)
        # Is this no step?
        if fault:
            return f"has a fault in steps[{index}]: it {fault}"
        # Has an earlier step this id?
        if step["id"] in ids:
            return f"has two steps with the id {shown(step['id'])}; give each an id of its own"
        ids.add(step["id"])
    for step in steps:
        for needed in step["depends_on"]:
            # Is the step missing that it depends on?
            if needed not in ids:
                return f"has no step {shown(needed)}, on which {shown(step['id'])} depends"
    cycle = cycle_in(steps)
    # Do steps wait for each other?
    if cycle:
        # None of them could ever begin.
        return f"has a cycle: {' needs '.join(map(shown, cycle))}"
    return cancelled_fault(steps)


def cancelled_fault(steps: list[Step]) -> str:
    """Return which open step depends on a cancelled one."""
    cancelled = {step["id"] for step in steps if status_of(step) == "cancelled"}
    for step in steps:
        # Is this step still to be done?
        if status_of(step) not in CLOSED:
            for needed in step["depends_on"]:
                # Does it wait for what never comes?
                if needed in cancelled:
                    return f"lets {shown(step['id'])} depend on {shown(needed)}, which is cancelled"
    return ""


def status_fault(step: Step) -> str:
    """Return what is wrong with the status of a step, or with its result."""
    # Is it none of the statuses?
    if status_of(step) not in STATUSES:
        return f"has the status {shown(status_of(step))}; a status is one of {', '.join(STATUSES)}"
    # Is the result no text?
    if not isinstance(step.get("result_summary", ""), str):
        return f"has {shown(step['result_summary'])} as its result_summary, not a text"
    return ""


def status_of(step: Step) -> Any:
    """Return the status of a step."""
    return step.get("status", "pending")


def cycle_in(steps: list[Step]) -> list[str]:
    """Return the ids of steps of which each needs the next, the first again as the last, or []."""
    try:
        TopologicalSorter({step["id"]: step["depends_on"] for step in steps}).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle[::-1]
    return []


def waiting_for(step: Step, steps: list[Step]) -> list[str]:
    """Return the ids of the steps that must be completed before this one."""
    # Is the other step completed?
    completed = {other["id"] for other in steps if status_of(other) == "completed"}
    # Is a step that this one needs not completed?
    return [needed for needed in step["depends_on"] if needed not in completed]

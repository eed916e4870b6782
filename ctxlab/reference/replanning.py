"""Re-planning: what an answer about a plan may say, and the plan that it leads to.

Whether a step was done is the host's to say, never the model's. A fault is the rest of a sentence, or "".
"""

from typing import Any

from ctxlab.messages.copying import copied
from ctxlab.messages.json_fields import fields_fault
from ctxlab.messages.wording import shown
from ctxlab.reference.plans import (
    CLOSED,
    VERDICT,
    Plan,
    Step,
    status_of,
    steps_fault,
    waiting_for,
)

Verdict = dict[str, Any]


def verdict_fault(verdict: Any, plan: Plan) -> str:
    """Return what is wrong with the model's answer about a plan, also with the plan that it leads to."""
    fault = fields_fault(verdict, VERDICT)
    # Is a field missing or of another kind?
    if fault:
        return fault
    updates, done = verdict["updated_steps"], verdict["task_completed"]
    # Does it list steps without a re-plan?
    if updates and not verdict["needs_replan"]:
        return "has updated_steps, but its needs_replan is false"
    # Would a re-plan cancel everything, by mistake?
    if verdict["needs_replan"] and not updates and not done:
        return "re-plans without a single step, but its task_completed is false"

    # 1. Look at each new version of a step.
    known = {step["id"]: step for step in plan["steps"]}
    for index, step in enumerate(updates):
        # Does it not say which step it is?
        if not isinstance(step.get("id"), str):
            return f"has no id in updated_steps[{index}]"
        fault = update_fault(step, known.get(step["id"], {}))
        # Does it say what only the host can say?
        if fault:
            return fault

    # 2. Look at the plan that it leads to.
    steps = plan_after(plan, verdict)["steps"]
    fault = steps_fault(steps) or end_fault(steps, done)
    # Is that no plan?
    if fault:
        return f"leads to a plan that {fault}"
    return next_fault(verdict["next_step_id"], steps)


def update_fault(step: Step, old: Step) -> str:
    """Return what an answer may not say of a step. `old` is the step in the plan, {} for a new one."""
    name = shown(step["id"])
    # Is it over?
    if old and status_of(old) in CLOSED:
        for field, value in step.items():
            # Does the answer say anything else of it?
            if value != old.get(field):
                # A completed step would lose its result, or a cancelled one would come back.
                return f"changes the {field} of {name}, which is {old['status']}; give new work a new id"
        return ""
    # Does the answer say what the step has done?
    result = old.get("result_summary")
    # A failed step may have a result. An answer that leaves it out does not change it.
    if status_of(step) == "completed" or step.get("result_summary", result) != result:
        return f"says what {name} has done; only the host completes a step"
    # Is it new, and begun already?
    if not old and status_of(step) != "pending":
        return f"has the new step {name} with the status {shown(status_of(step))}; leave out its status"
    return ""


def plan_after(plan: Plan, verdict: Verdict) -> Plan:
    """Return the plan that a verdict leads to. The plan passed in stays as it is."""
    # Does the plan stay as it is?
    if not verdict["needs_replan"]:
        return plan
    known = {step["id"]: step for step in plan["steps"]}
    listed = {step["id"] for step in verdict["updated_steps"]}
    steps = []
    # 1. Steps that the answer leaves out come first.
    for step in plan["steps"]:
        # Is this one left out?
        if step["id"] not in listed:
            # Was it still to be done?
            if status_of(step) not in CLOSED:
                # It is cancelled, not gone: what was once planned can be seen.
                step = step | {"status": "cancelled"}
            steps.append(step)
    # 2. Of the others, what the answer does not say stays as it was: above all status and result.
    for step in verdict["updated_steps"]:
        steps.append(known.get(step["id"], {}) | step)
    return copied(plan | {"steps": steps})


def end_fault(steps: list[Step], task_completed: bool) -> str:
    """Return what is wrong with the word that the whole task is completed, or is not."""
    # Which steps are still to be done?
    left = [step["id"] for step in steps if status_of(step) not in CLOSED]
    # Is the task said to be done before them?
    if left and task_completed:
        return f"has {shown(left[0])} to do, but task_completed is true; re-plan to leave a step out"
    # Is there nothing to do, and the task goes on?
    if not left and not task_completed:
        # The run would have no next step, and no end.
        return "has no step to do, but task_completed is false; re-plan with a new step, or let it be true"
    return ""


def next_fault(step_id: str | None, steps: list[Step]) -> str:
    """Return why a step cannot be the next one."""
    # Is there no next one?
    if step_id is None:
        return ""
    for step in steps:
        # Is it this one?
        if step["id"] == step_id:
            # Is it over, or held up?
            if status_of(step) in (*CLOSED, "blocked"):
                return f"has {shown(step_id)} as its next_step_id, which is {step['status']}"
            missing = waiting_for(step, steps)
            # Does it have to wait?
            if missing:
                return f"has {shown(step_id)} as its next_step_id, which waits for {shown(missing[0])}"
            return ""
    return f"has {shown(step_id)} as its next_step_id, and no such step"

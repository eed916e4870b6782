"""Planning: ask a model for a plan, and after each step whether the rest of the plan still holds.

The host keeps the plan. A model proposes one, or new steps; what it answers counts only after it was checked.
What has happened is the host's to say: no answer can complete a step, or change one that is completed or
cancelled.
"""

from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.json_fields import json_fault
from ctxlab.messages.wording import shown
from ctxlab.reference.argument_checks import check_text
from ctxlab.reference.json_answers import ALONE, Ask, answered
from ctxlab.reference.plans import (
    CLOSED,
    PLAN,
    STEP,
    VERDICT,
    Plan,
    Step,
    plan_fault,
    status_of,
    waiting_for,
)
from ctxlab.reference.replanning import Verdict, plan_after, update_fault, verdict_fault

REPLAN_RULES = """\
If the rest of the plan still holds, needs_replan is false and updated_steps is []. Otherwise needs_replan is
true, and updated_steps lists every step that is still to be done, each with all its fields; a step that is
left out is cancelled. Completed and cancelled steps stay as they are; new work gets a new id.
task_completed is true when no step is left to do, and only then. next_step_id is a step whose dependencies
are all completed, or null."""


def create_execution_plan(goal: str, context: Any = "", *, ask: Ask) -> Plan:
    """Return a plan for a goal, as the model makes it.

    `context` is what the model should know: a text, or another JSON value. `ask(messages)` returns the
    assistant's next message; what it raises passes through. The plan has the fields of `PLAN`; none of its
    steps has a status other than "pending" yet. An answer that is no such plan, or no JSON object alone, gets
    one repair request that shows the problem. Refuses `bad_argument` and, after that, `bad_plan`.
    """
    check_text("goal", goal)
    problem = json_fault(context)
    # Is this a context that cannot be sent?
    if problem:
        raise Refusal("bad_argument", f"context {problem}; give a text")
    background = context if isinstance(context, str) else as_json(context)
    request = (
        f"Make a plan for the goal below. {ALONE}\n\nGoal: {goal}\nContext: {background}\n\n"
        f"{fields_text('The object', PLAN)}\n{fields_text('Each step', STEP)}\n"
        "The steps in depends_on must be completed before; no step may wait for itself."
    )
    return answered(request, new_plan_fault, ask)


def new_plan_fault(plan: Any) -> str:
    """Return what is wrong with a plan that nobody has begun."""
    fault = plan_fault(plan)
    # Is it no plan?
    if fault:
        return fault
    for step in plan["steps"]:
        fault = update_fault(step, {})
        # Does it tell of a step that was done?
        if fault:
            return fault
    return ""


def checkpoint_plan(
    plan: Plan, completed_step_id: str, result_summary: str, agent_notes: str = "", *, ask: Ask
) -> tuple[Plan, Verdict]:
    """Return a new plan in which a step is completed, and what the model says of the rest of it.

    The second value has the fields of `VERDICT`. If the model re-plans, open steps that it leaves out are
    cancelled: they stay in the plan and are seen. `task_completed` must say whether no step is open: a task
    ends early only by a re-plan that leaves steps out, and goes on only with a step to do. The plan passed in
    never changes; after a refusal, or an exception of `ask`, call again with the same arguments.

    Refuses `bad_plan` for the plan itself ("the plan ..."), before the model is asked, and for an answer
    that is still bad after one repair request ("the answer ..."). Refuses `bad_argument` for a step that
    does not exist, is completed or cancelled, or waits for another.
    """
    # 1. Check everything before the model is asked.
    fault = plan_fault(plan)
    # Is the plan of no use?
    if fault:
        raise Refusal("bad_plan", f"the plan {fault}")
    check_text("result_summary", result_summary)
    check_text("agent_notes", agent_notes, blank=True)
    plan = copied(plan)
    step = step_to_complete(plan, completed_step_id)

    # 2. Complete the step. What it found out is the host's to say.
    step["status"] = "completed"
    step["result_summary"] = result_summary

    # 3. Ask what becomes of the rest.
    request = (
        f"A step of the plan below is completed: {completed_step_id}. Does the rest of the plan still hold? "
        f"{ALONE}\n\nPlan: {as_json(plan)}\nNotes of the agent: {agent_notes}\n\n"
        f"{fields_text('The object', VERDICT)}\n{fields_text('Each step', STEP)}\n{REPLAN_RULES}"
    )

    def fault_of(answer: Verdict) -> str:
        return verdict_fault(answer, plan)

    verdict = answered(request, fault_of, ask)

    # 4. Only a checked answer changes the plan.
    return plan_after(plan, verdict), verdict


def step_to_complete(plan: Plan, step_id: str) -> Step:
    """Return the step with this id. Refuses `bad_argument` where it cannot be completed now."""
    steps: list[Step] = plan["steps"]
    for step in steps:
        # Is it this one?
        if step["id"] == step_id:
            # Is it over?
            if status_of(step) in CLOSED:
                # A second result would take the place of the first.
                raise Refusal("bad_argument", f"the step {shown(step_id)} is {step['status']} already")
            missing = waiting_for(step, steps)
            # Is a step not completed that it depends on?
            if missing:
                problem = f"depends on {shown(missing[0])}, which is not completed; complete that one first"
                raise Refusal("bad_argument", f"the step {shown(step_id)} {problem}")
            return step
    known = shown([step["id"] for step in steps])
    raise Refusal("bad_argument", f"the plan has no step {shown(step_id)}; it has {known}")


def fields_text(subject: str, fields: dict[str, str]) -> str:
    """Return a sentence that tells the model which fields an object has."""
    return f"{subject} has " + ", ".join(f"{name} ({kind})" for name, kind in fields.items()) + "."


def as_json(value: Any) -> str:
    """Return a value as compact JSON."""
    return compact_json(value).decode("utf-8")

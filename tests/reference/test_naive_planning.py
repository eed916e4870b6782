"""Each fault of the naive planning breaks a law that ours keeps, on the same input."""

import copy
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from naive import planning as naive

from ctxlab.errors import Refusal
from ctxlab.reference import planning as ours

BOTH = pytest.mark.parametrize("module", [naive, ours], ids=["naive", "ours"])


def step(name: str, *needs: str, **fields: Any) -> dict[str, Any]:
    texts = {"description": f"Do {name}", "success_criteria": "It is there", "tools_likely_needed": []}
    return {"id": name, "depends_on": list(needs)} | texts | fields


def a_plan(*steps: dict[str, Any]) -> dict[str, Any]:
    texts = {"goal_summary": "Move it", "key_constraints": [], "definition_of_done": "All is moved"}
    return {"steps": list(steps)} | texts


def answering(*answers: Any) -> Callable[[Any], dict[str, Any]]:
    texts = iter([one if isinstance(one, str) else json.dumps(one) for one in answers])
    return lambda messages: {"role": "assistant", "content": next(texts)}


def verdict(*updated: dict[str, Any], **fields: Any) -> dict[str, Any]:
    others = {"task_completed": False, "next_step_id": None, "notes": ""}
    return {"needs_replan": bool(updated), "updated_steps": list(updated)} | others | fields


@BOTH
def test_an_unknown_step_passes_silently(module: ModuleType) -> None:
    plan = a_plan(step("s1"))
    ask = answering(verdict())
    if module is naive:
        after, _ = module.checkpoint_plan(plan, "s7", "done", ask=ask)
        assert [one.get("status") for one in after["steps"]] == [None]
    else:
        with pytest.raises(Refusal, match="the plan has no step 's7'"):
            module.checkpoint_plan(plan, "s7", "done", ask=ask)


@BOTH
def test_a_repeated_step_is_appended_twice_and_loses_its_result(module: ModuleType) -> None:
    ask = answering(verdict(), verdict())
    plan, _ = module.checkpoint_plan(a_plan(step("s1"), step("s2")), "s1", "4,812 records", ask=ask)
    if module is naive:
        plan, _ = module.checkpoint_plan(plan, "s1", "again", ask=ask)
        assert (plan["log"], plan["steps"][0]["result_summary"]) == (["s1", "s1"], "again")
    else:
        with pytest.raises(Refusal, match="the step 's1' is completed already"):
            module.checkpoint_plan(plan, "s1", "again", ask=ask)
        assert plan["steps"][0]["result_summary"] == "4,812 records"


@BOTH
def test_the_plan_of_the_caller_changes(module: ModuleType) -> None:
    plan = a_plan(step("s1"), step("s2"))
    before = copy.deepcopy(plan)
    module.checkpoint_plan(plan, "s1", "4,812 records", ask=answering(verdict()))

    assert (plan == before) == (module is ours)


@BOTH
@pytest.mark.parametrize("updated", [[step("s1"), step("s2")], [step("s2")]], ids=["repeated", "left out"])
def test_a_new_plan_drops_what_was_done(module: ModuleType, updated: list[dict[str, Any]]) -> None:
    ask = answering(verdict(*updated))
    plan, _ = module.checkpoint_plan(a_plan(step("s1"), step("s2")), "s1", "4,812 records", ask=ask)

    results = [one.get("result_summary") for one in plan["steps"] if one.get("status") == "completed"]
    assert results == ([] if module is naive else ["4,812 records"])


@BOTH
def test_a_new_plan_revives_a_cancelled_step(module: ModuleType) -> None:
    plan = a_plan(step("s1"), step("s2", status="cancelled"))
    revived = verdict(step("s2", status="pending"))
    ask = answering(revived, revived)
    if module is naive:
        after, _ = module.checkpoint_plan(plan, "s1", "done", ask=ask)
        assert after["steps"][0]["status"] == "pending"
    else:
        with pytest.raises(Refusal, match="changes the status of 's2', which is cancelled"):
            module.checkpoint_plan(plan, "s1", "done", ask=ask)


@BOTH
@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        (a_plan(step("a", "b"), step("b", "a")), "has a cycle"),
        (a_plan(step("a"), step("a")), "has two steps with the id 'a'"),
        (a_plan(step("a", "z")), "has no step 'z'"),
        ({"steps": "first a, then b"}, "has no goal_summary"),
    ],
)
def test_any_object_becomes_a_plan(module: ModuleType, plan: dict[str, Any], problem: str) -> None:
    ask = answering(plan, plan)
    if module is naive:
        assert module.create_execution_plan("Move it", ask=ask) == plan
    else:
        with pytest.raises(Refusal, match=problem):
            module.create_execution_plan("Move it", ask=ask)


@BOTH
def test_an_example_in_the_answer_becomes_the_plan(module: ModuleType) -> None:
    text = f"I cannot plan this yet. Such plans look like this: {json.dumps(a_plan(step('example')))}"
    ask = answering(text, a_plan(step("s1")))
    plan = module.create_execution_plan("Move it", ask=ask)

    assert [one["id"] for one in plan["steps"]] == (["example"] if module is naive else ["s1"])


@BOTH
def test_broken_json_ends_the_run(module: ModuleType) -> None:
    ask = answering(json.dumps(a_plan(step("s1")))[:-3] + "}", a_plan(step("s1")))
    if module is naive:
        with pytest.raises(json.JSONDecodeError):
            module.create_execution_plan("Move it", ask=ask)
    else:
        assert module.create_execution_plan("Move it", ask=ask) == a_plan(step("s1"))


@BOTH
def test_a_task_is_completed_while_a_step_is_open(module: ModuleType) -> None:
    end = verdict(task_completed=True)
    plan, ask = a_plan(step("s1"), step("s2")), answering(end, end)
    if module is naive:
        after, result = module.checkpoint_plan(plan, "s1", "done", ask=ask)
        assert (result["task_completed"], after["steps"][1]) == (True, step("s2"))
    else:
        with pytest.raises(Refusal, match="has 's2' to do, but task_completed is true"):
            module.checkpoint_plan(plan, "s1", "done", ask=ask)

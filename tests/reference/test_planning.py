"""Planning: what a model answers is checked, and the host keeps what has happened."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from chat_histories import shares
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.reference.planning import checkpoint_plan, create_execution_plan
from ctxlab.reference.plans import steps_fault

Plan = dict[str, Any]


def step(name: str, *needs: str, **fields: Any) -> Plan:
    return {
        "id": name,
        "description": f"Do {name}",
        "depends_on": list(needs),
        "success_criteria": "It is there",
        "tools_likely_needed": [],
    } | fields


def a_plan(*steps: Plan, **fields: Any) -> Plan:
    return {
        "goal_summary": "Move the catalogue",
        "steps": list(steps) or [step("s1"), step("s2", "s1"), step("s3", "s2")],
        "key_constraints": ["Ask before deleting"],
        "definition_of_done": "Both counts are equal",
    } | fields


def verdict(**fields: Any) -> Plan:
    return {
        "needs_replan": False,
        "updated_steps": [],
        "task_completed": False,
        "next_step_id": None,
        "notes": "",
    } | fields


def replan(*steps: Plan, **fields: Any) -> Plan:
    return verdict(needs_replan=True, updated_steps=list(steps), **fields)


class Model:
    """Gives its answers in turn, and keeps what it was asked. An answer that is no text is sent as JSON."""

    def __init__(self, *answers: Any) -> None:
        self.answers = [one if isinstance(one, str) else json.dumps(one) for one in answers]
        self.asked: list[Any] = []

    def __call__(self, messages: list[Any]) -> dict[str, Any]:
        self.asked.append(copy.deepcopy(messages))
        messages.clear()  # a model that changes what it gets changes nothing else
        return {"role": "assistant", "content": self.answers[len(self.asked) - 1]}


def refusal(function: Callable[..., Any], *arguments: Any, **named: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        function(*arguments, **named)
    return caught.value


def after_s1(plan: Plan, *answers: Any) -> Any:
    return checkpoint_plan(plan, "s1", "4,812 records", "", ask=Model(*answers))


# A plan


def test_a_plan_is_what_the_model_answers() -> None:
    model = Model(a_plan(owner="Ada"))
    assert create_execution_plan("Move it", {"boxes": ["漢"]}, ask=model) == a_plan(owner="Ada")
    [[request]] = model.asked
    assert request["role"] == "user"
    assert 'Goal: Move it\nContext: {"boxes":["漢"]}\n' in request["content"]
    assert "depends_on (a list of texts)" in request["content"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (f"```json\n{json.dumps(a_plan())}\n```", "begins with '```json\\n{\"goal_summa', not with {"),
        (f"Here it is: {json.dumps(a_plan())}", "begins with 'Here it is: {\"goal_s', not with {"),
        (f"{json.dumps(a_plan())}\nI hope it helps.", "is no JSON: Extra data: line 2 column 1"),
        (json.dumps(a_plan())[:-1], "is no JSON: Expecting ',' delimiter"),
        ("[]", "begins with '[]', not with {"),
        ("", "begins with '', not with {"),
        ('{"a": 1, "a": 2}', "is no JSON: an object has a field twice; its fields are ['a', 'a']"),
        ('{"a":' * 100_000, "has 500000 characters, over the limit of 100000"),
        ('{"a":' * 20_000, "is nested too deeply"),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", "has no JSON form: nested over 100 levels deep"),
        ('{"a": NaN}', "has no JSON form: Out of range float values"),
        ('{"a": "\\ud800"}', "has no JSON form: 'utf-8' codec can't encode"),
        ('{"a": ' + "7" * 5000 + "}", "is no JSON: Exceeds the limit"),
        ({}, "has no goal_summary, which is a text"),
        (a_plan(goal_summary=" "), "has ' ' as its goal_summary, not a text"),
        (a_plan(steps={}), "has {} as its steps, not a list of objects"),
        (a_plan(steps=[]), "has no steps"),
        (a_plan(step("s1"), "s2"), "as its steps, not a list of objects"),
        (a_plan(step("s1", id=1)), "has a fault in steps[0]: it has 1 as its id, not a text"),
        (a_plan(step("s1", depends_on=None)), "it has None as its depends_on, not a list of texts"),
        (a_plan(step("s1", success_criteria=[])), "it has [] as its success_criteria, not a text or a list"),
        (a_plan(step("s1", status="ready")), "it has the status 'ready'; a status is one of pending,"),
        (a_plan(step("s1", result_summary=7)), "it has 7 as its result_summary, not a text"),
        (a_plan(step("s1"), step("s1")), "has two steps with the id 's1'"),
        (a_plan(step("s1", "s9")), "has no step 's9', on which 's1' depends"),
        (a_plan(step("s1", "s1")), "has a cycle: 's1' needs 's1'"),
        (a_plan(step("a"), step("b", "c"), step("c", "a", "d"), step("d", "b")), "'d' needs 'b' needs 'c'"),
        (a_plan(step("s1", status="completed")), "says what 's1' has done; only the host completes a step"),
        (a_plan(step("s1", result_summary="42")), "says what 's1' has done; only the host completes a step"),
        (a_plan(step("s1", status="cancelled")), "has the new step 's1' with the status 'cancelled'"),
    ],
)
def test_a_bad_answer_gets_one_repair_request_that_shows_the_problem(answer: Any, problem: str) -> None:
    model = Model(answer, a_plan())
    assert create_execution_plan("Move it", ask=model) == a_plan()
    first, second = model.asked
    assert second[:1] == first
    [own, repair] = second[1:]
    assert own["role"] == "assistant"
    assert own["content"] == (model.answers[0][:100_000].strip() or "(no text)")
    assert repair["content"].startswith("This cannot be used: the answer ")
    assert problem in repair["content"]
    assert diagnose(second, "openai-chat") == diagnose(second, "anthropic-messages") == []

    model = Model(answer, answer, a_plan())
    refused = refusal(create_execution_plan, "Move it", ask=model)
    assert (refused.code, len(model.asked)) == ("bad_plan", 2)
    assert problem in str(refused)
    assert "after a repair request too; ask another model" in str(refused)


def test_the_last_problem_is_the_one_that_is_told() -> None:
    refused = refusal(create_execution_plan, "Move it", ask=Model("No.", {}))
    assert str(refused).startswith("the answer has no goal_summary")


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"role": "assistant", "content": None, "tool_calls": [CALL]}, "called a tool in place of an answer"),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
            "ask it without tools",
        ),
        ({"role": "user", "content": json.dumps(a_plan())}, "not an assistant's message"),
        (json.dumps(a_plan()), "not an assistant's message"),
        (None, "ask returned None, not an assistant's message"),
    ],
)
def test_an_answer_without_a_text_to_read_is_refused_at_once(answer: Any, words: str) -> None:
    asked = []
    refused = refusal(create_execution_plan, "Move it", ask=lambda messages: asked.append(messages) or answer)
    assert (refused.code, len(asked)) == ("bad_plan", 1)
    assert words in str(refused)


def test_an_answer_in_blocks_is_read_too() -> None:
    head, tail = json.dumps(a_plan()).split(", ", 1)
    blocks = [
        {"type": "reasoning", "text": "Let me see."},
        *({"type": "text", "text": t} for t in (f"{head},", tail)),
    ]
    answer = {"role": "assistant", "content": blocks}
    assert create_execution_plan("Move it", ask=lambda messages: answer) == a_plan()


@pytest.mark.parametrize(
    ("goal", "context", "words"),
    [
        ("", "", "goal is ''"),
        (7, "", "goal is 7"),
        ("a\ud800", "", "goal holds half a surrogate pair"),
        ("Move it", {1, 2}, "context has no JSON form"),
        ("Move it", "a\ud800", "context has no JSON form"),
    ],
)
def test_a_goal_that_cannot_be_sent_is_refused(goal: Any, context: Any, words: str) -> None:
    model = Model()
    refused = refusal(create_execution_plan, goal, context, ask=model)
    assert (refused.code, model.asked) == ("bad_argument", [])
    assert words in str(refused)


def test_what_a_model_raises_passes_through() -> None:
    def fails(messages: Any) -> Any:
        raise TimeoutError

    plan = a_plan()
    with pytest.raises(TimeoutError):
        create_execution_plan("Move it", ask=fails)
    with pytest.raises(TimeoutError):
        checkpoint_plan(plan, "s1", "done", "", ask=fails)
    assert plan == a_plan()


# A completed step


def test_a_step_is_completed_in_a_copy() -> None:
    plan = a_plan()
    model = Model(verdict(next_step_id="s2", notes="On time", mood="good"))
    after, answer = checkpoint_plan(plan, "s1", "4,812 records", "box 7 was wet", ask=model)

    assert plan == a_plan()
    done = step("s1", status="completed", result_summary="4,812 records")
    assert after == a_plan(done, step("s2", "s1"), step("s3", "s2"))
    assert answer == verdict(next_step_id="s2", notes="On time", mood="good")
    assert not shares(after, plan)
    [[request]] = model.asked
    assert '"status":"completed","result_summary":"4,812 records"' in request["content"]
    assert "Notes of the agent: box 7 was wet" in request["content"]


def test_a_failed_step_may_be_completed_later() -> None:
    plan = a_plan(step("s1", status="failed", result_summary="no key"), step("s2"))
    after, _ = after_s1(plan, verdict())
    assert after["steps"][0] == step("s1", status="completed", result_summary="4,812 records")


@pytest.mark.parametrize("said", [{}, {"result_summary": "no key"}])
def test_an_answer_need_not_repeat_the_result_of_a_failed_step(said: Plan) -> None:
    plan = a_plan(step("s1"), step("s2", status="failed", result_summary="no key"))
    after, _ = after_s1(plan, replan(step("s2", status="pending", **said), next_step_id="s2"))
    assert after["steps"][1] == step("s2", status="pending", result_summary="no key")
    model = Model(replan(step("s2", result_summary="there it is")), verdict())
    checkpoint_plan(plan, "s1", "done", ask=model)
    assert "says what 's2' has done" in model.asked[1][2]["content"]


def test_a_task_without_a_step_to_do_is_completed_or_gets_a_new_step() -> None:
    plan = a_plan(step("s1"), step("s2", status="cancelled"))
    for answer in (verdict(), replan(step("s1"), step("s2"))):
        model = Model(answer, replan(step("s3"), next_step_id="s3"))
        after, _ = checkpoint_plan(plan, "s1", "done", ask=model)
        assert "has no step to do, but task_completed is false" in model.asked[1][2]["content"]
        assert after["steps"][-1] == step("s3")


@pytest.mark.parametrize("ask", [None, "model"])
def test_what_cannot_be_asked_is_named(ask: Any) -> None:
    for refused in (
        refusal(create_execution_plan, "Move it", ask=ask),
        refusal(checkpoint_plan, a_plan(), "s1", "done", ask=ask),
    ):
        assert refused.code == "bad_argument"
        assert str(refused).startswith("ask is ")


DONE = step("s1", status="completed", result_summary="4,812 records")
GONE = step("s4", status="cancelled")


@pytest.mark.parametrize(
    ("updated", "steps"),
    [
        # The completed step is left out: it stays. So do open steps, as cancelled.
        ([step("s5", "s1")], [DONE, step("s2", "s1", status="cancelled"), GONE, step("s5", "s1")]),
        # It is repeated without its status and result: it has them still.
        ([step("s1"), step("s2", "s1")], [GONE, DONE, step("s2", "s1")]),
        ([DONE, step("s2", "s1", status="blocked")], [GONE, DONE, step("s2", "s1", status="blocked")]),
        # So does a cancelled one, and it is not revived.
        ([step("s2", "s1"), step("s4")], [DONE, step("s2", "s1"), GONE]),
        # A part of an open step is enough: the rest stays as it was.
        ([{"id": "s2", "description": "Do half"}], [DONE, GONE, step("s2", "s1", description="Do half")]),
        (
            [step("s2", "s1", status="cancelled"), step("s5")],
            [DONE, GONE, step("s2", "s1", status="cancelled"), step("s5")],
        ),
    ],
)
def test_a_new_plan_keeps_what_has_happened(updated: list[Plan], steps: list[Plan]) -> None:
    plan = a_plan(step("s1"), step("s2", "s1"), step("s4", status="cancelled"))
    before = copy.deepcopy(plan)
    after, answer = after_s1(plan, replan(*updated))
    assert plan == before
    assert after == a_plan(*steps)
    assert answer == replan(*updated)
    assert not shares(after, answer)


def test_a_task_is_completed_when_no_step_is_open() -> None:
    end = verdict(task_completed=True)
    assert after_s1(a_plan(step("s1")), end)[1]["task_completed"]
    # Early, by a new plan that leaves out the rest.
    after, _ = after_s1(a_plan(), replan(task_completed=True))
    assert [one.get("status") for one in after["steps"]] == ["completed", "cancelled", "cancelled"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("All done!", "begins with 'All done!', not with {"),
        ({"needs_replan": False}, "has no updated_steps, which is a list of objects"),
        (verdict(mood=float("nan")), "has no JSON form: Out of range float values"),
        (verdict(needs_replan=0), "has 0 as its needs_replan, not true or false"),
        (verdict(updated_steps=None), "has None as its updated_steps, not a list of objects"),
        (verdict(next_step_id=2), "has 2 as its next_step_id, not a text or null"),
        (verdict(updated_steps=[step("s2", "s1")]), "has updated_steps, but its needs_replan is false"),
        (replan(), "re-plans without a single step, but its task_completed is false"),
        (replan("s2"), "has ['s2'] as its updated_steps, not a list of objects"),
        (replan({}), "has no id in updated_steps[0]"),
        (replan(step("s2", id={})), "has no id in updated_steps[0]"),
        # What only the host can say
        (
            replan(step("s1", status="pending")),
            "changes the status of 's1', which is completed; give new work",
        ),
        (replan(step("s1", result_summary="")), "changes the result_summary of 's1', which is completed"),
        (replan(step("s1", description="Rest")), "changes the description of 's1', which is completed"),
        (replan(step("s4", status="pending")), "changes the status of 's4', which is cancelled"),
        (replan(step("s2", status="completed")), "says what 's2' has done; only the host completes a step"),
        (replan(step("s9", status="completed")), "says what 's9' has done; only the host completes a step"),
        (replan(step("s2", result_summary="7")), "says what 's2' has done; only the host completes a step"),
        (replan(step("s9", status="failed")), "has the new step 's9' with the status 'failed'"),
        # The plan that it leads to
        (replan(step("s2", "s9")), "leads to a plan that has no step 's9', on which 's2' depends"),
        (replan(step("s2", "s3"), step("s3", "s2")), "leads to a plan that has a cycle: 's2' needs 's3'"),
        (replan(step("s2"), step("s2")), "leads to a plan that has two steps with the id 's2'"),
        (replan({"id": "s9"}), "leads to a plan that has a fault in steps[4]: it has no description"),
        (replan(step("s3", "s2")), "lets 's3' depend on 's2', which is cancelled"),
        (verdict(task_completed=True), "has 's2' to do, but task_completed is true; re-plan to leave a step"),
        (replan(step("s2", status="blocked"), task_completed=True), "has 's2' to do, but task_completed"),
        # The next step
        (verdict(next_step_id="s9"), "has 's9' as its next_step_id, and no such step"),
        (verdict(next_step_id="s1"), "has 's1' as its next_step_id, which is completed"),
        (verdict(next_step_id="s4"), "has 's4' as its next_step_id, which is cancelled"),
        (verdict(next_step_id="s3"), "has 's3' as its next_step_id, which waits for 's2'"),
        (replan(step("s2", status="blocked"), next_step_id="s2"), "as its next_step_id, which is blocked"),
    ],
)
def test_a_bad_verdict_gets_one_repair_request(answer: Any, problem: str) -> None:
    plan = a_plan(step("s1"), step("s2", "s1"), step("s3", "s2"), step("s4", status="cancelled"))
    before = copy.deepcopy(plan)
    model = Model(answer, verdict(next_step_id="s2"))
    after, _ = checkpoint_plan(plan, "s1", "4,812 records", "", ask=model)
    assert after["steps"] == [DONE, *before["steps"][1:]]
    assert problem in model.asked[1][2]["content"]

    refused = refusal(after_s1, plan, answer, answer)
    assert refused.code == "bad_plan"
    assert problem in str(refused)
    assert plan == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            (a_plan(), "s9", "done", ""),
            "bad_argument",
            "the plan has no step 's9'; it has ['s1', 's2', 's3']",
        ),
        ((a_plan(), {}, "done", ""), "bad_argument", "the plan has no step {}"),
        ((a_plan(DONE), "s1", "again", ""), "bad_argument", "the step 's1' is completed already"),
        ((a_plan(GONE), "s4", "done", ""), "bad_argument", "the step 's4' is cancelled already"),
        (
            (a_plan(), "s2", "done", ""),
            "bad_argument",
            "the step 's2' depends on 's1', which is not completed",
        ),
        (
            (a_plan(step("s1"), GONE, step("s2", "s4")), "s1", "done", ""),
            "bad_plan",
            "the plan lets 's2' depend on 's4', which is cancelled",
        ),
        ((a_plan(), "s1", " ", ""), "bad_argument", "result_summary is ' '"),
        ((a_plan(), "s1", {"rows": 2}, ""), "bad_argument", "result_summary is {'rows': 2}"),
        ((a_plan(), "s1", "a\udfff", ""), "bad_argument", "result_summary holds half a surrogate pair"),
        ((a_plan(), "s1", "done", None), "bad_argument", "agent_notes is None"),
        ((None, "s1", "done", ""), "bad_plan", "the plan is None, not an object"),
        ((a_plan(steps=[]), "s1", "done", ""), "bad_plan", "the plan has no steps"),
        ((a_plan(step("s1", "s1")), "s1", "done", ""), "bad_plan", "the plan has a cycle: 's1' needs 's1'"),
        ((a_plan(owner={1}), "s1", "done", ""), "bad_plan", "the plan has no JSON form"),
    ],
)
def test_what_cannot_be_completed_is_refused_before_the_model_is_asked(
    arguments: Any, code: str, words: str
) -> None:
    model = Model()
    before = copy.deepcopy(arguments)
    refused = refusal(checkpoint_plan, *arguments, ask=model)
    assert (refused.code, model.asked) == (code, [])
    assert words in str(refused)
    assert arguments == before


def test_a_long_chain_of_steps_is_no_trouble() -> None:
    chain = [step("0"), *(step(str(number), str(number - 1)) for number in range(1, 5000))]
    assert steps_fault(chain) == ""
    chain[0]["depends_on"] = ["4999"]
    assert steps_fault(chain).startswith("has a cycle: '")


# Any answer at all

STATUS = st.sampled_from(["pending", "in_progress", "blocked", "failed", "completed", "cancelled"])
IDS = st.sampled_from(["s1", "s2", "s3", "s4", "s5"])


@st.composite
def updates(draw: st.DrawFn) -> Plan:
    fields = draw(
        st.fixed_dictionaries({}, optional={"status": STATUS, "result_summary": st.just("made up")})
    )
    return step(draw(IDS), *draw(st.lists(IDS, max_size=1)), **fields)


@given(
    statuses=st.lists(STATUS, min_size=3, max_size=3),
    again=st.booleans(),
    done=st.booleans(),
    following=st.none() | IDS,
    updated=st.lists(updates(), max_size=4),
)
@settings(max_examples=100)
def test_no_answer_breaks_a_plan(
    statuses: list[str], again: bool, done: bool, following: str | None, updated: list[Plan]
) -> None:
    plan = a_plan(step("s1"), *(step(f"s{n}", status=status) for n, status in enumerate(statuses, 2)))
    before = copy.deepcopy(plan)
    answer = verdict(
        needs_replan=again,
        updated_steps=updated if again else [],
        task_completed=done,
        next_step_id=following,
    )
    code = ""
    try:
        after, _ = after_s1(plan, answer, answer)
    except Refusal as refused:
        code, after = refused.code, before
    assert code in ("", "bad_plan")
    assert plan == before
    assert steps_fault(after["steps"]) == ""
    kept = {one["id"]: one for one in after["steps"]}
    assert kept["s1"] == (step("s1") if code else DONE)
    for one in before["steps"][1:]:
        if one["status"] in ("completed", "cancelled"):
            assert kept[one["id"]] == one
        else:
            assert kept[one["id"]]["status"] != "completed"

import copy
from typing import Any

import pytest

from ctxlab.models import Brief, ModelError, ScriptedModel
from ctxlab.reference import run_loop

BRIEF = Brief("You work.")
QUESTION = {"role": "user", "content": "What is in a.txt?"}
CALL = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "a.txt"}}],
}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "42"}]}
ANSWER = {"role": "assistant", "content": [{"type": "text", "text": "It says 42."}]}


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel({(): CALL, ("a",): ANSWER}, "A summary.")


def test_the_newest_message_decides(model: ScriptedModel) -> None:
    assert model.ask([QUESTION], BRIEF) == CALL
    assert model.ask([QUESTION, CALL, RESULT], BRIEF) == ANSWER


def test_a_shorter_history_does_not_send_it_back(model: ScriptedModel) -> None:
    summarised = {"role": "user", "content": "What is in a.txt? Summary: nothing was read yet."}
    assert model.ask([summarised, CALL, RESULT], BRIEF) == ANSWER


def test_parallel_results_are_one_key() -> None:
    results = [{"type": "tool_result", "tool_use_id": one, "content": ""} for one in ("a", "b")]
    model = ScriptedModel({("a", "b"): ANSWER}, "")
    assert model.ask([{"role": "user", "content": results}], BRIEF) == ANSWER


def test_an_answer_can_be_made_from_the_history() -> None:
    def answer(messages: list[dict[str, Any]]) -> dict[str, Any]:
        said = messages[-1]["content"][0]["content"]
        messages.clear()
        return {"role": "assistant", "content": f"It says {said}."}

    history = [QUESTION, CALL, RESULT]
    assert ScriptedModel({("a",): answer}, "").ask(history, BRIEF)["content"] == "It says 42."
    assert history == [QUESTION, CALL, RESULT]


def test_no_answer_names_what_there_is(model: ScriptedModel) -> None:
    results = [{"type": "tool_result", "tool_use_id": "z", "content": ""}]
    with pytest.raises(ModelError) as caught:
        model.ask([{"role": "user", "content": results}], BRIEF)
    assert str(caught.value) == (
        "the script has no answer for a newest message with the results ('z',); it has (), ('a',)"
    )


def test_an_empty_history_counts_as_no_results(model: ScriptedModel) -> None:
    assert model.ask([], BRIEF) == CALL


def test_its_answers_share_nothing(model: ScriptedModel) -> None:
    model.ask([QUESTION], BRIEF)["content"][0]["input"]["path"] = "changed"
    assert model.ask([QUESTION], BRIEF)["content"][0]["input"]["path"] == "a.txt"


def test_the_summary_is_the_one_it_was_given(model: ScriptedModel) -> None:
    history = [QUESTION, CALL, RESULT]
    before = copy.deepcopy(history)
    assert model.summarize(history) == "A summary."
    assert history == before


def test_a_loop_runs_on_it(model: ScriptedModel) -> None:
    history = [copy.deepcopy(QUESTION)]
    ended = run_loop(lambda messages: model.ask(messages, BRIEF), {"read_file": lambda path: "42"}, history)
    assert ended == {"status": "answered", "text": "It says 42.", "requests": 2}

from typing import Any

from ctxlab.messages.grammar import answer_fault
from ctxlab.practice.script import (
    REPORT,
    SUMMARY,
    final_answer,
    parent_answers,
    scripted_models,
    sub_agent_answers,
)
from ctxlab.practice.sub_agent import MAX_REPORT_CHARS
from ctxlab.practice.tools import SPECS


def result(call_id: str, text: str) -> list[dict[str, Any]]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": False}
    return [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": []},
        {"role": "user", "content": [block]},
    ]


def test_every_answer_is_one_that_a_loop_accepts() -> None:
    for answers in (parent_answers(), sub_agent_answers()):
        for answer in answers.values():
            message = answer(result("compare_1", "the same")) if callable(answer) else answer
            assert answer_fault(message, 1) is None


def test_it_calls_only_tools_that_there_are() -> None:
    names = {spec.name for spec in SPECS}
    called = {
        block["name"]
        for answer in parent_answers().values()
        if not callable(answer)
        for block in answer["content"]
    }
    assert called == names


def test_the_final_answer_says_what_the_comparison_said() -> None:
    for text in ("the same: x", "not the same: y", "no basis to compare: z"):
        (block,) = final_answer(result("compare_1", text))["content"]
        assert block["text"].endswith(f"Result: {text}.")


def test_the_texts_fit_where_they_have_to() -> None:
    assert len(REPORT) <= MAX_REPORT_CHARS
    assert len(SUMMARY) < 250, "with the question and the newest log it must stay under 3200 bytes"


def test_one_model_answers_for_the_parent_and_for_the_summary() -> None:
    models = scripted_models()
    assert models.summarizer is models.parent
    assert models.summarizer.summarize([]) == SUMMARY

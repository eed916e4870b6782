"""What a gated player shows where no widget runs: the question and its options, and nothing of the run."""

from typing import Any

import pytest

from ctxlab.player.question_faces import MOST_OPTIONS, question_html, question_text
from ctxlab.player.widget import Player
from ctxlab.reference import prepare_context, split_history, trim_results
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

VIEW = "application/vnd.jupyter.widget-view+json"


def test_shows_the_question_and_its_options() -> None:
    run = trace(split_history, scenario="pending")
    (question,) = Player(run, predict="outcome").questions
    assert question_text(run, question) == (
        "split_history: a prediction comes first\n\n"
        "How will this run end?\n"
        "  returns\n  refuses: bad_argument\n  refuses: not_a_history\n  refuses: pending\n"
        "  refuses: mismatch\n"
        "  another way: an error, another refusal, or no end\n"
    )
    html = question_html(run, question)
    assert html.count("<li>") == len(question["options"]) == 6
    assert "<p>How will this run end?</p>" in html


def test_a_decision_is_shown_with_its_line_and_its_condition() -> None:
    run = trace(prepare_context, scenario="summary")
    player = Player(run, predict=True)
    assert question_text(run, player.questions[0]).splitlines()[2:] == [
        f"Line {player.questions[0]['line']}: Does the history fit the budget as it is? size <= budget",
        "  yes",
        "  no",
    ]


@pytest.mark.parametrize(
    ("function", "one", "other"),
    [
        (split_history, "normal", "pending"),
        (trim_results, "old", "mismatch"),
        (prepare_context, "fit", "summary"),
    ],
)
@pytest.mark.parametrize("ask", ["decisions", "outcome"])
def test_is_the_same_however_the_run_went(function: Any, one: str, other: str, ask: str) -> None:
    faces = []
    for scenario in (one, other):
        run = trace(function, scenario=scenario)
        player = Player(run, predict=ask)
        data, _ = player._repr_mimebundle_()
        del data[VIEW]
        assert data["text/plain"] != run.text()
        faces.append((data, repr(player)))
    assert faces[0] == faces[1]


def test_the_messages_are_listed_and_their_fates_are_not() -> None:
    run = trace(trim_results, scenario="trim")
    data, _ = Player(run, predict="messages")._repr_mimebundle_()
    for face in (data["text/plain"], data["text/html"]):
        assert "2 user result call_1, 1,303 bytes" in face
        assert "trimmed" not in face
        assert "scenario" not in face


def test_answers_change_no_face() -> None:
    player = Player(trace(split_history, scenario="pending"), predict="outcome")
    before, _ = player._repr_mimebundle_()
    answer = {"ask": "outcome", "step": 0, "reason": "x", "tries": 1, "right": True}
    player.predictions = [answer | {"answer": "refuses: pending"}]
    after, _ = player._repr_mimebundle_()
    assert {**before, VIEW: None} == {**after, VIEW: None}


def test_hostile_words_are_text(hostile_trace: Trace) -> None:
    (question,) = Player(hostile_trace, predict="messages").questions
    html = question_html(hostile_trace, question)
    assert "<img" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert html.isprintable()
    assert question_text(hostile_trace, question).replace("\n", "").isprintable()


def test_a_long_list_is_cut_with_a_count(large_trace: Trace) -> None:
    (question,) = Player(large_trace, predict="messages").questions
    assert len(question["options"]) == 5001
    assert question_text(large_trace, question).splitlines()[-1] == f"  … {5001 - MOST_OPTIONS} more"
    assert question_html(large_trace, question).count("<li>") == MOST_OPTIONS + 1

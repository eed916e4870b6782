"""Predict: a gated player on the run that the lesson names; predictions are kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxlab.exercises import predict
from ctxlab.exercises.activities.lesson import Prediction, lesson, lesson_names
from ctxlab.exercises.activities.prediction import recorded_run
from ctxlab.exercises.progress_file import read, record_answer
from ctxlab.player.widget import Player


def prediction(player: Player) -> dict[str, Any]:
    """A right prediction, as the page sends it."""
    asked = player.questions[0]
    return {
        "ask": asked["ask"],
        "step": asked["step"],
        "answer": asked["answer"],
        "reason": "It fits.",
        "tries": 1,
        "right": True,
    }


@pytest.mark.parametrize("number", lesson_names())
def test_asks_what_the_lesson_asks_and_tells_nothing_of_the_run(
    number: str, faces: Callable[..., Any]
) -> None:
    player = predict(number)
    assert player.predict == lesson(number).predict.ask
    assert player.heading["promise"] in ("", None)
    text, html = faces(player)
    ending = player.recorded.text().splitlines()[0]
    assert ending not in text + html
    assert player.questions[0]["question"] in text


def test_the_scenarios_own_settings_hold_where_the_lesson_says_nothing() -> None:
    """2,697 bytes would fit the default budget, and do not fit the scenario's own."""
    settings = {"max_chars": 500}
    asked = {"function": "prepare", "scenario": "recent_large", "ask": "outcome", "settings": settings}
    assert recorded_run(Prediction.model_validate(asked)).outcome.code == "recent_too_large"


def test_settings_of_the_lesson_replace_those_of_the_scenario() -> None:
    plain = Prediction(function="prepare", scenario="summary", ask="outcome")
    tight = Prediction.model_validate({**plain.model_dump(), "settings": {"max_summaries": 0}})
    assert recorded_run(plain).outcome.kind == "returned"
    assert recorded_run(tight).outcome.code == "summaries_spent"


@pytest.mark.parametrize("number", lesson_names())
def test_a_prediction_is_kept_and_comes_back(number: str) -> None:
    player = predict(number)
    given = [prediction(player)]
    player.set_state({"predictions": given})
    assert read()[0].lesson(number).answers["predict"] == {"predictions": given}
    assert predict(number).predictions == given


@pytest.mark.parametrize(
    "change",
    [
        {"ask": "decisions"},
        {"step": 5},
        {"answer": "refuses: nothing"},
        {"answer": None},
        {"reason": None},
        {"tries": "1"},
        {"right": 1},
        {"more": 1},
    ],
)
def test_a_prediction_that_does_not_fit_the_question_is_left_alone(change: dict[str, Any]) -> None:
    given = prediction(predict("01"))
    record_answer("01", "predict", {"predictions": [given | change]})
    assert predict("01").predictions == []


@pytest.mark.parametrize("kept", [{}, {"predictions": None}, {"predictions": [None]}, {"predictions": []}])
def test_nothing_kept_is_no_prediction(kept: dict[str, Any]) -> None:
    record_answer("01", "predict", kept)
    assert predict("01").predictions == []


def test_a_folder_that_cannot_be_used_stops_nothing(home: Path) -> None:
    home.write_text("")
    player = predict("01")
    player.set_state({"predictions": [prediction(player)]})
    assert len(player.predictions) == 1


def test_damage_is_told_when_the_lesson_opens(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    (home / "progress.json").write_text("{")
    predict("01")
    assert "It was set aside as progress.damaged-1.json" in capsys.readouterr().out

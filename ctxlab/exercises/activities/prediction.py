"""Predict: a run of the reference in a player that opens after the learner has committed to its end."""

from dataclasses import replace
from typing import Any

from ctxlab.exercises.activities.lesson import Prediction, lesson
from ctxlab.exercises.progress_file import read, record_answer
from ctxlab.player.runs import SUBJECTS
from ctxlab.player.widget import Player
from ctxlab.scenarios import load_history
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

KEPT = {"ask", "step", "answer", "reason", "tries", "right"}


def predict(number: str) -> Player:
    """Ask how the run of a lesson ("01") ends, or which messages it changes; then replay it.

    Predictions are kept, and are there again when the lesson is opened again. Raises CtxlabError for another
    number.
    """
    prediction = lesson(number).predict
    player = Player(recorded_run(prediction), predict=prediction.ask)
    progress, notice = read()
    kept: Any = progress.lesson(number).answers.get("predict", {}).get("predictions")
    if notice:
        print(notice)
    if _fits(kept, player.questions):
        player.predictions = kept

    def keep(change: Any) -> None:
        record_answer(number, "predict", {"predictions": change["new"]})

    player.observe(keep, names="predictions")
    return player


def recorded_run(prediction: Prediction) -> Trace:
    """Return the trace of the run to predict."""
    scenario = load_history(prediction.scenario)
    changed = prediction.settings.model_dump(exclude_unset=True) if prediction.settings else {}
    settings = scenario.settings.model_copy(update=changed)
    # The promise says how the run ends.
    scenario = replace(scenario, promise="", settings=settings)
    return trace(SUBJECTS[prediction.function].function, scenario=scenario)


def _fits(kept: Any, questions: list[dict[str, Any]]) -> bool:
    """Say whether kept predictions answer these questions. The lesson may have changed since."""
    return (
        isinstance(kept, list)
        and len(kept) == len(questions)
        and all(
            isinstance(given, dict)
            and given.keys() == KEPT
            and given["ask"] == asked["ask"]
            and given["step"] == asked["step"]
            and _is_answer(given["answer"], asked)
            and isinstance(given["reason"], str)
            and type(given["tries"]) is int
            and type(given["right"]) is bool
            for given, asked in zip(kept, questions, strict=True)
        )
    )


def _is_answer(answer: Any, asked: dict[str, Any]) -> bool:
    if asked["ask"] == "messages":
        positions = range(len(asked["options"]))
        return isinstance(answer, list) and all(type(at) is int and at in positions for at in answer)
    return answer in asked["options"]

"""Recall: two questions about what came before. Each option that is chosen says why it is right or wrong."""

from typing import Any

import traitlets

from ctxlab.exercises.activities.lesson import Question, lesson
from ctxlab.exercises.activities.widget import Activity, module


class Recall(Activity):
    """Questions with options. `chosen` holds, for each question, the options chosen so far, in order."""

    _esm = module("recall.js")
    activity = "recall"
    kept = ("chosen",)

    questions: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    chosen: "traitlets.List[list[int]]" = traitlets.List().tag(sync=True)

    def __init__(self, number: str, questions: list[Question]) -> None:
        super().__init__(
            number,
            questions=[question.model_dump() for question in questions],
            chosen=[[] for _ in questions],
        )

    def fits(self, answer: dict[str, Any]) -> bool:
        """Say whether a kept answer names options of these questions."""
        chosen = answer["chosen"]
        return (
            isinstance(chosen, list)
            and len(chosen) == len(self.questions)
            and all(
                isinstance(indices, list)
                and all(type(at) is int and 0 <= at < len(question["options"]) for at in indices)
                for indices, question in zip(chosen, self.questions, strict=True)
            )
        )

    def asked(self) -> list[tuple[str, list[str]]]:
        """Return the questions with their options."""
        return [
            (question["question"], [option["text"] for option in question["options"]])
            for question in self.questions
        ]


def recall(number: str) -> Recall:
    """Ask two questions about what comes before a lesson ("01"). Raises CtxlabError for another number."""
    return Recall(number, lesson(number).recall)

"""Explain: a sentence of one's own, and then a model answer beside it."""

from typing import Any

import traitlets

from ctxlab.exercises.activities.lesson import Explanation, lesson
from ctxlab.exercises.activities.widget import Activity, module


class Explain(Activity):
    """A question that is answered in a sentence. The model answer opens after it, never before."""

    _esm = module("explain.js")
    activity = "explain"
    kept = ("sentence", "opened")

    question = traitlets.Unicode().tag(sync=True)
    model_answer = traitlets.Unicode().tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True)
    opened = traitlets.Bool(False).tag(sync=True)

    def __init__(self, number: str, explanation: Explanation) -> None:
        super().__init__(number, question=explanation.question, model_answer=explanation.model_answer)

    def given(self) -> bool:
        """Say whether the model answer has been opened."""
        return self.opened

    def fits(self, answer: dict[str, Any]) -> bool:
        """Say whether a kept answer is a sentence that opened the model answer."""
        sentence = answer["sentence"]
        return isinstance(sentence, str) and bool(sentence.strip()) and answer["opened"] is True

    def asked(self) -> list[tuple[str, list[str]]]:
        """Return the question."""
        return [(self.question, [])]


def explain(number: str) -> Explain:
    """Ask for one sentence about a lesson ("01"). Raises CtxlabError for another number."""
    return Explain(number, lesson(number).explain)

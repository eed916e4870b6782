"""The fields of a lesson.yaml: what the lesson asks, and what it answers."""

import difflib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator
from pydantic_core import PydanticCustomError

from ctxlab.errors import CtxlabError
from ctxlab.exercises.exercise import FOLDER, one_paragraph
from ctxlab.exercises.fields import read_fields
from ctxlab.messages.wording import shown
from ctxlab.scenarios import scenario_names
from ctxlab.scenarios.fields import Part, Settings

ACTIVITIES = ("recall", "predict", "explain", "order")

# A text may be folded over several lines of its file, and is shown as one paragraph.
Text = Annotated[str, Field(pattern=r"\S", max_length=1000), AfterValidator(one_paragraph)]


class Option(Part):
    """One answer to a question. `says` is what a learner who chooses it is told."""

    text: Text
    right: bool
    says: Text


class Question(Part):
    """A question with options, one of them right."""

    question: Text
    options: list[Option] = Field(min_length=2)

    @field_validator("options")
    @classmethod
    def one_is_right(cls, options: list[Option]) -> list[Option]:
        """Refuse a question without a right option, or with several."""
        right = sum(option.right for option in options)
        if right != 1:
            raise PydanticCustomError(
                "one_right", "should have one option with right: true, not {right}", {"right": right}
            )
        return options


class Prediction(Part):
    """A run to predict: its end, or the messages that it changes. `settings` replace the scenario's own."""

    function: Literal["split", "trim", "prepare", "loop", "count", "pairs"]
    scenario: str
    settings: Settings | None = None
    ask: Literal["outcome", "messages"]

    @field_validator("scenario")
    @classmethod
    def exists(cls, scenario: str) -> str:
        """Refuse a scenario that there is not."""
        if scenario not in scenario_names():
            nearest = difflib.get_close_matches(scenario, scenario_names(), n=1)
            hint = f"did you mean {nearest[0]!r}?" if nearest else f"one of {', '.join(scenario_names())}"
            raise PydanticCustomError("no_scenario", "is no scenario; {hint}", {"hint": hint})
        return scenario


class Explanation(Part):
    """A question that a learner answers in a sentence of their own, and one good answer."""

    question: Text
    model_answer: Text


class Ordering(Part):
    """A function of the reference whose numbered steps a learner puts in order."""

    function: Literal[
        "split_history", "trim_results", "prepare_context", "run_loop", "count_request", "check_pairs"
    ]


class Lesson(Part):
    """What a lesson asks."""

    recall: list[Question] = Field(min_length=2, max_length=2)
    predict: Prediction
    explain: Explanation
    order: Ordering


def lesson_names() -> list[str]:
    """Return the numbers of the lessons that ask something, such as "01", in order."""
    return sorted(path.parent.name.removeprefix("lesson_") for path in FOLDER.glob("lesson_*/lesson.yaml"))


def checked_lesson(number: str) -> str:
    """Return the number of a lesson. Raises CtxlabError when there is none of that number."""
    names = lesson_names()
    if not isinstance(number, str) or number not in names:
        raise CtxlabError(f"there is no lesson {shown(number)}; there are {', '.join(map(repr, names))}")
    return number


def lesson(number: str) -> Lesson:
    """Return what a lesson asks. Raises CtxlabError for a number that there is not."""
    return read_lesson(FOLDER / f"lesson_{checked_lesson(number)}" / "lesson.yaml")


def read_lesson(path: Path) -> Lesson:
    """Return what a lesson.yaml asks. Raises CtxlabError, which names the file, the field and what to do."""
    return read_fields(path, Lesson)

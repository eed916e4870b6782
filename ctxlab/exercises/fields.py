"""The fields of an exercise.yaml, and how a YAML file of the data folder is read."""

import difflib
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from ctxlab.errors import ScenarioError
from ctxlab.exercises import stand_ins
from ctxlab.messages.text_files import read_text
from ctxlab.scenarios.fields import Part
from ctxlab.scenarios.files import located
from ctxlab.scenarios.yaml_source import read_yaml

MAX_FILE_BYTES = 100_000

Fields = TypeVar("Fields", bound=Part)
OneLine = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=60)]
# The limits keep a text short enough to read beside the cell that is being written.
Hint = Annotated[str, Field(pattern=r"\S", max_length=300)]


class Case(Part):
    """A scenario with other stand-ins than its own."""

    scenario: str = Field(description="A name, as in the scenarios of the exercise.")
    prepare: str | None = Field(default=None, description="What `prepare` does: one of PREPARES.")
    answer: list[stand_ins.Part] | None = Field(
        default=None, min_length=1, description="What stands in the answer of `ask`."
    )

    @field_validator("prepare")
    @classmethod
    def exists(cls, prepare: str | None) -> str | None:
        """Refuse a stand-in that there is not."""
        known = list(stand_ins.PREPARES)
        if prepare is not None and prepare not in known:
            nearest = difflib.get_close_matches(prepare, known, n=1)
            hint = f"did you mean {nearest[0]!r}?" if nearest else f"one of {', '.join(map(repr, known))}"
            raise PydanticCustomError("no_stand_in", "is no stand-in; {hint}", {"hint": hint})
        return prepare


class ExerciseFile(Part):
    """What an exercise asks for, apart from its Python files."""

    number: int = Field(ge=1, description="The place of the exercise in its lesson, from 1.")
    title: OneLine = Field(description="One line.")
    task: str = Field(pattern=r"\S", max_length=1000, description="What the function shall do.")
    scenarios: list[str] = Field(
        min_length=1, description="Names: scenarios of ctxlab, else files in the folder data/scenarios."
    )
    cases: list[Case] = Field(default=[], description="Scenarios that are tried with other stand-ins.")
    in_place: bool = Field(
        default=False,
        description="Whether the function changes `messages` itself; then what became of them is its result.",
    )
    hints: list[Hint] = Field(
        min_length=3, max_length=3, description="The idea; where in the code; nearly the line."
    )
    why: str = Field(
        pattern=r"\S", max_length=1000, description="Why the solution works, and what others do instead."
    )

    common: str = Field(
        default="",
        description="The wrong version that is shown after a pass: NAME of its file wrong_NAME.py.",
    )

    @model_validator(mode="after")
    def nothing_twice(self) -> "ExerciseFile":
        """Refuse a hint, a scenario or a case that stands here twice."""
        lists: dict[str, list[Any]] = {"hints": self.hints, "scenarios": self.scenarios, "cases": self.cases}
        for name, items in lists.items():
            if any(items.count(item) > 1 for item in items):
                raise PydanticCustomError("repeated", "{name} repeats an entry; keep one", {"name": name})
        return self


def read_fields(path: Path, model: type[Fields]) -> Fields:
    """Return the checked fields of a YAML file. Raises ScenarioError, which names file, field and remedy."""
    text = read_text(
        path,
        ScenarioError,
        kind=".yaml",
        most=MAX_FILE_BYTES,
        missing=lambda: "add it",
        too_large="write shorter texts",
    )
    source = read_yaml(text, str(path))
    try:
        return model.model_validate(source.data)
    except ValidationError as error:
        raise located(error, source) from error

"""The fields of an exercise.yaml, and how a YAML file of the data folder is read."""

from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from ctxlab.errors import ScenarioError
from ctxlab.messages.text_files import read_text
from ctxlab.scenarios.fields import Part
from ctxlab.scenarios.files import located
from ctxlab.scenarios.yaml_source import read_yaml

MAX_FILE_BYTES = 100_000

Fields = TypeVar("Fields", bound=Part)
OneLine = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=60)]
# The limits keep a text short enough to read beside the cell that is being written.
Hint = Annotated[str, Field(pattern=r"\S", max_length=300)]


class ExerciseFile(Part):
    """What an exercise asks for, apart from its Python files."""

    number: int = Field(ge=1, description="The place of the exercise in its lesson, from 1.")
    title: OneLine = Field(description="One line.")
    task: str = Field(pattern=r"\S", max_length=1000, description="What the function shall do.")
    scenarios: list[str] = Field(
        min_length=1, description="Names: scenarios of ctxlab, else files in the folder data/scenarios."
    )
    hints: list[Hint] = Field(
        min_length=3, max_length=3, description="The idea; where in the code; nearly the line."
    )
    why: str = Field(
        pattern=r"\S", max_length=1000, description="Why the solution works, and what others do instead."
    )

    @model_validator(mode="after")
    def nothing_twice(self) -> "ExerciseFile":
        """Refuse a hint or a scenario that stands here twice."""
        for name, items in (("hints", self.hints), ("scenarios", self.scenarios)):
            if len(set(items)) < len(items):
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

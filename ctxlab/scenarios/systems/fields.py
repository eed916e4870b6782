"""The fields of a scenario file of a system. Those under `given` are each system's own."""

from typing import Any

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from ctxlab.scenarios.fields import Fact, Part


class ExpectedEnd(Part):
    """How the call ends: with a value, with a refusal, or with an exception."""

    value: Any = Field(default=None, description="What comes out, as plain data.")
    refused: str | None = Field(default=None, description="The code of the refusal.")
    raised: str | None = Field(default=None, description="The name of the exception's class.")
    text: str = Field(default="", description="A part of what the refusal or the exception says.")
    lost: list[str] = Field(
        default=[], description="The texts of must_survive that the history which comes out does not say."
    )

    @model_validator(mode="after")
    def one_end(self) -> "ExpectedEnd":
        """Refuse an expectation of no end, or of two."""
        ends = {"value", "refused", "raised"} & self.model_fields_set
        if len(ends) != 1 or (self.text and "value" in ends):
            raise PydanticCustomError("expected_end", "needs one of value, refused and raised")
        return self


class SystemFile(Part):
    """A call of a function of the reference, and how it should end."""

    name: str = Field(min_length=1, description="The name of the scenario: the file's name without .yaml.")
    promise: str = Field(min_length=1, pattern=r"^[^\n]+$", description="One line: what the scenario shows.")
    system: str | None = Field(
        default=None, description="The system. Left out: the one that the folder is named after."
    )
    function: str = Field(description="The word for one of the system's functions.")
    given: dict[str, Any] = Field(
        default={},
        description="What the call gets. {repeat: STRING, times: NUMBER} stands for a text wherever one may.",
    )
    must_survive: list[Fact] = Field(
        default=[], description="What the history that comes out should still say."
    )
    expect: ExpectedEnd = Field(description="How the call ends.")

"""The fields of a scenario file. `scenarios/schema.json` is made from these models.

A text in a file is a string, or {repeat: STRING, times: NUMBER} where only its length matters. Validation is
strict: a number in quotes is no number, and a field that is not listed here is an error.
"""

import difflib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from ctxlab.reference.counting import MAX_OUTPUT, PER_MESSAGE, WINDOW

# All repeated texts of one file together. Without a limit, one line could ask for any amount of memory.
MAX_REPEATED_CHARS = 10_000_000

# Starts the mark of a union's branch in the location of a validation error. No field's name starts with it.
BRANCH = "<"


class Part(BaseModel):
    """A group of fields."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def only_known_fields(cls, data: Any) -> Any:
        """Name the nearest field that exists, which the error of pydantic does not."""
        for field in data if isinstance(data, dict) else ():
            if field not in cls.model_fields:
                hint = _hint(field, list(cls.model_fields))
                raise PydanticCustomError("unknown_field", "{hint}", {"field": field, "hint": hint})
        return data


class Repeat(Part):
    """A text made of one string, repeated."""

    repeat: str = Field(description="The string.")
    times: int = Field(ge=0, description="How often it stands in the text.")

    @model_validator(mode="after")
    def within_the_limit(self, info: ValidationInfo) -> "Repeat":
        """Count this text against the limit before it is built. `info.context` counts for the whole file."""
        count = info.context or {"repeated": 0}
        count["repeated"] += len(self.repeat) * self.times
        if count["repeated"] > MAX_REPEATED_CHARS:
            raise PydanticCustomError(
                "too_long",
                "brings the repeated texts of the file to {found} characters; at most {limit} are allowed",
                {"found": count["repeated"], "limit": MAX_REPEATED_CHARS},
            )
        return self


def _text_branch(value: Any) -> str | None:
    if isinstance(value, str):
        return "<text>"
    return "<repeat>" if isinstance(value, dict) else None


Text = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[Repeat, Tag("<repeat>")],
    Discriminator(
        _text_branch,
        custom_error_type="text",
        custom_error_message="should be text; write a string, or {repeat: STRING, times: NUMBER}",
    ),
]


class Call(Part):
    """One tool call and its result."""

    id: str = Field(
        default="", description="The id of the call. Left out: call_1, call_2, ... in the order of the file."
    )
    name: str = Field(default="read_file", min_length=1, description="The name of the tool.")
    input: dict[str, Any] = Field(default={"path": "notes.txt"}, description="The arguments of the call.")
    result: Text | None = Field(
        default=None, description="The text of the result. Left out: the call has no result yet."
    )
    is_error: bool = Field(default=False, description="Whether the result says that the tool failed.")


class Exchange(Part):
    """An assistant message with these calls, then a user message with their results, in the same order."""

    calls: list[Call] = Field(
        min_length=1, description="The calls. Without any result there is no user message."
    )


class PlainMessage(Part):
    """A message that stands in the history as it is written here."""

    role: str = Field(description="The role, such as user or assistant.")
    content: str | list[Any] = Field(description="A string, or a list of content blocks.")


def _message_branch(value: Any) -> str | None:
    if isinstance(value, dict):
        return "<message>" if "role" in value else "<exchange>"
    return None


Item = Annotated[
    Annotated[Exchange, Tag("<exchange>")] | Annotated[PlainMessage, Tag("<message>")],
    Discriminator(
        _message_branch,
        custom_error_type="item",
        custom_error_message="should be {calls: [...]}, or {role: ..., content: ...}",
    ),
]


class Change(Part):
    """What differs from the base. The changes to the history are made in the order listed here."""

    add_call: Call | None = Field(
        default=None, description="One more call and result at the end of the first exchange."
    )
    is_error: bool | None = Field(default=None, description="The error mark of the history's first result.")
    answer_id: str | None = Field(default=None, description="The id that the history's last result answers.")
    drop_last: int | None = Field(default=None, ge=1, description="How many messages are taken off the end.")
    summarize: Text | None = Field(default=None, description="What the stand-in summariser returns.")
    archive: Literal["fails"] | None = Field(
        default=None, description="fails: the stand-in archive raises OSError."
    )
    summarizer: Literal["fails"] | None = Field(
        default=None, description="fails: the stand-in summariser raises TimeoutError."
    )
    receipt: str | None = Field(
        default=None, description="What the stand-in archive returns, in place of a snapshot's name."
    )
    max_summaries: int | None = Field(default=None, ge=0, description="How many summaries may be attempted.")
    summaries: int | None = Field(
        default=None, ge=0, description="How many summaries were attempted before the run."
    )
    archives: list[str] | None = Field(
        default=None, description="The receipts of the snapshots that were written before the run."
    )


class Settings(Part):
    """The parameters of a run. A scenario with a base takes those it leaves out from its base."""

    budget: int = Field(
        default=3200, description="Size limit of prepare_context for the whole history, in bytes."
    )
    keep_recent: int = Field(default=1, description="How many of the newest exchanges are recent, 1 to 4.")
    max_chars: int = Field(
        default=600, description="Limit of trim_results for one old result text, in characters."
    )
    max_summaries: int = Field(default=2, ge=0, description="How many summaries may be attempted.")
    window: int = Field(
        default=WINDOW, description="Limit of count_request for request and answer together, in tokens."
    )
    max_output: int = Field(
        default=MAX_OUTPUT, description="Room that count_request leaves for the answer, in tokens."
    )
    per_message: int = Field(
        default=PER_MESSAGE, description="Tokens that count_request adds for the framing of each message."
    )


FactKind = Literal["rule", "permission", "id", "path", "figure", "other"]


class Fact(Part):
    """Something a history should still say after it was made smaller."""

    kind: FactKind = Field(description="What the fact is.")
    text: str = Field(min_length=1, description="An exact part of one text of the history.")


class Place(Part):
    """A content block of a history, both numbers counted from 0."""

    message: int = Field(ge=0, description="The index of the message.")
    block: int = Field(ge=0, description="The index of the block in the content of the message.")


class ExpectedSplit(Part):
    """How split_history ends: with two counts, or with a refusal."""

    older: int | None = Field(default=None, description="The number of older exchanges.")
    recent: int | None = Field(default=None, description="The number of recent exchanges.")
    refused: str | None = Field(default=None, description="The code of the refusal.")

    @model_validator(mode="after")
    def counts_or_refusal(self) -> "ExpectedSplit":
        """Refuse half an expectation."""
        given = [value is not None for value in (self.older, self.recent, self.refused)]
        if given not in ([True, True, False], [False, False, True]):
            raise PydanticCustomError("expected_split", "needs either older and recent, or refused")
        return self


class ExpectedTrim(Part):
    """How trim_results ends: with changed texts, or with a refusal."""

    changed: list[Place] | None = Field(
        default=None, description="Every block whose text changes; [] for none."
    )
    refused: str | None = Field(default=None, description="The code of the refusal.")

    @model_validator(mode="after")
    def changes_or_refusal(self) -> "ExpectedTrim":
        """Refuse half an expectation."""
        if (self.changed is None) == (self.refused is None):
            raise PydanticCustomError("expected_trim", "needs either changed or refused")
        return self


class ExpectedPrepare(Part):
    """How prepare_context ends at one budget, and what it left in the state."""

    budget: int = Field(description="The budget of the run, in bytes.")
    outcome: Literal["as_is", "trimmed", "summary", "refused", "error"] = Field(
        description="as_is: an equal copy; trimmed: what trim_results makes; summary: rebuilt around one; "
        "refused: a refusal; error: what a stand-in raised."
    )
    code: str | None = Field(default=None, description="The code of the refusal.")
    error: str | None = Field(default=None, description="The name of the exception's class.")
    messages: int | None = Field(default=None, description="The number of messages returned.")
    archives: int = Field(ge=0, description="How many snapshots the state names.")
    summaries: int = Field(ge=0, description="How many summary attempts the state counts.")

    @model_validator(mode="after")
    def named_failure(self) -> "ExpectedPrepare":
        """Refuse a failure without its name."""
        if (self.outcome == "refused") != (self.code is not None):
            raise PydanticCustomError(
                "expected_code", "needs a code with outcome refused, and with no other outcome"
            )
        if (self.outcome == "error") != (self.error is not None):
            raise PydanticCustomError(
                "expected_error", "needs an error with outcome error, and with no other outcome"
            )
        return self


class ExpectedLoop(Part):
    """How run_loop ends at one budget, asking the stand-in model, and what it left in the state."""

    budget: int = Field(description="The budget of the preparations, in bytes.")
    status: Literal["answered", "context_error", "model_error", "max_requests"] = Field(
        description="How the loop ended."
    )
    requests: int = Field(ge=0, description="How many requests were sent.")
    code: str | None = Field(
        default=None, description="The code of the refusal, or the class of the exception, that ended it."
    )
    archives: int = Field(ge=0, description="How many snapshots the state names.")
    summaries: int = Field(ge=0, description="How many summary attempts the state counts.")

    @model_validator(mode="after")
    def named_failure(self) -> "ExpectedLoop":
        """Refuse a failure without its name."""
        if (self.status in ("context_error", "model_error")) != (self.code is not None):
            raise PydanticCustomError(
                "expected_code",
                "needs a code with status context_error or model_error, and with no other status",
            )
        return self


class ExpectedCount(Part):
    """How count_request ends with the settings of the scenario and the tokens of cl100k_base."""

    total: int | None = Field(default=None, ge=0, description="The tokens of the whole request.")
    uncounted: list[Place] = Field(default=[], description="Every block that cannot be counted.")
    refused: str | None = Field(default=None, description="The code of the refusal.")

    @model_validator(mode="after")
    def total_or_refusal(self) -> "ExpectedCount":
        """Refuse half an expectation."""
        if (self.total is None) == (self.refused is None) or (self.refused and self.uncounted):
            raise PydanticCustomError("expected_count", "needs either total or refused")
        return self


class ExpectedFault(Place):
    """A fault in a pair of call and result, and its place."""

    code: str = Field(description="The code of the fault.")


class ExpectedPairs(Part):
    """What check_pairs says of the history."""

    status: Literal["sound", "open", "broken"] = Field(description="The word that it returns.")
    faults: list[ExpectedFault] = Field(default=[], description="Every fault, in the order of the places.")


class Expect(Part):
    """The outcomes that the tests compare with real runs. Each part may be left out."""

    split: ExpectedSplit | None = Field(
        default=None, description="split_history with the settings of the scenario."
    )
    trim: ExpectedTrim | None = Field(default=None, description="trim_results, given a receipt.")
    prepare: list[ExpectedPrepare] = Field(
        default=[], description="prepare_context, one entry for each budget tried."
    )
    loop: list[ExpectedLoop] = Field(default=[], description="run_loop, one entry for each budget tried.")
    count: ExpectedCount | None = Field(
        default=None, description="count_request with the settings of the scenario."
    )
    pairs: ExpectedPairs | None = Field(default=None, description="check_pairs.")


class ScenarioFile(Part):
    """A history, the settings to run it with, and what should come out.

    The history is the question as a user message, then `messages`; or the history of `base` with one
    `change`.
    """

    # What `messages_or_base` checks, for editors.
    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": ["messages", "question"]}, {"required": ["base"]}],
            "not": {"required": ["messages", "base"]},
            "dependentRequired": {"change": ["base"]},
        }
    )

    name: str = Field(min_length=1, description="The name of the scenario: the file's name without .yaml.")
    promise: str = Field(min_length=1, pattern=r"^[^\n]+$", description="One line: what the scenario shows.")
    question: Text | None = Field(default=None, description="Message 0, and the host's own question.")
    messages: list[Item] | None = Field(default=None, description="What follows the question.")
    system: Text | None = Field(
        default=None, description="The system text, which is sent beside the messages. Left out: none."
    )
    tool_definitions: list[dict[str, Any]] | None = Field(
        default=None, description="The definitions of the tools, sent beside the messages. Left out: none."
    )
    base: str | None = Field(
        default=None,
        description="The scenario to start from: one of ctxlab, or a file beside this one. What is left "
        "out here comes from there, except the expectations.",
    )
    change: Change | None = Field(default=None, description="What else differs from the base.")
    settings: Settings = Field(default=Settings(), description="The parameters of a run.")
    must_survive: list[Fact] | None = Field(
        default=None, description="What a smaller history should still say."
    )
    expect: Expect | None = Field(default=None, description="The outcomes, as data for tests.")

    @model_validator(mode="after")
    def messages_or_base(self) -> "ScenarioFile":
        """Refuse a file that says twice, or not at all, where its history comes from."""
        if (self.messages is None) == (self.base is None):
            raise PydanticCustomError("messages_or_base", "needs either messages or base, and not both")
        if self.messages is not None and self.question is None:
            raise PydanticCustomError("question", "needs a question: the history starts with it")
        if self.messages is not None and self.change is not None:
            problem = "needs a base for its change; without one, write the messages as they should be"
            raise PydanticCustomError("change", problem)
        return self


def _hint(field: str, known: list[str]) -> str:
    nearest = difflib.get_close_matches(field, known, n=1)
    return "is no field here; " + (
        f"did you mean {nearest[0]}?" if nearest else f"there are {', '.join(known)}"
    )

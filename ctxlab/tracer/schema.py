"""The JSON form of a trace: its fields, and the check that data read from outside has exactly this form.

`trace.schema.json`, beside this file, is made from these models (`make schema`). The form is columnar:
a step, a row of the heap or a row of the variables is one position in several lists of the same length.
Positions are counted from 0, lines from 1; a line is that of the file. A stop at step k shows the state that
all rows with a step of at most k make.
"""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, Strict, ValidationError

from ctxlab.errors import TraceError
from ctxlab.scenarios.fields import FactKind
from ctxlab.tracer.assemble import FORMAT
from ctxlab.tracer.references import misplaced

Text = Annotated[str, Strict()]
Int = Annotated[int, Strict()]
Index = Annotated[int, Strict(), Field(ge=0)]
Line = Annotated[int, Strict(), Field(ge=1)]
Bool = Annotated[bool, Strict()]
Bit = Annotated[int, Strict(), Field(ge=0, le=1)]

Reference = Annotated[
    int,
    Strict(),
    Field(
        ge=2,
        description="An even number 2 * n is container n of the heap, an odd one 2 * n + 1 is strings[n].",
    ),
]
Label = Annotated[
    str, Strict(), Field(description='What is not data, such as "<function archive>" or "<bytes>".')
]
Small = Annotated[tuple[Int], Field(description="A whole number.")]
Number = Annotated[
    tuple[Literal["#"], Text],
    Field(description='Any other number, as Python prints it: ["#", "1.5"], ["#", "nan"].'),
]
Preview = Annotated[
    tuple[Literal["~"], Text, Index],
    Field(description="A long string that only a variable holds: its first characters, and its length."),
]
Skipped = Annotated[
    tuple[()], Field(description="A part or an operand of a condition that was not evaluated.")
]
Cell = None | Bool | Reference | Label | Small | Number | Preview


def _begins_with(*first: dict[str, Any]) -> Any:
    """Return what a list begins with, as a part of its schema; `references` checks it."""
    return Field(min_length=len(first), json_schema_extra={"prefixItems": list(first)})


KIND = {"enum": ["d", "l", "t", "s"]}
Contents = Annotated[
    list[Cell],
    _begins_with({"anyOf": [KIND, {"type": "string", "pattern": "^o:"}]}),
    Field(
        description='All cells of a container: ["d", key, value, ...], ["l", ...], ["t", ...] or ["s", ...]; '
        'of an object its fields, behind the name of its class: ["o:Window", name, value, ...].'
    ),
]
Grown = Annotated[
    list[Cell | Index],
    _begins_with({"const": "+"}, {"type": "integer"}),
    Field(description='A list, dict or object that had n items got these at its end: ["+", n, cell...].'),
]
Replaced = Annotated[
    tuple[Literal["="], Index, Cell],
    Field(
        description='One cell of a list, dict or object was replaced: ["=", i, cell]; '
        "i is counted without the kind."
    ),
]
Exchanged = Annotated[
    list[Cell | Index],
    _begins_with({"const": "-"}, {"type": "integer", "minimum": 0}, {"type": "integer", "minimum": 0}),
    Field(
        description="Some items of a list gave way to others, or to none: "
        '["-", i, n, cell...]; from item i on, n items are replaced by these.'
    ),
]
Fresh = Annotated[
    int,
    Strict(),
    Field(
        ge=0,
        description="The container is a new message, equal to messages[n]. Those in it have the next "
        "numbers, depth first: each in the order of its cells, all that it holds before its next sibling.",
    ),
]


class Nested(RootModel[list[Any]]):
    """A message of the pool: like the contents of a container, but one inside it stands there itself."""

    root: Annotated[list["Cell | Nested"], _begins_with(KIND)]


class Part(BaseModel):
    """A group of fields. All of them are required, and there are no others."""

    model_config = ConfigDict(extra="forbid")


class Fact(Part):
    """Something that a smaller history should still say."""

    kind: FactKind
    text: Text = Field(description="An exact part of one text of the history.")


class Survival(Fact):
    """A fact that the input says, and what became of it."""

    kept: Bool = Field(description="Whether a text of the history at the end still holds it.")


class Scenario(Part):
    """The scenario that the run was made on."""

    name: Text
    promise: Text = Field(description="One line: what it shows.")
    must_survive: list[Fact]


class Source(Part):
    """The text of a traced function. The first source is the entry function's."""

    name: Text
    file: Text = Field(description="Relative to its package, or <cell>; never an absolute path.")
    first_line: Line = Field(description="The line of the file on which `text` begins.")
    text: Text
    labels: list[tuple[Line, Text]] = Field(
        description='Lines with a numbered comment above: [line, "2. Archive."].'
    )
    lines: dict[Annotated[str, Field(pattern=r"^[1-9][0-9]*$")], Text] = Field(
        description="For the line of a statement, the whole comment above it."
    )


class ConditionPart(Part):
    """A part of a condition that is evaluated on its own: a comparison, or an expression taken as truth."""

    source: Text
    pieces: list[Text | Index] = Field(
        description="What to print: text, and the number of an operand of this part."
    )
    compare: Bool = Field(description="Whether the part is a comparison.")


class Site(Part):
    """A condition in a source."""

    function: Index = Field(description="Its place in `sources`.")
    line: Line
    source: Text
    question: Text = Field(description='The comment above the condition, or "".')
    yes: Text = Field(description='The comment on the first line of what follows when it holds, or "".')
    no: Text = Field(description='The comment on the first line of what follows otherwise, or "".')
    parts: Annotated[list[ConditionPart], Field(min_length=1)]


class Steps(Part):
    """The run, step by step."""

    place: list[Index] = Field(description="For each step its place in `places`.")
    turns: list[tuple[Index, Index]] = Field(
        description="[step, frame]: from that step on, steps belong to that frame."
    )


class Variables(Part):
    """Changes of variables, as columns: from this step on, this variable of this frame has this value.

    The value "<unbound>" means that the name is gone. The names "return" and "raise" hold what a call
    returned or raised.
    """

    step: list[Index] = Field(description="Differences: each number minus the one before it.")
    frame: list[Int] = Field(description="Differences, as in `step`.")
    name: list[Index] = Field(description="Places in `strings`.")
    value: list[Cell]


class Heap(Part):
    """Changes of containers, as columns: from this step on, this container holds this."""

    step: list[Index] = Field(description="Differences: each number minus the one before it.")
    object: list[Int] = Field(description="Differences, as in `step`. Containers are numbered from 1.")
    cells: list[Fresh | Replaced | Contents | Grown | Exchanged]


class Decisions(Part):
    """The conditions that were evaluated: one entry for each step whose event is "decision", in order."""

    outcome: list[Bit]
    values: list[list[Cell | Skipped]] = Field(
        description="For each part of the site: its truth, then its operands."
    )


class Fate(Part):
    """What became of one message."""

    message: Index = Field(
        description="Its place in the pool: that of the message at the end, where there is one."
    )
    fate: Literal["kept", "trimmed", "summarised", "dropped", "added"]
    step: Index = Field(description="The step whose statement did it.")
    source: Index | None = Field(alias="from", description="Its index in the input.")
    target: Index | None = Field(
        alias="to",
        description="Its index in the history at the end; for summarised, that of the summary's message.",
    )


class Checks(Part):
    """What was checked of the run. A check that does not apply is null.

    The history at the end is the candidate that was returned, or the active history where the run worked in
    place.
    """

    input_unchanged: Bool | None = Field(description="Null where the run worked in place.")
    in_place: Index | None = Field(
        description="The first step whose statement changed the active history, where the run worked in "
        "place: it changed that history and returned, and no other one is in what it returned."
    )
    pairs_complete: Bool | None = Field(
        description="Whether each call of the history at the end has its result, and only those."
    )
    within_budget: Bool | None
    budget: Int | None = Field(description="In bytes.")
    first_broken_step: Index | None = Field(
        description="The step from which on the pairing stayed broken to the end."
    )
    facts: Annotated[list[Survival], Field(min_length=1)] | None = Field(
        description="The facts of `must_survive` that the input says. Null without a scenario, such a fact, "
        "or a history at the end."
    )


class Ending(Part):
    """How the run ended."""

    kind: Literal["returned", "refused", "error", "step_limit"]
    code: Text | None = Field(description="The code of a refusal.")
    type: Text | None = Field(description="The type of the exception.")
    message: Text | None
    value: Cell = Field(description="What was returned.")


Place = Annotated[
    tuple[
        Literal["call", "line", "decision", "return", "raise"],
        Index,
        Line,
        Annotated[int, Strict(), Field(ge=-1)],
    ],
    Field(
        description="[event, source, line, site]. For a decision its own site, otherwise the one in whose "
        "arm the line stands, or -1."
    ),
]
Frame = Annotated[
    tuple[Index, Index, Text],
    Field(description="[source, depth, name of the function]. Frame 0 is the entry call."),
]
Call = Annotated[
    tuple[Index, Line, Text, list[Cell], Cell],
    Field(description="[step, line, name, arguments, result] of a call of a function that is not traced."),
]
Splice = Annotated[
    tuple[Index, Bit, Index, Index, list[Index], Index, Index, Index],
    Field(
        description="[step, which, at, removed, messages, bytes, open, orphans]. From this step on, "
        "`removed` messages at `at` of a history are replaced by these of the pool. `which`: 0 the active "
        "history, 1 the candidate; both begin empty. The whole history has then so many bytes of compact "
        "JSON, so many calls without a result in the next message, and results without a call before."
    ),
]


class TraceForm(Part):
    """The record of one real run of a Python function."""

    format: Literal["ctxlab.trace/1"]
    function: Text = Field(description="The name of the entry function.")
    scenario: Scenario | None
    sources: Annotated[list[Source], Field(min_length=1)]
    strings: list[Text]
    messages: list[Nested] = Field(description="The pool: each distinct message once.")
    sites: list[Site]
    places: list[Place]
    steps: Steps
    frames: list[Frame]
    variables: Variables
    heap: Heap
    decisions: Decisions
    calls: list[Call]
    histories: list[Splice]
    commits: list[Index] = Field(
        description="The steps whose statement put the candidate in the place of the active history. From "
        "the next step on there is no candidate, until another one is made."
    )
    provenance: list[Fate] = Field(
        description="Empty when the run neither returned a candidate nor worked in place."
    )
    checks: Checks
    outcome: Ending
    notes: list[Text] = Field(description="What a reader must be told.")


MODELS = (
    TraceForm,
    Fact,
    Survival,
    Scenario,
    Source,
    ConditionPart,
    Site,
    Steps,
    Variables,
    Heap,
    Decisions,
    Fate,
    Checks,
    Ending,
)
FIELDS = {field.alias or name for model in MODELS for name, field in model.model_fields.items()}


def checked(data: Any) -> dict[str, Any]:
    """Return a copy of trace data after making sure that it can be read to its end.

    Raises TraceError: for another version of the form, for a field that is missing, unknown or of another
    type, and for a number that points to nothing. The text names the field.
    """
    try:
        copy = json.loads(json.dumps(data))
    except (TypeError, ValueError, RecursionError) as error:
        raise TraceError(f"this is no trace: it has no JSON form: {error}") from error
    found = copy.get("format") if isinstance(copy, dict) else None
    if found is None:
        raise TraceError(
            "this is no trace: it is no object with a field 'format'; give what Trace.to_json() returned"
        )
    if found != FORMAT:
        raise TraceError(
            f"this trace has the format {found!r}, but only {FORMAT!r} can be read; record the run again"
        )
    try:
        TraceForm.model_validate(copy)
    except ValidationError as error:
        place, problem = _fault(error, copy)
        raise _damaged(place, problem) from error
    fault = misplaced(copy)
    if fault:
        raise _damaged(*fault)
    return dict(copy)


def _damaged(place: str, problem: str) -> TraceError:
    return TraceError(f"the trace is damaged at {place}: {problem}; record the run again")


def _fault(error: ValidationError, data: Any) -> tuple[str, str]:
    """Return the deepest place that an error names, and what is wrong there."""
    faults = [
        (_path(fault["loc"], data), fault) for fault in error.errors(include_url=False, include_input=False)
    ]
    deepest = max(len(path) for path, _ in faults)
    found = [(path, fault) for path, fault in faults if len(path) == deepest]
    path, fault = found[0]
    alternatives = [other for place, other in found if place == path]
    problem = fault["msg"] if len(alternatives) == 1 else "it has none of the forms that may stand here"
    return _written(path), problem


def _path(location: tuple[str | int, ...], data: Any) -> list[str | int]:
    """Return a location without the names of a union's branches: keys and indices of the data, or a field."""
    path: list[str | int] = []
    for key in location:
        if isinstance(data, dict) and (key in data or key in FIELDS):
            path.append(key)
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            path.append(key)
            data = data[key]
    return path


def _written(path: list[str | int]) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")

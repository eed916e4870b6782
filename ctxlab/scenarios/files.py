"""Read one scenario file: its bytes, its YAML, its fields."""

import difflib
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ctxlab.errors import ScenarioError
from ctxlab.messages.text_files import read_text
from ctxlab.scenarios.fields import BRANCH, ScenarioFile
from ctxlab.scenarios.yaml_source import Path as Place
from ctxlab.scenarios.yaml_source import YamlSource, read_yaml, shown

MAX_FILE_BYTES = 1_000_000

# The text of an error, by its type in pydantic. Other types keep the text of pydantic or of a validator.
PROBLEMS = {
    "missing": "is missing; add it",
    "int_type": "should be a whole number, without quotes, not {}",
    "bool_type": "should be true or false, without quotes, not {}",
    "string_type": "should be text, in quotes if need be, not {}",
    "string_too_short": "should not be empty",
    "string_pattern_mismatch": "should be one line",
    "list_type": "should be a list, each item after a dash, not {}",
    "too_short": "should not be empty",
    "dict_type": "should be fields, each as NAME: VALUE, not {}",
    "model_type": "should be fields, each as NAME: VALUE, not {}",
}


@dataclass(frozen=True)
class ReadFile:
    """A file that was read: its path, its fields, and the source that knows where each of them stands."""

    path: Path
    fields: ScenarioFile
    source: YamlSource


def checked_file(path: Path, source: YamlSource) -> ReadFile:
    """Return the checked fields of a file. Raises ScenarioError, which names file, field and remedy."""
    try:
        fields = ScenarioFile.model_validate(source.data, context={"repeated": 0})
    except ValidationError as error:
        raise located(error, source) from error
    check_name(fields.name, path, source)
    return ReadFile(path, fields, source)


def read_source(path: Path) -> YamlSource:
    """Return what the file holds. Raises ScenarioError."""
    text = read_text(
        path,
        ScenarioError,
        kind=".yaml",
        most=MAX_FILE_BYTES,
        missing=lambda: _nearest_beside(path),
        too_large="write long texts as {repeat: STRING, times: NUMBER}",
    )
    return read_yaml(text, str(path))


def check_name(name: str, path: Path, source: YamlSource) -> None:
    """Raise ScenarioError for a scenario with another name than its file."""
    if name != path.stem:
        problem = f"is {shown(name)}, but the file is {path.name}; give both the same name"
        raise source.error(("name",), problem)


def _nearest_beside(path: Path) -> str:
    others = sorted(other.name for other in path.parent.glob("*.yaml"))
    nearest = difflib.get_close_matches(path.name, others, n=1)
    return f"did you mean {nearest[0]}?" if nearest else "check the path"


def located(error: ValidationError, source: YamlSource, inside: Place = ()) -> ScenarioError:
    """Return pydantic's first error with its place and a remedy, and say how many more there are.

    `inside` is the place of what was validated, where that is not the whole file.
    """
    details = error.errors(include_url=False)
    first = details[0]
    path = (*inside, *(part for part in first["loc"] if not str(part).startswith(BRANCH)))
    if first["type"] == "unknown_field":
        path = (*path, first["ctx"]["field"])
    if first["type"] in PROBLEMS:
        problem = PROBLEMS[first["type"]].format(shown(first["input"]))
    else:
        problem = first["msg"].removeprefix("Input ")
    others = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return source.error(path, problem + others)

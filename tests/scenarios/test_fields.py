"""scenarios/schema.json is current, says something about every field, and agrees with the loader."""

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from ctxlab.scenarios import scenario_names


@pytest.fixture(scope="module")
def schema(root: Path) -> dict[str, Any]:
    return json.loads((root / "scenarios" / "schema.json").read_text(encoding="utf-8"))


def test_the_schema_file_is_what_the_models_give(root: Path) -> None:
    tool = runpy.run_path(str(root / "tools" / "schema.py"))

    assert (root / "scenarios" / "schema.json").read_text(encoding="utf-8") == tool["schema_text"]()


def test_the_schema_is_a_json_schema(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


def fields(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, group in [("ScenarioFile", schema), *schema["$defs"].items()]:
        for field, description in group["properties"].items():
            yield f"{name}.{field}", description


def test_every_field_is_described(schema: dict[str, Any]) -> None:
    described = dict(fields(schema))

    assert {"Settings.budget", "Fact.kind", "ScenarioFile.base", "Change.drop_last", "Call.result"} < set(
        described
    )
    assert [name for name, field in described.items() if not field.get("description", "").endswith(".")] == []


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_fits_the_schema_and_names_it(root: Path, schema: dict[str, Any], name: str) -> None:
    text = (root / "scenarios" / f"{name}.yaml").read_text(encoding="utf-8")

    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(text))
    assert text.startswith("# yaml-language-server: $schema=schema.json\n")


@pytest.mark.parametrize(
    "change",
    [
        {"settngs": {}},
        {"settings": {"budget": "1600"}},
        {"base": "normal"},
        {"change": {"drop_last": 1}},
        {"question": 7},
        {"promise": "two\nlines"},
        {"messages": [{"calls": []}]},
        {"messages": [{"calls": [{"result": 42}]}]},
        {"messages": ["hello"]},
    ],
)
def test_the_schema_rejects_what_the_loader_rejects(schema: dict[str, Any], change: dict[str, Any]) -> None:
    good = {
        "name": "mine",
        "promise": "P.",
        "question": "What now?",
        "messages": [{"calls": [{"result": "a"}]}],
    }
    validator = jsonschema.Draft202012Validator(schema)

    assert validator.is_valid(good)
    assert not validator.is_valid({**good, **change})

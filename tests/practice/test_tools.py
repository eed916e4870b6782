"""What the tools tell a provider about themselves. What they do is tested in whole runs."""

import inspect
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest

from ctxlab.models import ToolSpec
from ctxlab.practice.facts import Facts
from ctxlab.practice.permission import Permissions
from ctxlab.practice.sub_agent import SubAgent
from ctxlab.practice.tools import READ_FILE, SPECS, Tools


@pytest.fixture
def by_name(tmp_path: Path) -> dict[str, Any]:
    facts = Facts(Permissions(lambda _: False))
    return Tools(tmp_path, [], facts, cast("SubAgent", None), lambda: None, 1.0).by_name()


def test_each_tool_is_described_and_nothing_else(by_name: dict[str, Any]) -> None:
    assert [spec.name for spec in SPECS] == list(by_name)
    assert READ_FILE in SPECS


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_schema_asks_for_the_parameters_of_the_function(spec: ToolSpec, by_name: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(spec.input_schema)
    parameters = list(inspect.signature(by_name[spec.name]).parameters)
    assert list(spec.input_schema["properties"]) == spec.input_schema["required"] == parameters
    assert spec.input_schema["additionalProperties"] is False
    assert spec.description.endswith(".")

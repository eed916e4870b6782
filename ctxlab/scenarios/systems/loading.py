"""Read the scenario file of a system."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ctxlab.scenarios.fields import Repeat
from ctxlab.scenarios.files import check_name, located
from ctxlab.scenarios.history import written_out
from ctxlab.scenarios.systems import NAMES, SystemScenario, system
from ctxlab.scenarios.systems.fields import SystemFile
from ctxlab.scenarios.yaml_source import Path as Place
from ctxlab.scenarios.yaml_source import YamlSource, shown

REPEAT = {"repeat", "times"}


def is_system_file(source: YamlSource) -> bool:
    """Say whether a file describes a call of a system: it names a function."""
    return isinstance(source.data, dict) and "function" in source.data


def system_scenario(path: Path, source: YamlSource) -> SystemScenario:
    """Return the scenario of a system in a file. Raises ScenarioError, which names file, field and remedy."""
    try:
        file = SystemFile.model_validate(source.data)
    except ValidationError as error:
        raise located(error, source) from error
    check_name(file.name, path, source)
    name = file.system or path.resolve().parent.name
    if name not in NAMES:
        raise source.error(("system",), f"{shown(name)} is no system; one of {', '.join(NAMES)}")
    found = system(name)
    if file.function not in found.functions:
        problem = f"{shown(file.function)} is none of {name}; one of {', '.join(found.functions)}"
        raise source.error(("function",), problem)
    given = _written_out(file.given, ("given",), source, {"repeated": 0})
    try:
        fields = found.given.model_validate(given)
    except ValidationError as error:
        raise located(error, source, ("given",)) from error
    return SystemScenario(
        name=file.name,
        promise=file.promise,
        system=found,
        function=found.functions[file.function],
        given=fields,
        must_survive=tuple(file.must_survive),
        expect=file.expect,
    )


def _written_out(value: Any, place: Place, source: YamlSource, count: dict[str, int]) -> Any:
    """Return a value with the texts that its {repeat, times} stand for, within the limit for a file."""
    if isinstance(value, list):
        return [_written_out(item, (*place, at), source, count) for at, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if set(value) == REPEAT:
        try:
            return written_out(Repeat.model_validate(value, context=count))
        except ValidationError as error:
            raise located(error, source, place) from error
    return {key: _written_out(item, (*place, key), source, count) for key, item in value.items()}

"""Read the scenario file of a system."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ctxlab.messages.texts import texts
from ctxlab.scenarios.fields import Repeat
from ctxlab.scenarios.files import check_name, located
from ctxlab.scenarios.history import written_out
from ctxlab.scenarios.systems import NAMES, SystemScenario, system
from ctxlab.scenarios.systems.fields import SystemFile
from ctxlab.scenarios.yaml_source import Path as Place
from ctxlab.scenarios.yaml_source import YamlSource, shown


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
        problem = f"is {shown(name)}" if file.system else "is missing, and the folder is named after none"
        raise source.error(("system",), f"{problem}; give one of {', '.join(NAMES)}")
    found = system(name)
    if file.function not in found.functions:
        problem = f"is {shown(file.function)}; {name} has {', '.join(found.functions)}"
        raise source.error(("function",), problem)
    given = _written_out(file.given, ("given",), source, {"repeated": 0})
    try:
        fields = found.given.model_validate(given)
    except ValidationError as error:
        raise located(error, source, ("given",)) from error
    _check_facts(file, given, source)
    return SystemScenario(
        name=file.name,
        promise=file.promise,
        system=found,
        function=found.functions[file.function],
        given=fields,
        must_survive=tuple(file.must_survive),
        expect=file.expect,
    )


def _check_facts(file: SystemFile, given: Any, source: YamlSource) -> None:
    """Refuse a fact that nothing of what is given says."""
    said = list(texts(given))
    for number, fact in enumerate(file.must_survive):
        if not any(fact.text in text for text in said):
            problem = f"no text of what is given holds {shown(fact.text)}; correct or remove the fact"
            raise source.error(("must_survive", number, "text"), problem)


def _written_out(value: Any, place: Place, source: YamlSource, count: dict[str, int]) -> Any:
    """Return a value with the texts that its {repeat, times} stand for, within the limit for a file."""
    if isinstance(value, list):
        return [_written_out(item, (*place, at), source, count) for at, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if "repeat" in value:
        try:
            return written_out(Repeat.model_validate(value, context=count))
        except ValidationError as error:
            raise located(error, source, place) from error
    return {key: _written_out(item, (*place, key), source, count) for key, item in value.items()}

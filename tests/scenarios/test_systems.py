"""The scenarios of systems: every one ends as it says, and a file that cannot be used is told its place."""

import json
import re
import runpy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from ctxlab.errors import Refusal, ScenarioError
from ctxlab.scenarios import Scenario, SystemScenario, load_history, load_scenario, scenario_names
from ctxlab.scenarios.systems import NAMES, system
from ctxlab.scenarios.systems.stand_ins import StandIn, answering, fresh_directory

SCENARIOS = [(name, scenario) for name in NAMES for scenario in scenario_names(name)]


def loaded(name: str) -> SystemScenario:
    scenario = load_scenario(name)
    assert isinstance(scenario, SystemScenario)
    return scenario


def end_of(scenario: SystemScenario) -> dict[str, Any]:
    """How a run of the scenario ends, in the words of `expect`."""
    arguments = scenario.arguments()
    taken = scenario.function.__code__.co_varnames
    names = taken[: scenario.function.__code__.co_argcount + scenario.function.__code__.co_kwonlyargcount]
    given = {name: value for name, value in arguments.items() if name in names}
    try:
        returned = scenario.function(**given)
    except Refusal as refusal:
        return {"refused": refusal.code, "said": str(refusal)}
    except Exception as error:
        return {"raised": type(error).__name__, "said": str(error)}
    after = returned[0] if isinstance(returned, tuple) else returned
    if "session" in given:  # its history changes in place
        after = given["session"].messages
    lost = []
    if scenario.must_survive and isinstance(after, list):
        kept = scenario.surviving(after)
        lost = [fact.text for fact in scenario.must_survive if fact not in kept]
    return {"value": scenario.system.outcome(returned, arguments), "lost": lost}


@pytest.mark.parametrize(("of", "name"), SCENARIOS)
def test_each_scenario_ends_as_it_says(of: str, name: str) -> None:
    scenario = loaded(name)
    assert scenario.system.name == of
    assert scenario.promise.endswith(".")
    assert scenario.surviving(scenario.messages) == list(scenario.must_survive) or not scenario.messages

    end, expect = end_of(scenario), scenario.expect
    said = end.pop("said", "")
    lost = {"lost": expect.lost} if "value" in expect.model_fields_set else {}
    assert end == expect.model_dump(include=expect.model_fields_set - {"text", "lost"}) | lost
    assert expect.text in said


def test_every_system_has_at_least_five_scenarios_and_every_function_one() -> None:
    for name in NAMES:
        scenarios = [loaded(each) for each in scenario_names(name)]
        assert len(scenarios) >= 5, name
        assert {each.function for each in scenarios} == set(system(name).functions.values()), name


def test_no_name_stands_for_two_scenarios() -> None:
    names = [*scenario_names(), *(name for _, name in SCENARIOS)]
    assert len(set(names)) == len(names)


def test_the_arguments_are_new_each_time() -> None:
    scenario = loaded("parallel_results")
    scenario.arguments()["messages"].clear()
    scenario.messages.clear()

    assert scenario.arguments()["messages"] == scenario.messages != []


@pytest.fixture(scope="module")
def schema(root: Path) -> dict[str, Any]:
    return json.loads((root / "scenarios" / "system_schema.json").read_text(encoding="utf-8"))


def test_the_schema_file_is_what_the_models_give(root: Path) -> None:
    tool = runpy.run_path(str(root / "tools" / "schema.py"))

    text = (root / "scenarios" / "system_schema.json").read_text(encoding="utf-8")
    assert text == tool["system_schema_text"]()


@pytest.mark.parametrize(("of", "name"), SCENARIOS)
def test_each_scenario_fits_the_schema_and_names_it(
    root: Path, schema: dict[str, Any], of: str, name: str
) -> None:
    text = (root / "scenarios" / of / f"{name}.yaml").read_text(encoding="utf-8")

    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(text))
    assert text.startswith("# yaml-language-server: $schema=../system_schema.json\n")


@pytest.mark.parametrize(
    "change",
    [{"given": {"limit": 60}}, {"given": {"limit_chars": "60"}}, {"function": "cut"}, {"expect": {"a": 1}}],
)
def test_the_schema_rejects_what_the_loader_rejects(schema: dict[str, Any], change: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    good = yaml.safe_load(FILE)

    assert validator.is_valid(good)
    assert not validator.is_valid({**good, **change})


FILE = """\
name: mine
promise: Mine.
system: shrinking
function: trim
given: {text: {repeat: abc, times: 100}, limit_chars: 60}
expect: {refused: bad_argument}
"""


def written(folder: Path, change: tuple[str, str] = ("", "")) -> Path:
    path = folder / "mine.yaml"
    assert change[0] in FILE
    path.write_text(FILE.replace(*change), encoding="utf-8")
    return path


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    scenario = load_scenario(written(tmp_path))

    assert isinstance(scenario, SystemScenario)
    assert scenario.arguments()["text"] == "abc" * 100
    assert len(end_of(scenario)["value"]) <= 60


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            ("system: shrinking\n", ""),
            "system: is missing, and the folder is named after none; give one of win",
        ),
        (("system: shrinking", "system: shrink"), "system: is 'shrink'; give one of window, packing"),
        (("function: trim", "function: cut"), "function: is 'cut'; shrinking has trim, compress"),
        (("function: trim", "function: 3"), "function: should be text"),
        (("limit_chars", "limit"), "given.limit: is no field here; did you mean limit_chars"),
        (("limit_chars: 60", "limit_chars: '60'"), "given.limit_chars: should be"),
        (("times: 100", "times: -1"), "given.text"),
        (("times: 100", "time: 100"), "given.text.time: is no field here; did you mean times"),
        (
            ("limit_chars: 60", "task_context: {repeat: ab, times: 4999900}"),
            "given.task_context: .*10000100 char",
        ),
        (("times: 100", "times: 9999999"), "given.text: .*at most 10000000 are allowed"),
        (("expect: {refused: bad_argument}\n", ""), "expect: is missing"),
        (("{refused: bad_argument}", "{refused: a, raised: b}"), "expect: needs one of"),
        (("{refused: bad_argument}", "{text: a}"), "expect: needs one of"),
        (
            ("expect:", "must_survive: [{kind: id, text: abd}]\nexpect:"),
            "must_survive.0..text: no text of what is",
        ),
        (("limit_chars: 60", "summarize: {raises: print}"), "given.summarize: should raise an exception"),
        (("name: mine", "name: yours"), "name: is 'yours', but the file is mine.yaml"),
        (("promise: Mine.", "promised: Mine."), "promised: is no field here; did you mean promise"),
    ],
)
def test_a_mistake_in_a_file_is_named(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    with pytest.raises(ScenarioError, match=problem) as refused:
        load_scenario(written(tmp_path, change))
    assert re.search(r"mine\.yaml, line \d, column \d+: ", str(refused.value))
    assert "\n" not in str(refused.value)


def test_what_no_object_can_be_made_of_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    text = FILE[: FILE.index("system")] + (
        "system: packing\nfunction: pack\ngiven: {messages: [], max_tokens: 0}\nexpect: {value: 1}\n"
    )
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match="mine: given cannot be used: max_tokens is 0"):
        load_scenario(path).arguments()


def test_a_call_of_a_system_is_no_history(tmp_path: Path) -> None:
    assert isinstance(load_history("normal"), Scenario)
    with pytest.raises(ScenarioError, match="'mine' is a call of a system, not a history"):
        load_history(written(tmp_path))
    (tmp_path / "yours.yaml").write_text("name: yours\npromise: P.\nbase: mine\n", encoding="utf-8")
    with pytest.raises(
        ScenarioError, match=r"yours\.yaml, line 3, column 1: base: 'mine' is a call of a system"
    ):
        load_scenario(tmp_path / "yours.yaml")


def test_unknown_names() -> None:
    with pytest.raises(ScenarioError, match="there is no system 'windows'; there are window, packing"):
        scenario_names("windows")
    with pytest.raises(ScenarioError, match="did you mean 'parallel_results'"):
        load_scenario("parallel_result")


def test_a_stand_in_answers_in_turn_or_raises() -> None:
    answer = answering(StandIn(answers=["a", ["b"]]))
    assert [answer(None) for _ in range(3)] == ["a", ["b"], ["b"]]
    with pytest.raises(TimeoutError):
        answering(StandIn(raises="TimeoutError"))(None)


def test_fresh_directories_are_new_and_empty() -> None:
    first, second = fresh_directory(), fresh_directory()

    assert first != second
    assert list(first.iterdir()) == list(second.iterdir()) == []

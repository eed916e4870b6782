from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from ctxlab.scenarios import Scenario, load_scenario
from ctxlab.scenarios.stand_ins import MemoryArchive


@pytest.fixture
def scenario() -> Scenario:
    return load_scenario("summary")


def spoil(value: Any) -> None:
    """Change everything that can be changed inside `value`."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.clear()


def test_changing_the_messages_does_not_change_the_scenario(scenario: Scenario) -> None:
    before = repr(scenario.messages)
    spoil(scenario.messages)

    assert repr(scenario.messages) == before
    assert before.count("tool_result") == 5


def test_calls_without_an_input_share_none(scenario: Scenario) -> None:
    messages = scenario.messages
    messages[1]["content"][0]["input"]["path"] = "changed"

    assert messages[3]["content"][0]["input"] == {"path": "notes.txt"}
    assert load_scenario("normal").messages[1]["content"][0]["input"] == {"path": "notes.txt"}


def test_each_run_gets_a_new_state_and_a_new_archive(scenario: Scenario) -> None:
    state, archive = scenario.state(), scenario.archive
    state["archives"].append(archive(scenario.messages))
    state["summaries"] += 1

    assert scenario.state() == {"archives": [], "summaries": 0, "max_summaries": 2}
    assert scenario.archive(scenario.messages) == "context-000000000001.jsonl"


def test_a_run_does_not_reach_the_receipts_of_earlier_ones(scenario: Scenario) -> None:
    later = replace(scenario, archives=("earlier",), summaries=1)
    later.state()["archives"].append("mine")

    assert later.state() == {"archives": ["earlier"], "summaries": 1, "max_summaries": 2}


def test_the_arguments_are_those_of_every_reference_function(scenario: Scenario) -> None:
    arguments = scenario.arguments()
    archive = arguments.pop("archive")
    summarize = arguments.pop("summarize")
    ask, tools, prepare = (arguments.pop(name) for name in ("ask", "tools", "prepare"))
    count = arguments.pop("count")

    assert arguments == {
        "messages": scenario.messages,
        "question": scenario.question,
        "state": scenario.state(),
        "receipt": "context-000000000001.jsonl",
        "budget": 1600,
        "keep_recent": 1,
        "max_chars": 600,
        "system": "",
        "tool_definitions": [],
        "window": 2000,
        "max_output": 500,
        "per_message": 4,
    }
    assert count("How many tokens?") == 4
    assert archive([]) == arguments["receipt"]
    assert summarize([]) == scenario.summary
    assert ask(scenario.messages)["content"][0]["name"] in tools
    assert len(prepare(scenario.messages)) == 3
    spoil(arguments)
    tools.clear()
    assert len(scenario.arguments()["messages"]) == 11
    assert list(scenario.arguments()["tools"]) == ["read_file"]
    tooled = load_scenario("many_tools")
    tooled.arguments()["tool_definitions"][0].clear()
    assert tooled.arguments()["tool_definitions"][0]["name"] == "read_file"


@pytest.mark.parametrize(("budget", "keep_recent", "length"), [(1600, 1, 3), (1600, 2, 5), (5000, 1, 11)])
def test_prepare_has_the_settings_and_records_in_the_state_beside_it(
    scenario: Scenario, budget: int, keep_recent: int, length: int
) -> None:
    settings = scenario.settings.model_copy(update={"budget": budget, "keep_recent": keep_recent})
    arguments = replace(scenario, settings=settings).arguments()
    candidate = arguments["prepare"](scenario.messages)
    state = arguments["state"]

    assert len(candidate) == length
    happened = int(length < 11)
    assert (len(state["archives"]), state["summaries"]) == (happened, happened)
    assert list(arguments["archive"].snapshots) == state["archives"]


def test_another_archive_takes_the_place_of_the_stand_in(scenario: Scenario) -> None:
    mine = MemoryArchive()
    arguments = scenario.arguments(archive=mine)
    arguments["prepare"](scenario.messages)

    assert arguments["archive"] is mine
    assert list(mine.snapshots.values()) == [scenario.messages]


def test_prepare_fails_as_the_archive_does() -> None:
    arguments = load_scenario("archive_error").arguments()
    with pytest.raises(OSError, match="the disk is full"):
        arguments["prepare"](arguments["messages"])


def test_a_fact_survives_when_one_text_holds_it(scenario: Scenario) -> None:
    texts = [fact.text for fact in scenario.must_survive]

    assert texts == ["Ask before you delete anything", "请勿删日志", "notes.txt", "call_1"]
    assert scenario.surviving([]) == []
    # Halves of a fact in two texts are not the fact.
    halves = [{"role": "user", "content": "notes."}, {"role": "user", "content": "txt"}]
    assert scenario.surviving(halves) == []
    kept = scenario.surviving([{"role": "user", "content": [{"type": "text", "text": "see notes.txt"}]}])
    assert [(fact.kind, fact.text) for fact in kept] == [("path", "notes.txt")]


def test_a_scenario_cannot_be_changed(scenario: Scenario) -> None:
    with pytest.raises(AttributeError):
        scenario.name = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        scenario.settings.budget = 1  # type: ignore[misc]


def test_the_repr_is_short(scenario: Scenario) -> None:
    assert repr(scenario).startswith("Scenario(name='summary', promise='No single text is long,")
    assert len(repr(scenario)) < 1000

"""The whole table of outcomes: every scenario's `expect` against real runs of the reference functions."""

import inspect
from dataclasses import replace
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.reference import (
    check_pairs,
    count_request,
    history_bytes,
    prepare_context,
    run_loop,
    split_history,
    trim_results,
)
from ctxlab.scenarios import Scenario, load_scenario, scenario_names
from ctxlab.scenarios.fields import ExpectedLoop, ExpectedPrepare

SCENARIOS = {name: load_scenario(name) for name in scenario_names()}
PREPARATIONS = [
    pytest.param(scenario, expected, id=f"{name}-{expected.budget}")
    for name, scenario in SCENARIOS.items()
    for expected in (scenario.expect.prepare if scenario.expect else [])
]

LOOPS = [
    pytest.param(scenario, expected, id=f"{name}-{expected.budget}")
    for name, scenario in SCENARIOS.items()
    for expected in (scenario.expect.loop if scenario.expect else [])
]


@pytest.fixture(params=SCENARIOS.values(), ids=SCENARIOS)
def scenario(request: pytest.FixtureRequest) -> Scenario:
    return request.param


def changed_blocks(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[dict[str, int]]:
    """The positions of the changed blocks; anything but the text of a result must be as it was."""
    places = []
    assert len(before) == len(after)
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        assert new["role"] == old["role"]
        if isinstance(old["content"], str):
            assert new["content"] == old["content"]
            continue
        for index, (block, other) in enumerate(zip(old["content"], new["content"], strict=True)):
            if block != other:
                assert other == {**block, "content": other["content"]}
                places.append({"message": number, "block": index})
    return places


def test_every_scenario_says_how_all_functions_end(scenario: Scenario) -> None:
    assert scenario.expect is not None
    assert scenario.expect.split is not None
    assert scenario.expect.trim is not None
    assert scenario.expect.count is not None
    assert scenario.expect.pairs is not None
    assert [expected.budget for expected in scenario.expect.prepare] == [1600, 3200]
    assert [expected.budget for expected in scenario.expect.loop] == [1600, 3200]


def test_split(scenario: Scenario) -> None:
    expected = scenario.expect.split
    messages = scenario.messages
    try:
        parts = split_history(messages, scenario.settings.keep_recent)
        ended = {"older": len(parts["older"]), "recent": len(parts["recent"])}
        whole = [parts["question"], *(m for exchange in parts["older"] + parts["recent"] for m in exchange)]
        assert whole == scenario.messages
    except Refusal as refusal:
        ended = {"refused": refusal.code}

    assert ended == expected.model_dump(exclude_none=True)
    assert messages == scenario.messages


def test_trim(scenario: Scenario) -> None:
    expected = scenario.expect.trim
    arguments = scenario.arguments()
    messages = arguments["messages"]
    try:
        candidate = trim_results(
            messages, arguments["receipt"], arguments["keep_recent"], arguments["max_chars"]
        )
        ended: dict[str, Any] = {"changed": changed_blocks(messages, candidate)}
    except Refusal as refusal:
        ended = {"refused": refusal.code}

    assert ended == expected.model_dump(exclude_none=True)
    assert messages == scenario.messages


@pytest.mark.parametrize(("scenario", "expected"), PREPARATIONS)
def test_prepare(scenario: Scenario, expected: ExpectedPrepare) -> None:
    state, messages = scenario.state(), scenario.messages
    candidate: list[dict[str, Any]] | None = None
    code = error = None
    try:
        candidate = prepare_context(
            messages,
            scenario.question,
            state,
            scenario.archive,
            scenario.summarize,
            budget=expected.budget,
            keep_recent=scenario.settings.keep_recent,
        )
    except Refusal as refusal:
        code = refusal.code
    except OSError as failure:
        error = type(failure).__name__

    assert (code, error) == (expected.code, expected.error)
    assert len(state["archives"]) == expected.archives
    assert state["summaries"] == expected.summaries
    assert messages == scenario.messages
    assert outcome(scenario, candidate, code, error) == expected.outcome
    if candidate is not None:
        assert history_bytes(candidate) <= expected.budget
    if expected.messages is not None:
        assert candidate is not None
        assert len(candidate) == expected.messages


def outcome(
    scenario: Scenario, candidate: list[dict[str, Any]] | None, code: str | None, error: str | None
) -> str:
    """Name the way a run ended by what it returned, not by what the state says."""
    if candidate is None:
        return "refused" if code else "error"
    if candidate == scenario.messages:
        return "as_is"
    if candidate[0] == scenario.messages[0]:
        assert changed_blocks(scenario.messages, candidate)
        return "trimmed"
    text = candidate[0]["content"]
    assert text.startswith(scenario.question)
    assert scenario.summarize([]) in text
    assert candidate[1:] == scenario.messages[-2:]
    return "summary"


@pytest.mark.parametrize(("scenario", "expected"), LOOPS)
def test_loop(scenario: Scenario, expected: ExpectedLoop) -> None:
    settings = scenario.settings.model_copy(update={"budget": expected.budget})
    arguments = replace(scenario, settings=settings).arguments()
    messages, state = arguments["messages"], arguments["state"]
    ended = run_loop(arguments["ask"], arguments["tools"], messages, prepare=arguments["prepare"])

    assert ended["status"] == expected.status
    assert ended["requests"] == expected.requests
    assert len(state["archives"]) == expected.archives
    assert state["summaries"] == expected.summaries
    if expected.code is not None:
        assert ended["text"].startswith(f"{expected.code}: ")
    if expected.requests == 0:
        assert messages == scenario.messages
    else:
        assert history_bytes(messages) <= expected.budget
        assert messages[-1]["content"][0]["tool_use_id"] == "call_next"


TABLE = """
normal        1 1      2.0      trimmed 1 0              as_is 0 0
old           1 1      2.0      trimmed 1 0              as_is 0 0
pending       pending  pending  pending 0 0              pending 0 0
mismatch      mismatch mismatch mismatch 0 0             mismatch 0 0
multi         1 1      2.0      trimmed 1 0              as_is 0 0
error         1 1      2.0      trimmed 1 0              as_is 0 0
recent        1 1      2.0      not_smaller 1 1          trimmed 1 0
fit           0 1      -        as_is 0 0                as_is 0 0
trim          2 1      2.0,4.0  trimmed 1 0              as_is 0 0
summary       4 1      -        summary 1 1              summary 1 1
bad_summary   4 1      -        bad_summary 1 1          bad_summary 1 1
archive_error 4 1      -        OSError 0 0              OSError 0 0
exhausted     4 1      -        summaries_spent 1 0      summaries_spent 1 0
recent_large  0 1      -        recent_too_large 1 0     as_is 0 0
source_code   1 1      2.0      trimmed 1 0              as_is 0 0
json_rows     1 1      2.0      trimmed 1 0              as_is 0 0
chinese_notes 1 1      2.0      trimmed 1 0              trimmed 1 0
many_tools    0 1      -        as_is 0 0                as_is 0 0
image         unsupported_block unsupported_block unsupported_block 0 0 unsupported_block 0 0
text_first    unsupported_block unsupported_block unsupported_block 0 0 unsupported_block 0 0
interrupted   not_a_history not_a_history not_a_history 0 0 not_a_history 0 0
split_results pending pending pending 0 0              pending 0 0
"""


def test_the_files_say_what_the_table_says() -> None:
    rows = []
    for name, scenario in SCENARIOS.items():
        expect = scenario.expect
        split = expect.split.refused or f"{expect.split.older} {expect.split.recent}"
        changed = ",".join(f"{place.message}.{place.block}" for place in expect.trim.changed or [])
        trim = expect.trim.refused or changed or "-"
        runs = [
            f"{run.code or run.error or run.outcome} {run.archives} {run.summaries}" for run in expect.prepare
        ]
        rows.append(" ".join([name, split, trim, *runs]))

    assert rows == [" ".join(line.split()) for line in TABLE.strip().splitlines()]


# Status or code, requests, archives and summaries, at 1600 and at 3200 bytes. At 3200 bytes it is the second
# preparation of trim that trims.
LOOP_TABLE = """
normal        answered 2 1 0            answered 2 0 0
old           answered 2 1 0            answered 2 0 0
pending       pending 0 0 0             pending 0 0 0
mismatch      mismatch 0 0 0            mismatch 0 0 0
multi         answered 2 1 0            answered 2 0 0
error         answered 2 1 0            answered 2 0 0
recent        not_smaller 0 1 1         answered 2 1 0
fit           answered 2 0 0            answered 2 0 0
trim          answered 2 1 0            answered 2 1 0
summary       answered 2 1 1            answered 2 1 1
bad_summary   bad_summary 0 1 1         bad_summary 0 1 1
archive_error OSError 0 0 0             OSError 0 0 0
exhausted     summaries_spent 0 1 0     summaries_spent 0 1 0
recent_large  recent_too_large 0 1 0    answered 2 0 0
source_code   answered 2 1 0            answered 2 0 0
json_rows     answered 2 1 0            answered 2 0 0
chinese_notes answered 2 1 0            answered 2 1 0
many_tools    answered 2 0 0            answered 2 0 0
image         unsupported_block 0 0 0   unsupported_block 0 0 0
text_first    unsupported_block 0 0 0   unsupported_block 0 0 0
interrupted   not_a_history 0 0 0       not_a_history 0 0 0
split_results pending 0 0 0             pending 0 0 0
"""


def test_count(scenario: Scenario) -> None:
    expected = scenario.expect.count
    arguments = scenario.arguments()
    given = {name: arguments[name] for name in inspect.signature(count_request).parameters}
    try:
        found = count_request(**given)
        places = [{name: place[name] for name in ("message", "block")} for place in found["uncounted"]]
        ended: dict[str, Any] = {"total": found["total"], "uncounted": places}
    except Refusal as refusal:
        ended = {"refused": refusal.code, "uncounted": []}

    assert ended == expected.model_dump(exclude_none=True)
    assert given["messages"] == scenario.messages


def test_pairs(scenario: Scenario) -> None:
    messages = scenario.messages
    found = check_pairs(messages)
    faults = [{"message": message, "block": block, "code": code} for message, block, code in found["faults"]]

    assert {"status": found["status"], "faults": faults} == scenario.expect.pairs.model_dump()
    assert messages == scenario.messages


PAIRS_TABLE = """
pending        open    3.0 open_exchange
mismatch       broken  3.0 unanswered_tool_use  4.0 orphan_tool_result
text_first     broken  4.1 tool_result_not_leading
interrupted    broken  3.0 unanswered_tool_use
split_results  broken  3.0 result_not_in_next_message
"""


def test_the_files_say_of_the_pairs_what_the_table_says() -> None:
    rows = []
    for name, scenario in SCENARIOS.items():
        pairs = scenario.expect.pairs
        places = [f"{fault.message}.{fault.block} {fault.code}" for fault in pairs.faults]
        if pairs.status != "sound":
            rows.append(" ".join([name, pairs.status, *places]))

    assert rows == [" ".join(line.split()) for line in PAIRS_TABLE.strip().splitlines()]


def test_the_files_say_of_the_loop_what_the_table_says() -> None:
    rows = []
    for name, scenario in SCENARIOS.items():
        runs = [
            f"{run.code or run.status} {run.requests} {run.archives} {run.summaries}"
            for run in scenario.expect.loop
        ]
        rows.append(" ".join([name, *runs]))

    assert rows == [" ".join(line.split()) for line in LOOP_TABLE.strip().splitlines()]

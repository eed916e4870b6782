"""check_pairs: each code at its place, and the same answer as diagnose on every history of its grammar."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.reference import check_pairs
from ctxlab.scenarios import load_scenario

History = list[dict[str, Any]]

# The codes that diagnose has for pairs; it alone tells a round in two messages from another late result.
CODES = {
    "duplicate_tool_use_id": "duplicate_tool_use_id",
    "orphan_tool_result": "orphan_tool_result",
    "duplicate_tool_result": "duplicate_tool_result",
    "result_not_in_next_message": "result_not_in_next_message",
    "results_split_across_messages": "result_not_in_next_message",
    "tool_result_not_leading": "tool_result_not_leading",
    "unanswered_tool_use": "unanswered_tool_use",
    "open_exchange": "open_exchange",
}


def call(call_id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "read_file", "input": {}}


def result(call_id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "ok"}


TEXT = {"type": "text", "text": "a"}


def asked(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def answered(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


QUESTION = {"role": "user", "content": "Why?"}


@pytest.mark.parametrize(
    ("messages", "status", "faults"),
    [
        ([], "sound", []),
        ([QUESTION, asked(TEXT, call("a")), answered(result("a"), TEXT)], "sound", []),
        ([QUESTION, asked(call("a"), call("b")), answered(result("b"), result("a"))], "sound", []),
        ([QUESTION, asked(call("a"))], "open", [(1, 0, "open_exchange")]),
        ([QUESTION, asked(call("a")), QUESTION], "broken", [(1, 0, "unanswered_tool_use")]),
        ([QUESTION, answered(result("a"))], "broken", [(1, 0, "orphan_tool_result")]),
        (
            [QUESTION, answered(result("a")), asked(call("a"))],
            "broken",
            [(1, 0, "orphan_tool_result"), (2, 0, "open_exchange")],
        ),
        (
            [QUESTION, asked(call("a")), answered(result("a"), result("a"))],
            "broken",
            [(2, 1, "duplicate_tool_result")],
        ),
        (
            [QUESTION, asked(call("a")), answered(TEXT, result("a"))],
            "broken",
            [(2, 1, "tool_result_not_leading")],
        ),
        (
            [QUESTION, asked(call("a")), QUESTION, answered(TEXT, result("a"))],
            "broken",
            [(3, 1, "result_not_in_next_message")],
        ),
        (
            [QUESTION, asked(call("a"), call("b")), answered(result("a")), answered(result("b"))],
            "broken",
            [(3, 0, "result_not_in_next_message")],
        ),
        (
            [QUESTION, asked(call("a")), answered(result("a")), asked(call("a")), answered(result("a"))],
            "broken",
            [(3, 0, "duplicate_tool_use_id")],
        ),
        (
            [QUESTION, asked(call("a")), asked(call("a")), answered(result("a"))],
            "broken",
            [(1, 0, "unanswered_tool_use"), (2, 0, "duplicate_tool_use_id")],
        ),
    ],
)
def test_names_the_code_and_the_place(
    messages: History, status: str, faults: list[tuple[int, int, str]]
) -> None:
    before = copy.deepcopy(messages)
    assert check_pairs(messages) == {"status": status, "faults": faults}
    assert messages == before


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("normal", []),
        ("pending", [(3, 0, "open_exchange")]),
        ("mismatch", [(3, 0, "unanswered_tool_use"), (4, 0, "orphan_tool_result")]),
        ("text_first", [(4, 1, "tool_result_not_leading")]),
        ("interrupted", [(3, 0, "unanswered_tool_use")]),
        ("split_results", [(3, 0, "result_not_in_next_message")]),
    ],
)
def test_the_scenarios(name: str, expected: list[tuple[int, int, str]]) -> None:
    assert check_pairs(load_scenario(name).messages)["faults"] == expected


# Histories of calls, results and texts in any order, as crashes, folds and hasty programs leave them.

IDS = st.sampled_from("abcd")
REQUESTS = st.builds(
    lambda ids, with_text: asked(*([TEXT] if with_text else []), *map(call, ids)),
    st.lists(IDS, max_size=3, unique=True),
    st.booleans(),
)
RESPONSES = st.builds(answered, st.lists(IDS.map(result) | st.just(TEXT), min_size=1, max_size=4)).map(
    lambda message: {**message, "content": message["content"][0]}
)
HISTORIES = st.lists(REQUESTS | RESPONSES | st.just(QUESTION), max_size=9).map(lambda rest: [QUESTION, *rest])


def known(messages: History) -> list[tuple[int | None, int | None, str]]:
    """What diagnose finds, as far as check_pairs has a code for it."""
    found = diagnose(messages, "anthropic-messages")
    return [(each.message, each.block, CODES[each.code]) for each in found if each.code in CODES]


@settings(max_examples=400)
@given(HISTORIES)
def test_agrees_with_diagnose(messages: History) -> None:
    checked = check_pairs(messages)
    assert checked["faults"] == known(messages)
    codes = {code for _, _, code in checked["faults"]}
    assert checked["status"] == {True: "sound"}.get(
        not codes, "open" if codes == {"open_exchange"} else "broken"
    )


def test_such_histories_have_every_fault_that_it_knows() -> None:
    seen: set[str] = set()

    @settings(max_examples=400, database=None, derandomize=True)
    @given(HISTORIES)
    def collect(messages: History) -> None:
        seen.update(code for _, _, code in check_pairs(messages)["faults"])

    collect()
    assert seen == set(CODES.values())


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.sampled_from(["tool_use", "tool_result"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "id", "tool_use_id", "text"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=5))
def test_no_json_value_makes_it_raise(messages: list[Any]) -> None:
    assert check_pairs(messages)["status"] in ("sound", "open", "broken")

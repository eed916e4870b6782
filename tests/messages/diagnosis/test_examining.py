"""Laws of diagnose: sound histories have no findings, nothing raises, nothing is changed, time is linear."""

import copy
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.shapes import APIS, Api

FOLDER = Path(__file__).parents[2] / "data" / "sound"
SOUND = [
    pytest.param(api, history, id=f"{api}: {name}")
    for api in APIS
    for name, history in json.loads((FOLDER / f"{api}.json").read_text("utf-8")).items()
]


@pytest.mark.parametrize(("api", "history"), SOUND)
def test_a_sound_history_has_no_finding(api: Api, history: list[Any]) -> None:
    assert diagnose(history, api) == []
    assert diagnose(history) == []


def exchanges_of(api: Api, count: int) -> list[Any]:
    """A history of two messages or items for each of `count` exchanges."""
    history: list[Any] = []
    for number in range(count):
        name = f"call_{number}"
        if api == "anthropic-messages":
            call = {"type": "tool_use", "id": name, "name": "look", "input": {"at": number}}
            result = {"type": "tool_result", "tool_use_id": name, "content": "dry " * 20}
            history += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        elif api == "openai-chat":
            function = {"name": "look", "arguments": json.dumps({"at": number})}
            calls = [{"id": name, "type": "function", "function": function}]
            history += [{"role": "assistant", "content": None, "tool_calls": calls}]
            history += [{"role": "tool", "tool_call_id": name, "content": "dry " * 20}]
        else:
            arguments = json.dumps({"at": number})
            history += [{"type": "function_call", "call_id": name, "name": "look", "arguments": arguments}]
            history += [{"type": "function_call_output", "call_id": name, "output": "dry " * 20}]
    return [{"role": "user", "content": "Look."}, *history]


def seconds_for(api: Api, history: list[Any], **context: Any) -> float:
    start = time.perf_counter()
    diagnose(history, api, **context)
    return time.perf_counter() - start


@pytest.mark.parametrize("api", APIS)
def test_a_sound_history_of_10_001_messages_has_no_finding(api: Api) -> None:
    assert diagnose(exchanges_of(api, 5_000)) == []


def faulty(api: Api, count: int) -> list[Any]:
    """All calls first, then all results, the last one first: each is in the wrong place, or open for long."""
    history = exchanges_of(api, count)
    return [history[0], *history[1::2], {"role": "user", "content": "Well?"}, *reversed(history[2::2])]


@pytest.mark.parametrize("history_of", [exchanges_of, faulty])
@pytest.mark.parametrize("api", APIS)
def test_the_time_grows_with_the_length_and_not_with_its_square(api: Api, history_of: Any) -> None:
    context = {"budget_tokens": 100, "cut": 2, "pinned": ["dry"], "thinking": "enabled"}
    small, large = history_of(api, 300), history_of(api, 3_000)

    assert min(seconds_for(api, large, **context) for _ in range(5)) < 40 * min(
        seconds_for(api, small, **context) for _ in range(5)
    )


def test_many_summaries_cost_no_more_than_the_messages_themselves() -> None:
    history = [{"role": role, "content": "Dry."} for _ in range(15_000) for role in ("user", "assistant")]
    context = {"protected_from": len(history), "summary_messages": list(range(0, len(history), 2))}
    plain = min(seconds_for("anthropic-messages", history) for _ in range(3))
    assert min(seconds_for("anthropic-messages", history, **context) for _ in range(3)) < 6 * plain


def test_findings_are_sorted_by_place() -> None:
    history = [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": ""}]},
        {"role": "assistant", "content": [{"type": "text", "text": ""}, {"type": "text", "text": " "}]},
        {"role": "robot", "content": "Beep."},
    ]
    found = [(finding.message, finding.block, finding.code) for finding in diagnose(history, cut=3)]
    assert found == [
        (0, 0, "orphan_tool_result"),
        (1, 0, "empty_text"),
        (1, 1, "empty_text"),
        (2, None, "unknown_role"),
    ]


def test_an_api_of_another_name_is_refused() -> None:
    with pytest.raises(Refusal, match="there is no api 'claude'; give one of anthropic-messages") as refused:
        diagnose([], "claude")  # type: ignore[arg-type]
    assert refused.value.code == "bad_argument"


KEYS = ["role", "content", "type", "id", "tool_use_id", "tool_call_id", "call_id", "tool_calls", "function"]
KEYS += ["arguments", "name", "input", "output", "text", "function_call", "is_error"]
WORDS = ["user", "assistant", "system", "tool", "text", "tool_use", "tool_result", "thinking", "message", "a"]
WORDS += ["function", "function_call", "function_call_output", "reasoning", "server_tool_use", "input_text"]
WORDS += ["web_search_tool_result", "item_reference", "computer_call", "Summary:", "\ud83d", "{}", ""]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)
messages_like = st.dictionaries(st.sampled_from(KEYS[:8]), values, max_size=5)


@given(
    values | st.lists(messages_like | values, max_size=6),
    st.sampled_from([None, *APIS]),
    st.fixed_dictionaries(
        {},
        optional={"thinking": st.just("enabled"), "budget_tokens": st.just(1), "pinned": st.just(["a"])},
    ),
)
def test_no_json_value_makes_it_raise_and_each_finding_has_a_place(
    value: Any, api: Api | None, context: dict[str, Any]
) -> None:
    before = copy.deepcopy(value)

    found = diagnose(value, api, **context)

    assert repr(value) == repr(before)
    for finding in found:
        assert finding.text
        assert finding.fix
        if finding.message is not None:
            assert isinstance(value, list)
            assert 0 <= finding.message < len(value)
    if not isinstance(value, list):
        assert found[0].code in ("not_a_history", "pinned_text_missing")


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def holding_itself() -> list[Any]:
    content: list[Any] = []
    content.append({"type": "tool_use", "id": "a", "name": "look", "input": {"again": content}})
    return content


ITSELF: list[Any] = []
ITSELF.append(ITSELF)


@pytest.mark.parametrize("api", [None, *APIS])
@pytest.mark.parametrize(
    ("value", "code"),
    [
        pytest.param(ITSELF, "not_a_message", id="a list that holds itself"),
        pytest.param(
            [{"role": "user", "content": holding_itself()}], "not_json", id="content that holds itself"
        ),
        pytest.param([{"role": "user", "content": nested(100_000)}], "not_json", id="deep nesting"),
        pytest.param([{"role": "user", "content": "a", "x": float("nan")}], "not_json", id="NaN"),
        pytest.param([{"role": "user", "content": "a", "x": {1, 2}}], "not_json", id="a set"),
        pytest.param([{"role": "user", "content": "a \ud83d b"}], "lone_surrogate", id="half a character"),
        pytest.param([{"role": "user", "content": "a", "\ud83d": 1}], "lone_surrogate", id="in a key"),
    ],
)
def test_hostile_values_are_found(value: Any, code: str, api: Api | None) -> None:
    context: dict[str, Any] = {"budget_tokens": 1, "pinned": ["a"], "summary_messages": [0], "thinking": True}
    assert code in {finding.code for finding in diagnose(value, api, **context)}

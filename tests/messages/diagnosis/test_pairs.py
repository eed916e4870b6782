"""What is special about one shape in the pairs of calls and results; what all share is in test_kinds.py."""

from typing import Any

import pytest

from ctxlab.messages.diagnosis.examining import diagnose

Message = dict[str, Any]


def told(history: list[Message], **context: Any) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code, finding.message, finding.block) for finding in diagnose(history, **context)]


def user(*blocks: Message) -> Message:
    return {"role": "user", "content": list(blocks) or "Look."}


def assistant(*blocks: Message) -> Message:
    return {"role": "assistant", "content": list(blocks) or "Done."}


def use(call_id: Any, kind: str = "tool_use") -> Message:
    return {"type": kind, "id": call_id, "name": "look", "input": {}}


def result(call_id: Any, kind: str = "tool_result") -> Message:
    return {"type": kind, "tool_use_id": call_id, "content": "dry"}


SEARCH, FOUND = "server_tool_use", "web_search_tool_result"


@pytest.mark.parametrize("call_id", [None, "", 7])
def test_calls_and_results_without_a_usable_id(call_id: Any) -> None:
    history = [user(), assistant(use(call_id)), user(result(call_id)), assistant()]
    assert told(history) == [("missing_id", 1, 0), ("missing_id", 2, 0)]


@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        pytest.param(
            [user(), assistant(use("a", SEARCH)), user(), assistant()],
            [("unanswered_tool_use", 1, 0)],
            id="the result of a server tool is gone",
        ),
        pytest.param(
            [user(), assistant(result("a", FOUND)), user()],
            [("orphan_tool_result", 1, 0)],
            id="the call of a server tool is gone",
        ),
        pytest.param(
            [user(), assistant(result("a", FOUND), use("a", SEARCH)), assistant(), user()],
            [("orphan_tool_result", 1, 0)],
            id="the result of a server tool stands before its call",
        ),
        pytest.param(
            [user(), assistant(use("a")), user(result("a")), assistant(result("a", FOUND)), user()],
            [("result_of_other_kind", 3, 0), ("duplicate_tool_result", 3, 0)],
            id="a server's result for a call of the client",
        ),
        pytest.param(
            [user(), assistant(use("a", SEARCH)), user(result("a")), assistant()],
            [("result_of_other_kind", 2, 0)],
            id="a client's result for a server tool",
        ),
        pytest.param(
            [user(), assistant(use("a", SEARCH), result("a", FOUND), use("a")), user(result("a"))],
            [("duplicate_tool_use_id", 1, 2)],
            id="one id for a server tool and a call",
        ),
    ],
)
def test_server_tools(history: list[Message], wanted: list[Any]) -> None:
    assert sorted(told(history)) == sorted(wanted)


def test_results_of_other_kinds_in_the_responses_api() -> None:
    history = [
        {"role": "user", "content": "Look."},
        {"type": "custom_tool_call", "call_id": "a", "name": "look", "input": "x"},
        {"type": "function_call_output", "call_id": "a", "output": "dry"},
        {"type": "computer_call", "call_id": "b", "id": "cu_1", "action": {}},
    ]
    assert told(history) == [("result_of_other_kind", 2, None), ("open_call", 3, None)]


def test_an_output_that_names_its_tool_needs_no_call() -> None:
    history = [{"role": "user", "content": "Look."}, {"type": "function_call_output", "output": "dry"}]
    assert told(history) == [("missing_id", 1, None)]
    history[1]["name"] = "look"
    assert told(history) == []


def test_messages_of_the_assistant_in_a_row_may_be_joined_or_not() -> None:
    joined = [user(), assistant(use("a")), assistant(use("b")), user(result("a"), result("b"))]
    parted = [user(), assistant(use("a")), user(), assistant(), user(result("a"))]
    assert told(joined) == [("result_not_in_next_message", 3, 0)]
    assert "provider-dependent" in diagnose(joined)[0].text
    assert told(parted) == [("result_not_in_next_message", 4, 0)]
    assert "provider-dependent" not in diagnose(parted)[0].text


def output(call_id: str, kind: str = "function_call_output") -> Message:
    return {"type": kind, "call_id": call_id, "output": "dry"}


def test_a_local_shell_call_may_be_answered_as_a_function_but_not_as_a_computer() -> None:
    call = {"type": "local_shell_call", "call_id": "a", "action": {}, "status": "completed"}
    behind = [user(), call, user(), output("a")]
    assert told([user(), call, output("a", "computer_call_output")]) == [("result_of_other_kind", 2, None)]
    assert told(behind) == [("result_not_in_next_message", 3, None)]


def test_where_a_call_may_still_be_running_the_remedy_is_to_wait() -> None:
    call = {"type": "function_call", "name": "look", "arguments": "{}"}
    running = [user(), call | {"call_id": "a"}, call | {"call_id": "b"}, output("b")]
    (may_run,) = diagnose(running)
    (lost,) = diagnose([*running, user()])
    assert (may_run.code, may_run.id) == (lost.code, lost.id) == ("unanswered_tool_use", "a")
    assert may_run.fix.startswith("Wait")
    assert not lost.fix.startswith("Wait")


def test_an_id_of_a_later_turn_is_said_to_depend_on_the_server_in_the_shapes_of_openai() -> None:
    turn = [user(), {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}, output("a")]
    exchange = [user(), assistant(use("a")), user(result("a"))]
    texts = [finding.text for history in (turn, exchange) for finding in diagnose(history * 2)]
    assert ["provider-dependent" in words for words in texts] == [True, False]


def test_a_made_up_result_tells_which_one_to_keep() -> None:
    history = [user(), assistant(use("a")), user(result("a"), result("a")), assistant()]
    unknown = diagnose(history)
    first = diagnose(history, made_up_results=[{"message": 2, "block": 0}])
    second = diagnose(history, made_up_results=[(2, 1)])

    assert "Position does not tell which is real" in unknown[0].fix
    assert first[0].fix.startswith("Keep message 2, block 1, the real result, and store the made-up one of")
    assert second[0].fix.startswith("Keep message 2, block 0, the real result")
    assert {finding[0].block for finding in (unknown, first, second)} == {1}


def test_the_text_names_both_places_and_the_id() -> None:
    history = [user(), assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))]
    assert diagnose(history)[0].text == (
        "message 3, block 0 calls with the id 'a', which message 1, block 0 has used already"
    )

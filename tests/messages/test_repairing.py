import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.repairing import OUTCOME_UNKNOWN, repair
from ctxlab.messages.shapes import APIS, Api

Message = dict[str, Any]


def text(words: str) -> Message:
    return {"type": "text", "text": words}


def user(*blocks: Message | str) -> Message:
    return {"role": "user", "content": [text(block) if isinstance(block, str) else block for block in blocks]}


def assistant(*blocks: Message | str) -> Message:
    return user(*blocks) | {"role": "assistant"}


def use(call_id: str) -> Message:
    return {"type": "tool_use", "id": call_id, "name": "look", "input": {}}


def result(call_id: str, words: str = "dry") -> Message:
    return {"type": "tool_result", "tool_use_id": call_id, "content": words}


def unknown(call_id: str) -> Message:
    return result(call_id, OUTCOME_UNKNOWN) | {"is_error": True}


QUESTION = user("Look.")


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        pytest.param(
            [QUESTION, assistant(use("a"), use("b")), user("In metres.", result("b"), "Now.", result("a"))],
            [QUESTION, assistant(use("a"), use("b")), user(result("b"), result("a"), "In metres.", "Now.")],
            id="results in front",
        ),
        pytest.param(
            [
                QUESTION,
                assistant(use("a"), use("b")),
                user(result("a")),
                user("So?", result("b")),
                assistant("Dry."),
            ],
            [
                QUESTION,
                assistant(use("a"), use("b")),
                user(result("a"), result("b")),
                user("So?"),
                assistant("Dry."),
            ],
            id="results in one message",
        ),
        pytest.param(
            [QUESTION, assistant(use("a")), {"role": "user", "content": "In metres."}, user(result("a"))],
            [QUESTION, assistant(use("a")), user(result("a")), {"role": "user", "content": "In metres."}],
            id="words of the user as a string",
        ),
        pytest.param(
            [QUESTION, assistant("", use("a"), " "), user(result("a"), ""), assistant(""), user("Go on.")],
            [QUESTION, assistant(use("a")), user(result("a")), user("Go on.")],
            id="empty texts",
        ),
        pytest.param(
            [QUESTION, assistant(use("a"), use("b")), user(result("b"), "So?"), assistant("Dry.")],
            [
                QUESTION,
                assistant(use("a"), use("b")),
                user(result("b"), unknown("a"), "So?"),
                assistant("Dry."),
            ],
            id="one call without a result",
        ),
        pytest.param(
            [QUESTION, assistant(use("a"), use("b")), assistant("Dry.")],
            [QUESTION, assistant(use("a"), use("b")), user(unknown("a"), unknown("b")), assistant("Dry.")],
            id="two calls without a result, and the model goes on",
        ),
        pytest.param(
            [QUESTION, user(result("x"), "Keep this."), user(result("y")), assistant("Dry.")],
            [QUESTION, user("Keep this."), assistant("Dry.")],
            id="results without calls",
        ),
        pytest.param(
            [
                QUESTION,
                assistant(use("a"), use("b")),
                user("", result("x"), result("b")),
                user("So?"),
                assistant("Dry."),
            ],
            [
                QUESTION,
                assistant(use("a"), use("b")),
                user(result("b"), unknown("a")),
                user("So?"),
                assistant("Dry."),
            ],
            id="four faults in one message",
        ),
    ],
)
def test_what_is_mended(broken: list[Message], mended: list[Message]) -> None:
    before = copy.deepcopy(broken)
    candidate, changes = repair(broken)
    assert candidate == mended
    assert broken == before
    assert [(change.code, change.message, change.block, change.id) for change in changes] == [
        (finding.code, finding.message, finding.block, finding.id) for finding in diagnose(broken)
    ]
    assert repair(candidate) == (candidate, [])


def call_in_chat(*ids: str) -> Message:
    function = {"name": "look", "arguments": "{}"}
    calls = [{"id": call_id, "type": "function", "function": function} for call_id in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tool(call_id: str, words: str = "dry") -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": words}


def says(role: str, words: str) -> Message:
    return {"role": role, "content": words}


def item(kind: str, call_id: str, **more: Any) -> Message:
    return {"type": kind, "call_id": call_id} | more


def function_call(call_id: str) -> Message:
    return item("function_call", call_id, name="look", arguments="{}")


def output(call_id: str, words: str = "dry", kind: str = "function_call_output") -> Message:
    return item(kind, call_id, output=words)


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        pytest.param(
            [
                says("user", "Look."),
                call_in_chat("a", "b", "c"),
                tool("b"),
                tool("x"),
                says("user", "So?"),
                tool("a"),
                says("assistant", "Dry."),
            ],
            [
                says("user", "Look."),
                call_in_chat("a", "b", "c"),
                tool("b"),
                tool("a"),
                tool("c", OUTCOME_UNKNOWN),
                says("user", "So?"),
                says("assistant", "Dry."),
            ],
            id="chat",
        ),
        pytest.param(
            [
                says("user", "Look."),
                function_call("a"),
                function_call("b"),
                item("custom_tool_call", "c", name="write", input="x"),
                output("x"),
                says("user", "So?"),
                output("b"),
                says("assistant", "Dry."),
            ],
            [
                says("user", "Look."),
                function_call("a"),
                function_call("b"),
                item("custom_tool_call", "c", name="write", input="x"),
                output("b"),
                output("a", OUTCOME_UNKNOWN),
                output("c", OUTCOME_UNKNOWN, "custom_tool_call_output"),
                says("user", "So?"),
                says("assistant", "Dry."),
            ],
            id="responses",
        ),
    ],
)
def test_the_shapes_of_openai(broken: list[Message], mended: list[Message]) -> None:
    candidate, changes = repair(broken)
    assert candidate == mended
    assert {change.code for change in changes} >= {"unanswered_tool_use", "result_not_in_next_message"}
    orphans = [message for message in broken if "x" in (message.get("tool_call_id"), message.get("call_id"))]
    assert [change.removed for change in changes if change.code.startswith("orphan")] == orphans


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        pytest.param(None, "not_a_history", id="None"),
        pytest.param([], "empty_history", id="empty"),
        pytest.param([QUESTION, assistant(use("a"))], "open_exchange", id="an open call"),
        pytest.param(
            [QUESTION, assistant(use("a"), use("b")), user(result("b"))],
            "unanswered_tool_use",
            id="a call that may still be running, beside one that is done",
        ),
        pytest.param(
            [says("user", "Look."), call_in_chat("a", "b"), tool("a")],
            "unanswered_tool_use",
            id="the same in chat",
        ),
        pytest.param(
            [QUESTION, assistant(use("a")), assistant("I wait."), user(result("a"))],
            "result_not_in_next_message",
            id="the model has spoken in between",
        ),
        pytest.param(
            [QUESTION, user(result("a")), assistant(use("a")), user("So?")],
            "orphan_tool_result",
            id="the result stands in front of its call",
        ),
        pytest.param([user(""), assistant("Dry.")], "first_message_not_user", id="an empty question"),
        pytest.param(
            [user(result("x")), assistant("Dry.")], "first_message_not_user", id="an orphan at the start"
        ),
        pytest.param([user("")], "empty_history", id="nothing would be left"),
        pytest.param([{"role": "user", "content": b"Look."}], "wrong_type", id="bytes"),
        pytest.param([QUESTION | {"at": {1}}], "not_json", id="a set beside the content"),
        pytest.param(
            [QUESTION, assistant(use("a")), user(result("a") | {"content": [text(""), text("dry")]})],
            "empty_text",
            id="an empty text in a result",
        ),
        pytest.param(
            [QUESTION, assistant({"type": "thinking", "thinking": "?", "signature": "s"}, ""), user("So?")],
            "thinking_last_in_message",
            id="thinking would be the last",
        ),
        pytest.param(
            [
                QUESTION,
                assistant({"type": "web_search_tool_result", "tool_use_id": "s", "content": []}),
                user("So?"),
            ],
            "orphan_tool_result",
            id="the result of a server tool",
        ),
        pytest.param(
            [
                says("user", "Look."),
                item("computer_call", "a", id="cu", action={}, pending_safety_checks=[]),
                {"type": "message", "role": "user", "content": "So?"},
            ],
            "unanswered_tool_use",
            id="a call that no sentence answers",
        ),
        pytest.param(
            [user("", "Look."), assistant(use("a"), use("a")), user(result("a"), result("a"))],
            "duplicate_tool_use_id",
            id="one fault that can be mended and one that cannot",
        ),
    ],
)
def test_what_is_refused(broken: Any, code: str) -> None:
    before = copy.deepcopy(broken)
    with pytest.raises(Refusal) as refused:
        repair(broken)
    assert refused.value.code == code
    assert broken == before


def test_a_history_that_contains_itself_is_refused_like_any_other() -> None:
    message: Message = {"role": "user", "content": "Look."}
    message["more"] = message
    with pytest.raises(Refusal) as refused:
        repair([message])
    assert refused.value.code == "not_json"


def test_what_was_removed_is_a_copy() -> None:
    orphan = result("x") | {"content": [text("dry")]}
    _, changes = repair([QUESTION, user(orphan, "Go on.")])
    changes[0].removed["content"].clear()
    assert orphan["content"] == [text("dry")]


def test_the_refusal_names_the_place_and_the_remedy() -> None:
    with pytest.raises(
        Refusal, match=r"no safe repair: message 1, block 0 makes the call 'a'.*Wait: store the"
    ):
        repair([QUESTION, assistant(use("a"))])


def steps(api: Api, number: int, kind: str) -> list[Message]:
    a, b = f"{number}a", f"{number}b"
    words = f"words {number}"
    if kind == "user":
        return [says("user", words)]
    if kind == "answer":
        return [says("assistant", words)]
    if api == "anthropic-messages":
        return [
            assistant(words, use(a), use(b)),
            user(result(a, f"dry {a}"), result(b, f"dry {b}"), f"and {words}"),
        ]
    if api == "openai-chat":
        return [call_in_chat(a, b), tool(a, f"dry {a}"), tool(b, f"dry {b}")]
    return [function_call(a), function_call(b), output(a, f"dry {a}"), output(b, f"dry {b}")]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[Api, list[Message]]:
    api: Api = draw(st.sampled_from(APIS))
    kinds = [
        "user",
        *draw(st.lists(st.sampled_from(["user", "answer", "exchange", "exchange"]), max_size=6)),
        "user",
    ]
    history = [message for number, kind in enumerate(kinds) for message in steps(api, number, kind)]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(0, len(history) - 1)))
        damage = draw(st.sampled_from(["drop", "move", "drop block", "turn blocks", "empty text"]))
        content = history[at].get("content") if history else None
        if damage == "drop" and len(history) > 1:
            del history[at]
        elif damage == "move":
            history.insert(draw(st.integers(0, len(history) - 1)), history.pop(at))
        elif isinstance(content, list) and len(content) > 1:
            number = draw(st.integers(0, len(content) - 1))
            if damage == "drop block":
                del content[number]
            elif damage == "turn blocks":
                content.reverse()
            else:
                content.insert(number, text(""))
    return api, history


def leaves(history: list[Message]) -> list[str]:
    """What the history says: each block, item or tool message by itself, and each string."""
    found = []
    for message in history:
        content = message.get("content")
        if isinstance(content, list):
            found += [json.dumps(block) for block in content]
        else:
            found.append(json.dumps(message))
    return sorted(found)


@given(damaged())
def test_laws(given_history: tuple[Api, list[Message]]) -> None:
    api, history = given_history
    before = copy.deepcopy(history)
    try:
        candidate, changes = repair(history, api)
    except Refusal:
        assert diagnose(history, api)
        assert history == before
        return

    assert history == before
    assert diagnose(candidate, api) == []
    assert repair(candidate, api) == (candidate, [])
    assert len(changes) == len(diagnose(history, api))
    # Nothing is lost and nothing is invented, but results of an unknown outcome.
    removed = [json.dumps(change.removed) for change in changes if isinstance(change.removed, dict)]
    made = [leaf for leaf in leaves(candidate) if OUTCOME_UNKNOWN in leaf]
    assert sorted(leaves(history) + made) == sorted(leaves(candidate) + removed)
    assert len(made) == sum(change.code == "unanswered_tool_use" for change in changes)
    # And nothing mutable is shared.
    for message in candidate:
        message.clear()
    for change in changes:
        if isinstance(change.removed, dict):
            change.removed.clear()
    assert history == before

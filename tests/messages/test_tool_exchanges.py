"""The question and the tool exchanges of any history: what is taken, what is named, and what always holds."""

import copy
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.shapes import APIS, Api
from ctxlab.messages.tool_exchanges import NO_QUESTION, LeftOut, tool_exchanges
from ctxlab.reference import prepare_context, split_history
from ctxlab.scenarios import load_scenario

Message = dict[str, Any]

QUESTION = {"role": "user", "content": "Is it dry?"}


def use(call_id: str, **given: Any) -> Message:
    return {"type": "tool_use", "id": call_id, "name": "look", "input": given}


def result(call_id: str, words: Any = "dry", **marks: Any) -> Message:
    return {"type": "tool_result", "tool_use_id": call_id, "content": words, **marks}


def asks(*blocks: Message) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def answers(*blocks: Message) -> Message:
    return {"role": "user", "content": list(blocks)}


def text(words: str) -> Message:
    return {"type": "text", "text": words}


def chat_call(call_id: str, arguments: Any = "{}") -> Message:
    return {"id": call_id, "type": "function", "function": {"name": "look", "arguments": arguments}}


def tool(call_id: str, content: Any = "dry") -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def item(kind: str, **fields: Any) -> Message:
    return {"type": kind, **fields}


EXCHANGE = [asks(use("a", side="north")), answers(result("a"))]


@pytest.mark.parametrize(
    ("api", "messages"),
    [
        ("anthropic-messages", [QUESTION, *EXCHANGE]),
        (
            "openai-chat",
            [
                {"role": "system", "content": "Be short."},
                QUESTION,
                {"role": "assistant", "content": None, "tool_calls": [chat_call("a", '{"side": "north"}')]},
                tool("a"),
                {"role": "assistant", "content": "Yes."},
            ],
        ),
        (
            "openai-responses",
            [
                item("message", role="user", content=[item("input_text", text="Is it dry?")]),
                item("reasoning", id="rs", summary=[]),
                item("function_call", call_id="a", name="look", arguments='{"side": "north"}', id="fc"),
                item("function_call_output", call_id="a", output="dry"),
                item("message", role="assistant", content=[item("output_text", text="Yes.")]),
            ],
        ),
    ],
)
@pytest.mark.parametrize("named", [False, True])
def test_all_three_shapes_give_the_same_exchanges(api: Api, messages: list[Any], named: bool) -> None:
    found = tool_exchanges(messages, api if named else None)
    asked = found.messages[0]["content"]
    assert (asked if isinstance(asked, str) else asked[0]["text"]) == "Is it dry?"
    assert found.messages[1:] == EXCHANGE
    assert found.sources[0] == (messages.index(next(m for m in messages if m.get("role") == "user")),)


def reasons(*messages: Any, api: Api | None = None) -> list[tuple[int, int | None, str]]:
    return [tuple(left) for left in tool_exchanges(list(messages), api).left]


TWO = asks(use("a"), use("b"))
SAID = "texts of the assistant without a call"
WORDS = "further words of the user"


@pytest.mark.parametrize(
    ("messages", "kept", "left"),
    [
        pytest.param(
            [QUESTION, *EXCHANGE, asks(text("Yes.")), {"role": "user", "content": "And now?"}],
            [QUESTION, *EXCHANGE],
            [(3, 0, SAID), (4, None, WORDS)],
            id="words around",
        ),
        pytest.param(
            [
                QUESTION,
                asks(text("I look."), use("a")),
                answers(result("a"), text("Hurry.")),
                asks(text("Yes.")),
            ],
            [QUESTION, asks(text("I look."), use("a")), answers(result("a"))],
            [(2, 1, WORDS), (3, 0, SAID)],
            id="a text beside the call stays",
        ),
        pytest.param(
            [QUESTION, TWO, answers(result("b")), asks(text("Half."))],
            [QUESTION, asks(use("b")), answers(result("b"))],
            [(1, 0, "calls without a result"), (3, 0, SAID)],
            id="half an exchange in the middle",
        ),
        pytest.param(
            [QUESTION, TWO, answers(result("b")), answers(result("a")), asks(text("Both."))],
            [QUESTION, TWO, answers(result("b"), result("a"))],
            [(4, 0, SAID)],
            id="results of one round in two messages",
        ),
        pytest.param(
            [
                QUESTION,
                asks({"type": "thinking", "thinking": "?"}, use("a")),
                answers(result("a"), result("a", "wet")),
            ],
            [QUESTION, asks(use("a")), answers(result("a"))],
            [(1, 0, "thinking"), (2, 1, "further results of a call that has one")],
            id="a second result",
        ),
        pytest.param(
            [QUESTION, asks(use("a"), use("a", side="south")), answers(result("a")), asks(text("Yes."))],
            [QUESTION, asks(use("a")), answers(result("a"))],
            [(1, 1, "calls with the id of another call in the same answer"), (3, 0, SAID)],
            id="an id twice",
        ),
        pytest.param(
            [answers(result("z"), text("Is it dry?")), *EXCHANGE],
            [answers(text("Is it dry?")), *EXCHANGE],
            [(0, 0, "results without a call")],
            id="a question beside a stray result",
        ),
        pytest.param(
            [
                answers(text("Is it dry?"), use("a")),
                answers(result("a", ["dry", text("")])),
                asks(text("Yes.")),
            ],
            [answers(text("Is it dry?")), asks(use("a")), answers(result("a", "dry"))],
            [(2, 0, SAID)],
            id="a call beside the question",
        ),
        pytest.param(
            [
                QUESTION,
                asks(use("a")),
                answers(result("a", [text("dry"), {"type": "image"}, text("cold")], is_error="yes")),
            ],
            [QUESTION, asks(use("a")), answers(result("a", "dry\ncold"))],
            [
                (2, 0, "results of several texts, joined by line ends"),
                (2, 0, "images and other blocks in results that are no text, left out"),
                (2, 0, "error marks that are neither true nor false, left out"),
            ],
            id="a result that is no plain text",
        ),
        pytest.param(
            [
                QUESTION,
                asks(
                    {"type": "server_tool_use", "id": "s"},
                    {"type": "web_search_tool_result", "tool_use_id": "s"},
                ),
                asks({"type": "tool_use", "name": "look"}, text("")),
                {"role": "user", "content": [{"type": "image"}]},
                7,
                *EXCHANGE,
            ],
            [QUESTION, *EXCHANGE],
            [
                (1, 0, "calls that the provider runs itself, and what they returned"),
                (1, 1, "calls that the provider runs itself, and what they returned"),
                (2, 0, "calls without an id"),
                (2, 1, "texts without words"),
                (3, 0, "images, documents and other blocks that are no text"),
                (4, None, "messages with nothing in them that fits"),
            ],
            id="everything that has no place",
        ),
    ],
)
def test_what_does_not_fit_is_left_out_and_named(messages: Any, kept: Any, left: Any) -> None:
    found = tool_exchanges(messages)
    assert found.messages == kept
    assert [tuple(one) for one in found.left] == left
    assert split_history(found.messages)


def test_error_marks_and_other_fields_of_a_block_stay() -> None:
    said = text("I look.") | {"citations": []}
    call, answer = use("a") | {"cache_control": {"type": "ephemeral"}}, result("a", is_error=True)
    assert tool_exchanges([QUESTION, asks(said, call), answers(answer), asks(text("No."))]).messages == [
        QUESTION,
        asks(said, call),
        answers(answer),
    ]


def test_arguments_of_chat_are_read_or_said_to_be_unreadable() -> None:
    broken = '{"side": "no'
    calls = [
        chat_call("a", broken),
        chat_call("b", {"side": "east"}),
        {"id": "c", "type": "custom", "custom": {"name": "note", "input": "x"}},
    ]
    found = tool_exchanges(
        [
            QUESTION,
            {"role": "assistant", "content": "I look.", "tool_calls": calls, "reasoning_content": "Where?"},
            tool("a", [text("dry")]),
            tool("b", None),
            tool("c"),
            {"role": "assistant", "content": None, "refusal": "No more."},
            {"role": "assistant", "function_call": {"name": "old", "arguments": "{}"}},
        ]
    )
    _, request, response = found.messages
    assert request["content"] == [
        text("I look."),
        use("a", unreadable_arguments=broken),
        use("b", side="east"),
        {"type": "tool_use", "id": "c", "name": "note", "input": {"input": "x"}},
    ]
    assert response == answers(result("a"), result("b", ""), result("c"))
    assert found.sources == [(0,), (1,), (2, 3, 4)]
    assert found.left == [
        LeftOut(1, None, "thinking"),
        LeftOut(1, 0, "arguments that are not a JSON object, given as a text under 'unreadable_arguments'"),
        LeftOut(1, 2, "inputs of custom tools, given as a text under 'input'"),
        LeftOut(5, None, SAID),
        LeftOut(6, None, "calls of the older form without an id, and what they returned"),
    ]


def test_calls_of_responses_without_a_name_are_named_after_their_kind() -> None:
    found = tool_exchanges(
        [
            item("message", role="user", content="Is it dry?"),
            item("local_shell_call", call_id="a", id="ls", status="completed", action={"command": ["ls"]}),
            item("local_shell_call_output", id="a", output={"stdout": "notes"}),
            item("custom_tool_call", call_id="b", name="note", input="x"),
            item("custom_tool_call_output", call_id="b", output=[item("input_text", text="done")]),
        ]
    )
    assert found.messages == [
        QUESTION,
        asks(
            {
                "type": "tool_use",
                "id": "a",
                "name": "local_shell_call",
                "input": {"action": {"command": ["ls"]}},
            }
        ),
        answers(result("a", '{"stdout": "notes"}')),
        asks({"type": "tool_use", "id": "b", "name": "note", "input": {"input": "x"}}),
        answers(result("b", "done")),
    ]
    assert [left.reason for left in found.left] == [
        "calls of a kind without a name, named after the kind",
        "results that are no text, given as JSON",
        "inputs of custom tools, given as a text under 'input'",
    ]


def test_an_output_of_another_kind_answers_no_call() -> None:
    messages = [
        item("message", role="user", content="Is it dry?"),
        item("function_call", call_id="a", name="look", arguments="{}"),
        item("custom_tool_call_output", call_id="a", output="dry"),
        item("function_call_output", call_id="a", output="wet"),
        item("message", role="assistant", content="Wet."),
    ]
    found = tool_exchanges(messages)
    assert found.messages[2] == answers(result("a", "wet"))
    assert LeftOut(2, None, "results without a call") in found.left


@pytest.mark.parametrize("name", ["normal", "pending", "mismatch", "multi", "error", "summary"])
def test_a_history_in_block_form_is_handed_over_with_its_faults(name: str) -> None:
    messages = load_scenario(name).messages
    found = tool_exchanges(messages)
    assert (found.messages, found.left) == (messages, [])
    assert found.messages is not messages
    assert found.sources == [(index,) for index in range(len(messages))]


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([QUESTION, asks(use("a"))], "pending"),
        ([QUESTION, *EXCHANGE, asks(use("b")), answers(result("z"))], "mismatch"),
        ([QUESTION, asks(use("a"), use("b")), answers(result("a"))], "mismatch"),
        ([QUESTION, asks(use("a"), use("a")), answers(result("a"))], "mismatch"),
        # Not in block form, and open at the very end.
        ([QUESTION, asks({"type": "thinking"}, use("a"))], "pending"),
        ([QUESTION, {"role": "assistant", "content": "", "tool_calls": [chat_call("a")]}], "pending"),
        (
            [QUESTION, {"role": "assistant", "tool_calls": [chat_call("a"), chat_call("b")]}, tool("b")],
            "mismatch",
        ),
        ([QUESTION, item("function_call", call_id="a", name="look", arguments="{}")], "pending"),
    ],
)
def test_an_open_end_is_kept_so_that_it_is_refused(messages: list[Any], code: str) -> None:
    found = tool_exchanges(messages)
    assert "calls without a result" not in [left.reason for left in found.left]
    with pytest.raises(Refusal) as refusal:
        split_history(found.messages)
    assert refusal.value.code == code


@pytest.mark.parametrize("nothing", [[], None, 7, {"messages": []}, [asks(text("Hi."))], [None]])
def test_where_the_user_says_nothing_other_words_stand_in(nothing: Any) -> None:
    found = tool_exchanges(nothing)
    assert found.messages == [{"role": "user", "content": NO_QUESTION}]
    assert found.sources == [()]


def test_refuses_an_unknown_api_and_what_is_no_json() -> None:
    with pytest.raises(Refusal) as refusal:
        tool_exchanges([QUESTION], "gemini")  # type: ignore[arg-type]
    assert refusal.value.code == "bad_argument"
    endless: Message = {"role": "user", "content": []}
    endless["content"].append(endless)
    for value in (endless, {"role": "user", "content": {1}}):
        with pytest.raises(Refusal) as refusal:
            tool_exchanges([value])
        assert refusal.value.code == "not_a_history"


# Laws. Histories are drawn from few ids and all kinds of parts, in any order.

ids = st.sampled_from(["a", "b", "c", "", None, 3])
contents = (
    st.none() | st.just("dry") | st.just([text("dry"), text("cold"), {"type": "image"}]) | st.just({"x": 1})
)
marks = st.sampled_from([{}, {"is_error": True}, {"is_error": None}])
blocks = st.one_of(
    st.builds(text, st.sampled_from(["", " ", "words"])),
    st.builds(lambda i: {"type": "tool_use", "id": i, "name": "look", "input": {"side": 1}}, ids),
    st.builds(
        lambda i, c, m: {"type": "tool_result", "tool_use_id": i, "content": c, **m}, ids, contents, marks
    ),
    st.sampled_from(
        [
            {"type": "thinking", "thinking": "?"},
            {"type": "server_tool_use", "id": "a"},
            {"type": "image"},
            None,
        ]
    ),
)
anthropic = st.builds(
    lambda role, content: {"role": role, "content": content},
    st.sampled_from(["user", "assistant", "system"]),
    st.lists(blocks, max_size=3) | st.sampled_from(["words", ""]),
)
chat = st.one_of(
    st.builds(
        lambda content, calls: {"role": "assistant", "content": content, "tool_calls": calls},
        st.sampled_from([None, "", "words"]),
        st.none()
        | st.lists(st.builds(chat_call, ids, st.sampled_from(["{}", "{", None])) | st.none(), max_size=3),
    ),
    st.builds(tool, ids, contents),
    st.builds(lambda role: {"role": role, "content": "words"}, st.sampled_from(["user", "developer"])),
)
responses = st.one_of(
    st.builds(
        lambda i, kind: item(kind, call_id=i, name="look"),
        ids,
        st.sampled_from(["function_call", "shell_call"]),
    ),
    st.builds(
        lambda i, kind, out: item(kind, call_id=i, output=out),
        ids,
        st.sampled_from(["function_call_output", "shell_call_output"]),
        contents,
    ),
    st.builds(
        lambda role: item("message", role=role, content="words"), st.sampled_from(["user", "assistant"])
    ),
    st.just(item("reasoning", id="rs", summary=[])),
)
anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "type", "content", "id", "tool_calls", "call_id"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
histories = st.one_of(*(st.lists(kind, max_size=7) for kind in (anthropic, chat, responses, anything)))


def is_open(messages: list[Message]) -> bool:
    """Whether the last exchange waits for a result; the form leaves no other place for one."""
    if len(messages) % 2 == 0:
        return True
    return len(messages) > 1 and len(messages[-1]["content"]) < len(
        [block for block in messages[-2]["content"] if block["type"] == "tool_use"]
    )


@given(histories, st.sampled_from([None, *APIS]))
@example([QUESTION, asks(use("a")), answers(result("a")), asks(use("a")), answers(result("a"))], None)
def test_laws(messages: list[Any], api: Api | None) -> None:
    before = copy.deepcopy(messages)
    found = tool_exchanges(messages, api)
    assert repr(messages) == repr(before)
    # Nothing goes missing without a name.
    kept = {index for indices in found.sources for index in indices}
    assert kept | {left.message for left in found.left} == set(range(len(messages)))
    assert len(found.sources) == len(found.messages)
    # The structure holds, unless the end is open or the history was in the form already, faults included.
    if found.messages != messages and not is_open(found.messages):
        parts = split_history(found.messages, 1)
        assert len(parts["older"]) + len(parts["recent"]) == (len(found.messages) - 1) // 2
        assert prepare_context(
            found.messages, "Go on.", {"archives": [], "summaries": 0, "max_summaries": 0}, str, str, 10**6
        )
    # What comes out is in the form, so it comes out again as it is.
    again = tool_exchanges(found.messages)
    assert (again.messages, again.left) == (found.messages, [])


@given(st.lists(anthropic, max_size=7))
def test_ids_inputs_texts_and_marks_are_those_of_the_history(messages: list[Any]) -> None:
    given_ = {
        json.dumps(block) for message in messages for block in message["content"] if isinstance(block, dict)
    }
    for message in tool_exchanges(messages, "anthropic-messages").messages[1:]:
        for block in message["content"]:
            if block["type"] != "tool_result" or block["content"] == "dry":
                assert json.dumps(block) in given_ or json.dumps(block | {"is_error": None}) in given_


def test_ten_thousand_messages_take_one_pass() -> None:
    calls = [chat_call(f"c{number}") for number in range(5000)]
    history = [QUESTION, {"role": "assistant", "tool_calls": calls}, *(tool(call["id"]) for call in calls)]
    twice = [QUESTION, {"role": "assistant", "tool_calls": [chat_call("a")]}, *[tool("a")] * 10_000]
    assert len(tool_exchanges(history).messages[2]["content"]) == 5000
    assert len(tool_exchanges(twice).left) == 9_999

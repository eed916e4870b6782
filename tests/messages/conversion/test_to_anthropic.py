import copy
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.conversion import Left, chat_to_anthropic


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words} | more


def call(call_id: str, arguments: str = '{"at": "ü"}', **more: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "look", "arguments": arguments}} | more


def tool(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content} | more


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content} | more


def assistant(content: Any, *calls: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content} | ({"tool_calls": list(calls)} if calls else {}) | more


def tool_use(call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "look", "input": arguments}


def result(call_id: str, content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
LATER = {"role": "system", "content": "Be brief."}
AUDIO = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}


def test_a_sound_history_comes_over_whole() -> None:
    history = [
        {"role": "system", "content": "You read."},
        user("Read both."),
        assistant("I do.", call("a"), call("b", "{}")),
        tool("b", "B"),
        tool("a", [text("A1"), text("A2")]),
        user([text("And this?"), IMAGE]),
        assistant(None, call("c")),
        tool("c", ""),
        {"role": "system", "content": "Be brief from here on."},
        assistant([text("One."), text("Two.")]),
        user("Thanks."),
        assistant("Done."),
    ]
    before = copy.deepcopy(history)
    converted = chat_to_anthropic(history)
    assert converted.system == "You read."
    assert converted.messages == [
        user("Read both."),
        assistant([text("I do."), tool_use("a", at="ü"), tool_use("b")]),
        user(
            [
                result("b", "B"),
                result("a", [text("A1"), text("A2")]),
                text("And this?"),
                {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
            ]
        ),
        assistant([tool_use("c", at="ü")]),
        user([result("c", "")]),
        {"role": "system", "content": "Be brief from here on."},
        assistant([text("One."), text("Two.")]),
        user("Thanks."),
        assistant("Done."),
    ]
    assert converted.left == []
    assert history == before


def test_leading_instructions_become_the_system_text() -> None:
    history = [
        {"role": "system", "content": "One."},
        {"role": "developer", "content": [text("Two."), text("Three.")]},
        user("Hi"),
        {"role": "developer", "content": "Four."},
    ]
    converted = chat_to_anthropic(history)
    assert converted.system == [text("One."), text("Two."), text("Three.")]
    assert converted.messages == [user("Hi"), {"role": "system", "content": "Four."}]
    assert [(left.message, left.block) for left in converted.left] == [(1, None), (3, None)]
    assert "the role 'developer' becomes 'system'" in converted.left[0].text


def test_later_instructions_in_a_row_are_joined() -> None:
    later = [{"role": "system", "content": "One."}, {"role": "developer", "content": [text("Two.")]}]
    converted = chat_to_anthropic([user("Hi"), *later, assistant("Ho")])
    assert converted.messages == [
        user("Hi"),
        {"role": "system", "content": [text("One."), text("Two.")]},
        assistant("Ho"),
    ]
    assert [(left.message, left.block) for left in converted.left] == [(2, None)]


@pytest.mark.parametrize(
    ("history", "at"),
    [
        ([user("Hi"), assistant("Ho"), LATER, user("And?")], 2),
        ([user("Hi"), assistant("Ho"), LATER], 2),
        ([user("Hi"), LATER, user("And?")], 1),
        ([user("Hi"), assistant(None, call("a")), tool("a", "A"), LATER, user("And?")], 3),
    ],
)
def test_a_place_that_later_instructions_may_not_have_is_reported(history: Any, at: int) -> None:
    converted = chat_to_anthropic(history)
    assert LATER in converted.messages
    assert [(left.message, left.block) for left in converted.left] == [(at, None)]
    assert "a system message has no such place in Anthropic's Messages" in converted.left[0].text


@pytest.mark.parametrize("rest", [[], [assistant("Ho")]])
def test_later_instructions_may_follow_the_user(rest: Any) -> None:
    converted = chat_to_anthropic([user("Hi"), LATER, *rest])
    assert converted.messages == [user("Hi"), LATER, *rest]
    assert converted.left == []


def test_without_instructions_there_is_no_system_text() -> None:
    assert chat_to_anthropic([user("Hi")]).system is None


def test_only_the_first_message_after_results_joins_them() -> None:
    converted = chat_to_anthropic([tool("a", "A"), user("One."), user("Two."), tool("b", "B")])
    assert converted.messages == [
        user([result("a", "A"), text("One.")]),
        user("Two."),
        user([result("b", "B")]),
    ]


@pytest.mark.parametrize("content", [None, ""])
def test_no_text_gives_no_text_block(content: Any) -> None:
    (message,) = chat_to_anthropic([assistant(content, call("a", "{}"))]).messages
    assert message == assistant([tool_use("a")])


@pytest.mark.parametrize("arguments", ["", '{"at": "a.t', "[1]", '{"n": NaN}'])
def test_arguments_that_are_no_object_stand_as_a_text(arguments: str) -> None:
    converted = chat_to_anthropic([assistant(None, call("a", "{}"), call("b", arguments)), tool("b", "B")])
    assert converted.messages == [
        assistant([tool_use("a"), tool_use("b", unreadable_arguments=arguments)]),
        user([result("b", "B")]),
    ]
    words = (
        "message 0, call 1: arguments that are not a JSON object stand as a text under 'unreadable_arguments'"
    )
    assert converted.left == [Left(0, 1, words)]


def test_a_custom_tool_is_called_with_its_text_as_input() -> None:
    custom = {"id": "b", "type": "custom", "custom": {"name": "look", "input": "SELECT 1"}}
    converted = chat_to_anthropic([assistant("I do.", call("a", "{}"), custom), tool("b", "B")])
    assert converted.messages == [
        assistant([text("I do."), tool_use("a"), tool_use("b", input="SELECT 1")]),
        user([result("b", "B")]),
    ]
    assert [(left.message, left.block) for left in converted.left] == [(0, 1)]
    assert "a call of a custom tool" in converted.left[0].text


def test_a_call_without_a_type_is_one_of_a_function() -> None:
    untyped = {"id": "a", "function": {"name": "look", "arguments": "{}"}}
    converted = chat_to_anthropic([assistant(None, untyped)])
    assert converted.messages == [assistant([tool_use("a")])]
    assert converted.left == []


@pytest.mark.parametrize(
    ("message", "block"),
    [
        (assistant(None, refusal="I cannot."), None),
        (assistant([{"type": "refusal", "refusal": "I cannot."}]), 0),
    ],
)
def test_a_refusal_becomes_a_text(message: Any, block: int | None) -> None:
    converted = chat_to_anthropic([message])
    assert converted.messages == [assistant("I cannot.")]
    assert [(left.message, left.block) for left in converted.left] == [(0, block)]
    assert "a refusal becomes a text" in converted.left[0].text


@pytest.mark.parametrize(
    ("message", "kept", "block"),
    [
        (user([text("Hm."), AUDIO]), user("Hm."), 1),
        (user([text("Hm."), {"type": "file", "file": {"file_id": "f"}}]), user("Hm."), 1),
        (user([text("Hm."), {"type": "new"}]), user("Hm."), 1),
        (assistant("Hm.", call("a", "{}"), {"id": "b", "type": "new"}), None, 1),
        (tool("a", [text("Hm."), IMAGE]), user([result("a", "Hm.")]), 1),
        (assistant("Hm.", name="Bo"), assistant("Hm."), None),
        (user("Hm.", name="Bo"), user("Hm."), None),
        (tool("a", "Hm.", name="look"), user([result("a", "Hm.")]), None),
        (assistant("Hm.", audio={"id": "x"}), assistant("Hm."), None),
        (assistant("Hm.", call("a", "{}", index=0)), None, 0),
        (user([text("Hm.", prompt_cache_breakpoint={"mode": "explicit"})]), user("Hm."), 0),
    ],
)
def test_what_cannot_be_said_is_reported(message: Any, kept: Any, block: int | None) -> None:
    converted = chat_to_anthropic([user("Why?"), message])
    expected = kept or assistant([text("Hm."), tool_use("a")])
    assert converted.messages == [user("Why?"), expected]
    ((left),) = converted.left
    assert (left.message, left.block) == (1, block)
    assert left.text.startswith("message 1")
    assert "left out" in left.text


def test_the_places_of_calls_and_of_blocks_are_told_apart() -> None:
    converted = chat_to_anthropic([assistant([AUDIO], {"type": "new", "id": "x"})])
    assert [left.text.split(":")[0] for left in converted.left] == [
        "message 0, block 0",
        "message 0, call 0",
        "message 0",
    ]


def test_fields_that_hold_nothing_are_not_reported() -> None:
    answer = assistant("Hm.", refusal=None, annotations=[], audio=None, function_call=None)
    assert chat_to_anthropic([answer | {"tool_calls": None}]).left == []


def test_the_older_calls_without_an_id_go_with_their_results() -> None:
    history = [
        user("Look."),
        assistant(None, function_call={"name": "look", "arguments": "{}"}),
        {"role": "function", "name": "look", "content": "A"},
        assistant(""),
        assistant("I looked."),
    ]
    converted = chat_to_anthropic(history)
    assert converted.messages == [user("Look."), assistant("I looked.")]
    assert [(left.message, left.block) for left in converted.left] == [
        (1, None),
        (1, None),
        (2, None),
        (3, None),
    ]


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ("Hi", "a history is a list of messages, not a str"),
        ([None], "message 0 is None, not a dict"),
        (
            [{"role": "model", "content": "A"}],
            "message 0 has the role 'model'; the roles of this form are system,",
        ),
        ([{"content": "A"}], "message 0 has the role None"),
        ([{"role": {}, "content": "A"}], "message 0 has the role {}"),
        ([user(None)], "message 0: content is None, not a list"),
        ([assistant(0)], "message 0: content is an int, not a list"),
        ([assistant(None, "x")], "message 0, call 0 is a str, not a dict"),
        ([assistant(None) | {"tool_calls": {}}], "message 0: tool_calls is a dict, not a list"),
        (
            [assistant(None, {"id": "a", "type": "function"})],
            "message 0, call 0: 'function' is None, not a dict",
        ),
        ([assistant(None, call("a", {}))], "message 0, call 0: 'arguments' is a dict, not a text"),  # type: ignore[arg-type]
        ([assistant(None, call("a", id=None))], "message 0, call 0: 'id' is None, not a text"),
        ([tool("a", [text("A"), 1])], "message 0, block 1 is an int, not a dict"),
        ([{"role": "tool", "content": "A"}], "message 0: 'tool_call_id' is None, not a text"),
        (
            [user([{"type": "image_url", "image_url": "x"}])],
            "message 0, block 0: 'image_url' is a str, not a dict",
        ),
    ],
)
def test_another_shape_is_refused_with_its_place(messages: Any, said: str) -> None:
    with pytest.raises(Refusal, match=said) as caught:
        chat_to_anthropic(messages)
    assert caught.value.code == "not_a_history"

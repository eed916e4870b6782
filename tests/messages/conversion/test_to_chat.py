import copy
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.conversion import Left, anthropic_to_chat


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words} | more


def call(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "look", "input": {"at": "ü"}} | more


def result(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content} | more


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def chat_call(call_id: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "look", "arguments": '{"at": "ü"}'}}


def tool(call_id: str, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
IMAGE_PART = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}


def test_a_sound_history_comes_over_whole() -> None:
    history = [
        {"role": "user", "content": "Read both."},
        assistant(text("I do."), call("a"), call("b")),
        user(result("b", "B"), result("a", [text("A1"), text("A2")])),
        {"role": "system", "content": "Be brief from here on."},
        {"role": "assistant", "content": "Done."},
        user(text("And this?"), IMAGE),
        assistant(text("One."), text("Two.")),
    ]
    before = copy.deepcopy(history)
    converted = anthropic_to_chat(history, system=[text("You read."), text("You write.")])
    assert converted.messages == [
        {"role": "system", "content": [text("You read."), text("You write.")]},
        {"role": "user", "content": "Read both."},
        {"role": "assistant", "content": "I do.", "tool_calls": [chat_call("a"), chat_call("b")]},
        tool("b", "B"),
        tool("a", [text("A1"), text("A2")]),
        {"role": "system", "content": "Be brief from here on."},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": [text("And this?"), IMAGE_PART]},
        {"role": "assistant", "content": [text("One."), text("Two.")]},
    ]
    assert converted.left == []
    assert converted.system is None
    assert history == before


def test_calls_alone_have_no_content() -> None:
    (message,) = anthropic_to_chat([assistant(call("a"))]).messages
    assert message == {"role": "assistant", "content": None, "tool_calls": [chat_call("a")]}


def test_what_stands_beside_results_keeps_its_order() -> None:
    history = [user(text("Before."), result("a", "A"), result("b", ""), text("After."), IMAGE)]
    converted = anthropic_to_chat(history)
    assert converted.messages == [
        {"role": "user", "content": "Before."},
        tool("a", "A"),
        tool("b", ""),
        {"role": "user", "content": [text("After."), IMAGE_PART]},
    ]
    assert converted.left == []


def test_a_result_without_content_is_empty() -> None:
    history = [user({"type": "tool_result", "tool_use_id": "a"}, result("b", None), result("c", []))]
    assert anthropic_to_chat(history).messages == [tool("a", ""), tool("b", ""), tool("c", "")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("no file", "Error: no file"),
        ("", "Error: "),
        ([text("no"), text("file")], [text("Error: no"), text("file")]),
    ],
)
def test_an_error_mark_is_said_and_reported(content: Any, said: Any) -> None:
    converted = anthropic_to_chat([user(result("a", "A"), result("b", content, is_error=True))])
    assert converted.messages[1] == tool("b", said)
    words = (
        "message 0, block 1: the error mark becomes the prefix 'Error: '; Chat Completions have no such mark"
    )
    assert converted.left == [Left(0, 1, words)]
    assert anthropic_to_chat([user(result("b", content, is_error=False))]).left == []


def test_assistant_messages_in_a_row_are_joined_from_the_first_call_on() -> None:
    history = [
        assistant(text("One.")),
        assistant(text("Two."), call("a")),
        assistant(call("b")),
        {"role": "assistant", "content": "Three."},
        user(result("a", "A")),
        user(result("b", "B")),
    ]
    converted = anthropic_to_chat(history)
    assert converted.messages == [
        {"role": "assistant", "content": "One."},
        {
            "role": "assistant",
            "content": [text("Two."), text("Three.")],
            "tool_calls": [chat_call("a"), chat_call("b")],
        },
        tool("a", "A"),
        tool("b", "B"),
    ]
    ((message, block, words),) = [(left.message, left.block, left.text) for left in converted.left]
    assert (message, block) == (3, 0)
    assert "a text after a call now stands before it" in words


SEARCHED = {"type": "search_result", "source": "s", "title": "t", "content": [text("found"), text("more")]}
PLAIN = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain"}}
CUSTOM = {"type": "document", "source": {"type": "content", "content": [text("own"), IMAGE]}}


@pytest.mark.parametrize(
    ("block", "words"),
    [(SEARCHED, ["found", "more"]), (PLAIN, ["plain"]), (CUSTOM, ["own"])],
    ids=["search result", "plain text", "own content"],
)
def test_the_text_of_a_form_that_chat_lacks_is_kept_in_a_result(block: Any, words: list[str]) -> None:
    converted = anthropic_to_chat([user(result("a", [text("See:"), block]))])
    assert converted.messages == [tool("a", [text(word) for word in ["See:", *words]])]
    ((left),) = converted.left
    assert (left.message, left.block) == (0, 0)
    assert left.text.startswith(
        f"message 0, block 0, part 1: of a block of type {block['type']!r} only the text"
    )


def test_a_search_result_of_the_user_keeps_its_text() -> None:
    converted = anthropic_to_chat([user(text("See:"), SEARCHED)])
    assert converted.messages == [{"role": "user", "content": [text("See:"), text("found"), text("more")]}]
    assert [(left.message, left.block) for left in converted.left] == [(0, 1)]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (assistant(text("Hm."), THINKING), "Hm."),
        (assistant(text("Hm."), {"type": "redacted_thinking", "data": "x"}), "Hm."),
        (
            assistant(text("Hm."), {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
            "Hm.",
        ),
        (
            assistant(text("Hm."), {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}),
            "Hm.",
        ),
        (assistant(text("Hm."), {"type": "new", "text": "?"}), "Hm."),
        (assistant(text("Hm."), {"text": "no type"}), "Hm."),
        (user(text("Hm."), {"type": "container_upload", "file_id": "f"}), "Hm."),
        (user(text("Hm."), {"type": "image", "source": {"type": "file", "file_id": "f"}}), "Hm."),
        (user(text("Hm."), {"type": "document", "source": {"type": "url", "url": "https://x.org"}}), "Hm."),
        (user(text("Hm."), call("a")), "Hm."),
        ({"role": "system", "content": [text("Hm."), IMAGE]}, "Hm."),
    ],
    ids=lambda value: value["content"][1].get("type", "no type") if isinstance(value, dict) else None,
)
def test_a_block_that_cannot_be_said_is_reported(message: Any, kept: str) -> None:
    converted = anthropic_to_chat([{"role": "user", "content": "Why?"}, message])
    assert converted.messages[1:] == [{"role": message["role"], "content": kept}]
    ((left),) = converted.left
    assert (left.message, left.block) == (1, 1)
    assert left.text.startswith("message 1, block 1: a")
    assert "left out" in left.text


def test_an_image_in_a_result_is_reported() -> None:
    converted = anthropic_to_chat([user(result("a", [IMAGE]))])
    assert converted.messages == [tool("a", "")]
    assert [left.text for left in converted.left] == [
        "message 0, block 0, part 0: a block of type 'image' is left out; Chat Completions have none there"
    ]


def test_a_message_of_which_nothing_is_left_goes_and_is_reported() -> None:
    converted = anthropic_to_chat([assistant(THINKING), user(), assistant(text("Hm."))])
    assert converted.messages == [{"role": "assistant", "content": "Hm."}]
    assert [(left.message, left.block) for left in converted.left] == [(0, 0), (0, None), (1, None)]
    assert "nothing of it can be said" in converted.left[1].text


@pytest.mark.parametrize(
    ("message", "place", "name"),
    [
        (user(text("Hm.", cache_control={"type": "ephemeral"})), (0, 0), "cache_control"),
        (assistant(text("Hm.", citations=[{"cited_text": "x"}])), (0, 0), "citations"),
        (assistant(call("a", caller={"type": "direct"})), (0, 0), "caller"),
        (user(result("a", "A", cache_control={"type": "ephemeral"})), (0, 0), "cache_control"),
        (user(result("a", [text("A", cache_control={"type": "ephemeral"})])), (0, 0), "cache_control"),
        (assistant(text("Hm.")) | {"stop_reason": "end_turn"}, (0, None), "stop_reason"),
        (user(text("Look."), IMAGE | {"cache_control": {"type": "ephemeral"}}), (0, 1), "cache_control"),
        (user(text("Look."), {"type": "image", "source": IMAGE["source"] | {"more": 1}}), (0, 1), "more"),
        (user(text("Look."), PLAIN | {"context": "last year"}), (0, 1), "context"),
    ],
)
def test_a_field_that_cannot_be_said_is_reported(message: Any, place: Any, name: str) -> None:
    converted = anthropic_to_chat([message])
    assert len(converted.messages) == 1
    ((left),) = converted.left
    assert (left.message, left.block) == place
    assert f"left out: {name!r}; Chat Completions have no such field there" in left.text


def test_a_field_that_holds_nothing_is_not_reported() -> None:
    history = [
        assistant(text("Hm.", citations=None), call("a", cache_control=None)) | {"stop_sequence": None}
    ]
    assert anthropic_to_chat(history).left == []


def test_what_is_left_is_listed_in_the_order_of_the_messages() -> None:
    history = [assistant(THINKING, call("a")), assistant(call("b")) | {"id": "m"}, user(result("a", [IMAGE]))]
    converted = anthropic_to_chat(history, system=[text("Hm.", cache_control={"type": "ephemeral"})])
    assert [(left.message, left.block) for left in converted.left] == [(None, 0), (0, 0), (1, None), (2, 0)]
    assert converted.left[0].text.startswith("the system text, block 0: left out: 'cache_control'")


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ({"messages": []}, "a history is a list of messages, not a dict"),
        (["Hi"], "message 0 is a str, not a dict"),
        (
            [{"role": "tool", "content": "A"}],
            "message 0 has the role 'tool'; the roles of this form are user,",
        ),
        ([{"role": ["user"], "content": "A"}], r"message 0 has the role \['user'\]"),
        ([{"role": "user"}], "message 0: content is None, not a list"),
        ([user("Hi")], "message 0, block 0 is a str, not a dict"),
        ([user({"type": "text", "text": None})], "message 0, block 0: 'text' is None, not a text"),
        ([assistant(call("a", id=7))], "message 0, block 0: 'id' is an int, not a text"),
        ([assistant(call("a", name=None))], "message 0, block 0: 'name' is None, not a text"),
        ([assistant(call("a", input="{}"))], "message 0, block 0: 'input' is a str, not a dict"),
        (
            [assistant(call("a", input={"n": float("nan")}))],
            "message 0, block 0 has an input without a JSON form",
        ),
        ([assistant(call("a", input={(1, 2): 3}))], "message 0, block 0 has an input without a JSON form"),
        ([user(result("a", [text("A"), "B"]))], "message 0, block 0, part 1 is a str, not a dict"),
        (
            [user({"type": "tool_result", "content": "A"})],
            "message 0, block 0: 'tool_use_id' is None, not a text",
        ),
        ([user({"type": "image"})], "message 0, block 0: 'source' is None, not a dict"),
        ([user(text("Hi", more={1, 2}))], "it holds a value of type set"),
    ],
)
def test_another_shape_is_refused_with_its_place(messages: Any, said: str) -> None:
    with pytest.raises(Refusal, match=said) as caught:
        anthropic_to_chat(messages)
    assert caught.value.code == "not_a_history"


def test_a_history_that_contains_itself_is_refused() -> None:
    history: list[Any] = [user()]
    history[0]["content"].append(result("a", history[0]["content"]))
    with pytest.raises(Refusal, match="contains itself"):
        anthropic_to_chat(history)


def test_the_result_shares_nothing_with_the_input() -> None:
    system = [text("You read.")]
    history = [user(text("One."), text("Two."), IMAGE), assistant(call("a"))]
    before = copy.deepcopy((history, system))
    converted = anthropic_to_chat(history, system)
    for message in converted.messages:
        for part in message["content"] if isinstance(message["content"], list) else []:
            part.clear()
    assert (history, system) == before

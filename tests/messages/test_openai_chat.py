import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.openai_chat import from_openai_chat, to_openai_chat


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "read_file", "input": arguments}


def result(call_id: str, content: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content} | more


def chat_call(call_id: str, arguments: str) -> dict[str, Any]:
    function = {"name": "read_file", "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


class TestToOpenAIChat:
    def test_parallel_calls_and_their_results_in_order(self) -> None:
        history = [
            {"role": "user", "content": "Read both."},
            assistant(text("I do."), call("a", path="ü.txt"), call("b", path="b.txt")),
            user(result("b", "B", is_error=False), result("a", "A")),
        ]
        assert to_openai_chat(history) == [
            {"role": "user", "content": "Read both."},
            {
                "role": "assistant",
                "content": "I do.",
                "tool_calls": [chat_call("a", '{"path": "ü.txt"}'), chat_call("b", '{"path": "b.txt"}')],
            },
            {"role": "tool", "tool_call_id": "b", "content": "B"},
            {"role": "tool", "tool_call_id": "a", "content": "A"},
        ]

    def test_an_error_mark_becomes_a_prefix(self) -> None:
        (message,) = to_openai_chat([user(result("a", "no such file", is_error=True))])
        assert message["content"] == "Error: no such file"

    def test_calls_without_text_have_no_content(self) -> None:
        (message,) = to_openai_chat([assistant(call("a"))])
        assert message["content"] is None
        assert message["tool_calls"] == [chat_call("a", "{}")]

    def test_an_answer_without_calls_has_no_list_of_calls(self) -> None:
        expected = [{"role": "assistant", "content": "One.\n\nTwo."}]
        assert to_openai_chat([assistant(text("One."), text("Two."))]) == expected
        assert to_openai_chat([{"role": "assistant", "content": "One.\n\nTwo."}]) == expected

    def test_a_question_of_text_blocks_stays_in_parts(self) -> None:
        question = user(text("One."), text("Two."))
        assert to_openai_chat([question]) == [question]

    @pytest.mark.parametrize(
        ("message", "said"),
        [
            (user(text("See."), {"type": "image"}), "message 1, block 1 has the type 'image'"),
            (user(result("a", "A"), text("And?")), "message 1, block 0 has the type 'tool_result'"),
            (assistant(text("Hm."), {"type": "thinking"}), "message 1, block 1 has the type 'thinking'"),
            ({"role": "system", "content": "You work."}, "message 1 has the role 'system'"),
        ],
    )
    def test_what_the_block_form_here_does_not_know_is_refused(self, message: Any, said: str) -> None:
        with pytest.raises(Refusal, match=said) as caught:
            to_openai_chat([{"role": "user", "content": "Why?"}, message])
        assert caught.value.code == "unsupported_block"

    def test_an_input_without_a_json_form_is_refused(self) -> None:
        with pytest.raises(Refusal, match="message 0, block 1 has an input without a JSON form") as caught:
            to_openai_chat([assistant(text("Hm."), call("a", n=float("inf")))])
        assert caught.value.code == "not_a_history"

    def test_it_copies(self) -> None:
        history = [
            user(text("One.")),
            assistant(call("a", path=["x"])),
            user(result("a", "A", is_error=True)),
        ]
        before = copy.deepcopy(history)
        converted = to_openai_chat(history)
        converted[0]["content"][0]["text"] = "changed"
        assert history == before


class TestFromOpenAIChat:
    def test_text_beside_parallel_calls(self) -> None:
        message = {
            "role": "assistant",
            "content": "I do.",
            "refusal": None,
            "annotations": [],
            "tool_calls": [chat_call("a", '{"path": "ü"}'), chat_call("b", "{}")],
        }
        before = copy.deepcopy(message)
        assert from_openai_chat(message) == assistant(text("I do."), call("a", path="ü"), call("b"))
        assert message == before

    @pytest.mark.parametrize("content", [None, "", " \n"])
    def test_no_text_gives_no_text_block(self, content: Any) -> None:
        message = {"content": content, "tool_calls": [chat_call("a", "{}")]}
        assert from_openai_chat(message) == assistant(call("a"))

    def test_no_calls(self) -> None:
        assert from_openai_chat({"content": "Done.", "tool_calls": None}) == assistant(text("Done."))

    @pytest.mark.parametrize(
        "arguments",
        [
            "",
            "{",
            '{"path": "a.t',
            "[1]",
            '"text"',
            "null",
            "7",
            '{"n": NaN}',
            '{"s": "\\ud800"}',
            "[" * 100_000,
        ],
        ids=lambda arguments: arguments[:20],
    )
    def test_arguments_that_are_no_object_keep_their_text(self, arguments: str) -> None:
        (block,) = from_openai_chat({"tool_calls": [chat_call("a", arguments)]})["content"]
        assert block == call("a", unreadable_arguments=arguments)

    @pytest.mark.parametrize(
        ("message", "code", "said"),
        [
            (None, "not_a_history", "the message is None, not an object"),
            ({"content": ["x"]}, "not_a_history", "the content is a list, not a text"),
            ({"tool_calls": {}}, "not_a_history", "tool_calls is a dict, not a list"),
            ({"tool_calls": ["x"]}, "not_a_history", r"tool_calls\[0\] is a str, not an object"),
            (
                {"tool_calls": [chat_call("a", "{}"), {"id": "b", "type": "custom"}]},
                "unsupported_block",
                r"tool_calls\[1\] has the type 'custom', not 'function'",
            ),
            (
                {"tool_calls": [{"id": "a", "type": "function", "function": {"name": "n", "arguments": {}}}]},
                "not_a_history",
                r"tool_calls\[0\] has no function with its arguments as a text",
            ),
        ],
    )
    def test_another_shape_is_refused(self, message: Any, code: str, said: str) -> None:
        with pytest.raises(Refusal, match=said) as caught:
            from_openai_chat(message)
        assert caught.value.code == code


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
said = words.filter(lambda words: bool(words.strip()))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
calls = st.lists(st.dictionaries(words, values, max_size=3), min_size=1, max_size=3).map(
    lambda inputs: [call(f"call_{number}") | {"input": one} for number, one in enumerate(inputs)]
)


@given(st.lists(said, max_size=1), calls)
def test_an_answer_comes_back_as_it_went(texts: list[str], calls: list[dict[str, Any]]) -> None:
    message = assistant(*map(text, texts), *calls)
    (converted,) = to_openai_chat([message])
    # As it would travel.
    assert from_openai_chat(json.loads(json.dumps(converted))) == message

from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.shapes import recognised, shape_of

ANTHROPIC, CHAT, RESPONSES = "anthropic-messages", "openai-chat", "openai-responses"
HI = {"role": "user", "content": "Hi."}


def blocks(*types: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": name} for name in types]} | more


@pytest.mark.parametrize(
    ("messages", "api"),
    [
        pytest.param(None, None, id="no list"),
        pytest.param([], None, id="empty"),
        pytest.param(["Hi.", 3, None, {}], None, id="no messages"),
        pytest.param([{"role": 3, "content": "Hi."}], None, id="a role of 3"),
        pytest.param([HI], ANTHROPIC, id="plain texts"),
        pytest.param([HI, blocks("text")], ANTHROPIC, id="text blocks"),
        pytest.param(
            [{"role": "system", "content": "Hi."}, HI], CHAT, id="plain texts with a system message"
        ),
        pytest.param([{"role": "developer", "content": "Hi."}, HI], CHAT, id="plain texts of a developer"),
        pytest.param(
            [{"role": "system", "content": "Hi."}, HI, blocks("tool_use")], ANTHROPIC, id="tool_use"
        ),
        pytest.param([HI, blocks("thinking", "text")], ANTHROPIC, id="thinking"),
        pytest.param([HI, blocks("code_execution_tool_result")], ANTHROPIC, id="a result of a server tool"),
        pytest.param([blocks("text", type="message", id="msg_1"), HI], ANTHROPIC, id="an answer as it came"),
        pytest.param([HI, {"role": "assistant", "content": None, "tool_calls": []}], CHAT, id="tool_calls"),
        pytest.param([{"role": "tool", "tool_call_id": "a", "content": ""}], CHAT, id="tool"),
        pytest.param([blocks("text", "image_url")], CHAT, id="image_url"),
        pytest.param([HI | {"type": "message"}], RESPONSES, id="a typed message"),
        pytest.param([HI, {"type": "function_call"}], RESPONSES, id="function_call"),
        pytest.param([HI, blocks("refusal", type="message")], RESPONSES, id="a typed refusal"),
        pytest.param([HI, blocks("refusal")], CHAT, id="a refusal"),
        pytest.param([blocks("input_text")], RESPONSES, id="input_text"),
        pytest.param([HI, {"type": "item_of_tomorrow"}], RESPONSES, id="an unknown item"),
        pytest.param(
            [blocks("tool_use"), blocks("tool_result"), blocks("input_text")], ANTHROPIC, id="most votes"
        ),
        pytest.param(
            [blocks("input_text"), blocks("tool_use"), blocks("tool_use")], ANTHROPIC, id="two to one"
        ),
        pytest.param([blocks("input_text"), blocks("tool_use")], RESPONSES, id="the first of two equal"),
    ],
)
def test_recognised_by_what_only_one_shape_has(messages: Any, api: str | None) -> None:
    assert recognised(messages) == api


def test_a_given_shape_is_taken_and_another_name_refused() -> None:
    assert shape_of([HI], "openai-responses") == RESPONSES
    assert shape_of(None, None) == ANTHROPIC
    with pytest.raises(
        Refusal, match="there is no api 'openai'; give one of anthropic-messages, openai-chat"
    ):
        shape_of([HI], "openai")  # type: ignore[arg-type]

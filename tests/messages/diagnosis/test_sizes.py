from typing import Any

import pytest

from ctxlab.messages.diagnosis.examining import diagnose

Message = dict[str, Any]
IMAGE = {"type": "base64", "media_type": "image/png", "data": "A" * 9_000}


def told(history: list[Any], **context: Any) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code, finding.message, finding.block) for finding in diagnose(history, **context)]


def anthropic(words: str) -> list[Message]:
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {"at": 1}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": words}]}
    return [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result, {"type": "image", "source": IMAGE}]},
    ]


def chat(words: str) -> list[Message]:
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
    return [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": words},
    ]


def responses(words: str) -> list[Message]:
    return [
        {"role": "user", "content": "Look."},
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": '{"at": 1}'},
        {"type": "function_call_output", "call_id": "a", "output": words},
    ]


each_shape = pytest.mark.parametrize(
    ("history_of", "block"), [(anthropic, 0), (chat, None), (responses, None)]
)


@each_shape
def test_one_block_over_the_whole_budget(history_of: Any, block: int | None) -> None:
    history = history_of("x" * 4_004)
    assert told(history, budget_tokens=1_000) == [("oversize_block", 2, block)]
    assert told(history, budget_tokens=1_001) == []
    assert told(history) == []


def test_arguments_and_questions_can_be_too_large_too() -> None:
    history = chat("dry")
    history[0]["content"] = "x" * 4_004
    history[1]["tool_calls"][0]["function"]["arguments"] = '{"at": "' + "x" * 4_004 + '"}'
    assert told(history, budget_tokens=1_000) == [("oversize_block", 0, None), ("oversize_block", 1, 0)]


def test_the_text_has_the_figures_and_says_that_no_fold_reaches_it() -> None:
    finding = diagnose(anthropic("x" * 4_004), budget_tokens=1_000, protected_from=1)[0]
    assert "has 4004 characters, about 1001 tokens, and the budget is 1000" in finding.text
    assert "protected tail" in finding.text
    assert "protected tail" not in diagnose(anthropic("x" * 4_004), budget_tokens=1_000)[0].text


SCRIPTS = {
    "Chinese": "面粉六十袋状态良好",
    "Japanese": "ひらがなとカタカナ",
    "Korean": "한국어문장입니다만",
    "Thai": "ภาษาไทยไม่เว้น",
}


@pytest.mark.parametrize("script", SCRIPTS)
@each_shape
def test_a_script_without_spaces_is_undercounted(history_of: Any, block: int | None, script: str) -> None:
    history = history_of((SCRIPTS[script] * 100)[:800])
    # 800 characters: 200 tokens by characters / 4, at least 480 by 0.6 for each.
    assert told(history, budget_tokens=300) == [("undercount", 2, block)]
    assert told(history, budget_tokens=490) == []
    # Where both estimates are over, nothing is undercounted.
    assert told(history, budget_tokens=100) == [("oversize_block", 2, block)]


@pytest.mark.parametrize("length", [400, 401, 403, 404])
def test_a_rounded_estimate_is_no_undercount(length: int) -> None:
    found = told([{"role": "user", "content": "a" * length}], budget_tokens=100)
    assert found == ([("oversize_block", 0, None)] if length > 400 else [])


def test_latin_text_is_not_undercounted() -> None:
    history = [{"role": "user", "content": "Prüfe die Wörter à la façade, por favor señor. " * 20}]
    assert told(history, budget_tokens=240) == []

from typing import Any

import pytest

from ctxlab.messages.grammar import (
    Fault,
    answer_fault,
    call_fault,
    is_text_question,
    pair_fault,
    result_fault,
    unpaired,
)


def text(words: Any = "hi") -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: Any = "a", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "read_file", "input": {}} | more


def result(call_id: Any = "a", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "ok", "is_error": False} | more


def request(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def response(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


@pytest.mark.parametrize("content", ["Why?", [text()], [text("a"), text("b")]], ids=repr)
def test_a_text_question(content: Any) -> None:
    assert is_text_question({"role": "user", "content": content})


@pytest.mark.parametrize(
    "message",
    [
        None,
        "Why?",
        {},
        {"role": "assistant", "content": "Why?"},
        {"role": ["user"], "content": "Why?"},
        *(
            {"role": "user", "content": content}
            for content in ("", " \n", None, 7, [], [text("")], [text(7)])
        ),
        *({"role": "user", "content": content} for content in (["Why?"], [text(), result()], (text(),))),
    ],
    ids=repr,
)
def test_no_text_question(message: Any) -> None:
    assert not is_text_question(message)


NOT_LISTS = ({"role": "assistant", "content": "a"}, {"role": "user"})


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ((None, None), "message 3 is not a message but NoneType"),
        ((request(), [1]), "message 4 is not a message but list"),
        # Both types come before any role, and both roles before any content.
        (({}, "text"), "message 4 is not a message but str"),
        (({}, {}), "message 3 has the role None where 'assistant' is due"),
        ((response(), request()), "message 3 has the role 'user' where 'assistant' is due"),
        (({"role": "assistant"}, request()), "message 4 has the role 'assistant' where 'user' is due"),
        ((request(), {"role": ["user"]}), "message 4 has the role ['user'] where 'user' is due"),
        (NOT_LISTS, "message 3 has no list of blocks as its content"),
        ((request(), NOT_LISTS[1]), "message 4 has no list of blocks as its content"),
    ],
    ids=repr,
)
def test_a_fault_of_the_pair(pair: tuple[Any, Any], words: str) -> None:
    assert pair_fault(*pair, at=3) == Fault("not_a_history", words)


@pytest.mark.parametrize(
    ("blocks", "code", "words"),
    [
        ([], "not_a_history", "message 3 calls no tool, so it opens no exchange"),
        ([text()], "not_a_history", "message 3 calls no tool, so it opens no exchange"),
        ([call(), "text"], "not_a_history", "message 3, block 1 is not a block but str"),
        (
            [text(), {}],
            "unsupported_block",
            "message 3, block 1 has the type None; only text and tool_use fit",
        ),
        (
            [{"type": "image"}],
            "unsupported_block",
            "message 3, block 0 has the type 'image'; only text and tool_use fit",
        ),
        (
            [result()],
            "unsupported_block",
            "message 3, block 0 has the type 'tool_result'; only text and tool_use fit",
        ),
        ([call(["a"])], "mismatch", "message 3, block 0 has the id ['a'], which no result can name"),
        ([text(), call("")], "mismatch", "message 3, block 1 has the id '', which no result can name"),
        ([{"type": "tool_use"}], "mismatch", "message 3, block 0 has the id None, which no result can name"),
        ([call(), call()], "mismatch", "message 3, block 1 has the id 'a' of an earlier call in it"),
        # All blocks are looked at before any id.
        (
            [call(""), {"type": "x"}],
            "unsupported_block",
            "message 3, block 1 has the type 'x'; only text and tool_use fit",
        ),
        ([call(), call(), None], "not_a_history", "message 3, block 2 is not a block but NoneType"),
    ],
    ids=repr,
)
def test_a_fault_of_the_calls(blocks: list[Any], code: str, words: str) -> None:
    assert call_fault(request(*blocks), at=3) == Fault(code, words)


@pytest.mark.parametrize(
    "content",
    ["All is well.", [text()], [text(""), text("a")], [call()], [text(""), call("a"), text(), call("b")]],
    ids=repr,
)
def test_an_answer_without_a_fault(content: Any) -> None:
    assert answer_fault({"role": "assistant", "content": content}, at=3) is None


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "is not an assistant's message"),
        (["text"], "is not an assistant's message"),
        ({"content": "hi"}, "is not an assistant's message"),
        ({"role": "user", "content": "hi"}, "is not an assistant's message"),
        ({"role": "assistant"}, "has neither text nor blocks as its content"),
        ({"role": "assistant", "content": None}, "has neither text nor blocks as its content"),
        ({"role": "assistant", "content": (text(),)}, "has neither text nor blocks as its content"),
        ({"role": "assistant", "content": ""}, "has no text and calls no tool"),
        (request(), "has no text and calls no tool"),
        (request(text(" "), text("\n")), "has no text and calls no tool"),
        # Anywhere in it, also in a field that nobody looks at.
        (request(call(input={"path": "\ud800"})), "has no UTF-8 JSON form"),
        (request(call(input={"sizes": [float("nan")]})), "has no UTF-8 JSON form"),
        (request(text()) | {"note": object()}, "has no UTF-8 JSON form"),
    ],
    ids=repr,
)
def test_a_fault_of_the_whole_answer(answer: Any, words: str) -> None:
    assert answer_fault(answer, at=3) == Fault("not_a_history", f"message 3, the answer, {words}")


@pytest.mark.parametrize(
    ("blocks", "code", "words"),
    [
        ([text(), "hi"], "not_a_history", "message 3, block 1 is not a block but str"),
        (
            [{"type": "thinking"}],
            "unsupported_block",
            "message 3, block 0 has the type 'thinking'; only text and tool_use fit",
        ),
        (
            [text(), result()],
            "unsupported_block",
            "message 3, block 1 has the type 'tool_result'; only text and tool_use fit",
        ),
        ([text(7)], "not_a_history", "message 3, block 0 has a text that is no text"),
        ([call(), text(None)], "not_a_history", "message 3, block 1 has a text that is no text"),
        ([call(name="")], "not_a_history", "message 3, block 0 calls a tool with the name ''"),
        ([call(name=7)], "not_a_history", "message 3, block 0 calls a tool with the name 7"),
        ([call(input="{}")], "not_a_history", "message 3, block 0 has an input that is no dict"),
        ([call(input=None)], "not_a_history", "message 3, block 0 has an input that is no dict"),
        # The ids come last, as for a call message of the history.
        ([call("")], "mismatch", "message 3, block 0 has the id '', which no result can name"),
        ([call(), call()], "mismatch", "message 3, block 1 has the id 'a' of an earlier call in it"),
        ([call(""), call(input=[])], "not_a_history", "message 3, block 1 has an input that is no dict"),
    ],
    ids=repr,
)
def test_a_fault_of_the_blocks_of_an_answer(blocks: list[Any], code: str, words: str) -> None:
    assert answer_fault(request(*blocks), at=3) == Fault(code, words)


@pytest.mark.parametrize(
    ("blocks", "code", "words"),
    [
        ([result(), 7], "bad_result", "message 4, block 1 is not a block but int"),
        ([text()], "unsupported_block", "message 4, block 0 has the type 'text'; only tool_result fits"),
        ([{}], "unsupported_block", "message 4, block 0 has the type None; only tool_result fits"),
        ([result(), result(7)], "bad_result", "message 4, block 1 has the tool_use_id 7, which is no text"),
        (
            [{"type": "tool_result"}],
            "bad_result",
            "message 4, block 0 has the tool_use_id None, which is no text",
        ),
        ([result(content=[text()])], "bad_result", "message 4, block 0 has a content that is no text"),
        ([result(content=None)], "bad_result", "message 4, block 0 has a content that is no text"),
        ([result(is_error=0)], "bad_result", "message 4, block 0 has the is_error 0, which is no boolean"),
        (
            [result(is_error=None)],
            "bad_result",
            "message 4, block 0 has the is_error None, which is no boolean",
        ),
        # The first bad block counts, and within it the first bad field.
        (
            [result(7, content=1), text()],
            "bad_result",
            "message 4, block 0 has the tool_use_id 7, which is no text",
        ),
    ],
    ids=repr,
)
def test_a_fault_of_the_results(blocks: list[Any], code: str, words: str) -> None:
    assert result_fault(response(*blocks), at=4) == Fault(code, words)


def test_a_sound_exchange_has_no_fault() -> None:
    asks = request(text(""), call("a"), {"type": "tool_use", "id": "b"}, text())
    answers = response(result("b", is_error=True), {"type": "tool_result", "tool_use_id": "a", "content": ""})

    assert pair_fault(asks, answers, 1) is call_fault(asks, 1) is result_fault(answers, 2) is None


@pytest.mark.parametrize(
    ("calls", "results", "words"),
    [
        ("a", "", "message 3, block 1 calls 'a', which message 4 does not answer"),
        ("ab", "b", "message 3, block 1 calls 'a', which message 4 does not answer"),
        ("ab", "a", "message 3, block 2 calls 'b', which message 4 does not answer"),
        ("a", "ab", "message 4, block 1 answers 'b', which message 3 does not call"),
        ("ab", "ax", "message 4, block 1 answers 'x', which message 3 does not call"),
        ("ab", "aab", "message 4, block 1 answers 'a' a second time"),
    ],
)
def test_the_half_of_a_pair_that_is_alone_is_named(calls: str, results: str, words: str) -> None:
    # A text block with an id is no call.
    asks = request(text() | {"id": "a"}, *map(call, calls))

    assert unpaired(asks, response(*map(result, results)), at=3) == words

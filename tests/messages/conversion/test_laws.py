"""What holds for every history, in both directions."""

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.conversion import Conversion, anthropic_to_chat, chat_to_anthropic
from ctxlab.messages.texts import texts

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda words: bool(words.strip())
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
text_blocks = st.builds(lambda text: {"type": "text", "text": text}, words)
images = st.sampled_from(
    [
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "AAAA"}},
    ]
)
documents = st.builds(
    lambda source, title: {"type": "document", "source": source} | ({"title": title} if title else {}),
    st.builds(lambda text: {"type": "text", "media_type": "text/plain", "data": text}, words)
    | st.just({"type": "base64", "media_type": "application/pdf", "data": "JVBE"}),
    st.none() | words,
)
unsayable = st.sampled_from(
    [
        {"type": "thinking", "thinking": "I think.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "eA=="},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
    ]
)


def said(blocks: list[Any]) -> Any:
    """Return blocks as the content of a message in its shortest form: one text as a string."""
    return blocks[0]["text"] if len(blocks) == 1 and blocks[0]["type"] == "text" else blocks


@st.composite
def anthropic_histories(draw: st.DrawFn, extras: bool = False) -> list[Any]:
    """Draw a sound history; with `extras` also things that Chat Completions cannot say."""
    messages: list[Any] = []
    # What the next user message begins with: the results of the calls before it.
    results: list[Any] = []
    for turn in range(draw(st.integers(1, 4))):
        asked = draw(st.lists(text_blocks | images | documents, min_size=0 if results else 1, max_size=3))
        messages.append({"role": "user", "content": results + asked if results else said(asked)})
        blocks = draw(st.lists(unsayable, max_size=2)) if extras else []
        blocks += draw(st.lists(text_blocks, min_size=1, max_size=2))
        inputs = draw(st.lists(st.dictionaries(words, values, max_size=2), max_size=3))
        blocks += [
            {"type": "tool_use", "id": f"call_{turn}_{number}", "name": draw(words), "input": one}
            for number, one in enumerate(inputs)
        ]
        messages.append({"role": "assistant", "content": said(blocks)})
        ids = draw(st.permutations([block["id"] for block in blocks if block["type"] == "tool_use"]))
        results = [draw(result_blocks(call_id, extras)) for call_id in ids]
    return messages


@st.composite
def result_blocks(draw: st.DrawFn, call_id: str, extras: bool) -> Any:
    content = draw(st.just("") | words | st.lists(text_blocks, min_size=2, max_size=2))
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    if extras and draw(st.booleans()):
        block["content"] = [{"type": "text", "text": "See:"}, draw(images)]
    if extras and draw(st.booleans()):
        block["is_error"] = True
    return block


systems = st.none() | words | st.lists(text_blocks, min_size=2, max_size=3)


def there_and_back(messages: Any, system: Any) -> tuple[Conversion, Conversion]:
    there = anthropic_to_chat(messages, system)
    # As it would travel.
    return there, chat_to_anthropic(json.loads(json.dumps(there.messages)))


@given(anthropic_histories(), systems)
def test_what_both_can_say_comes_back_as_it_went(messages: Any, system: Any) -> None:
    before = copy.deepcopy((messages, system))
    there, back = there_and_back(messages, system)
    assert (back.messages, back.system) == (messages, system)
    assert there.left == back.left == []
    assert (messages, system) == before


@given(anthropic_histories(extras=True), systems)
def test_a_history_that_has_lost_something_once_loses_nothing_more(messages: Any, system: Any) -> None:
    there, back = there_and_back(messages, system)
    again = anthropic_to_chat(back.messages, back.system)
    assert again.messages == there.messages
    assert again.left == back.left == []


@given(anthropic_histories(extras=True))
def test_each_thing_is_carried_or_reported_at_its_place(messages: Any) -> None:
    converted = anthropic_to_chat(messages)
    carried = {call["id"] for message in converted.messages for call in message.get("tool_calls", [])}
    answered = [message["tool_call_id"] for message in converted.messages if message["role"] == "tool"]
    reported = {(left.message, left.block) for left in converted.left}
    expected_answers = []
    for at, message in enumerate(messages):
        for number, block in enumerate(message["content"] if isinstance(message["content"], list) else []):
            if block["type"] == "tool_use":
                assert block["id"] in carried
            elif block["type"] == "tool_result":
                expected_answers.append(block["tool_use_id"])
                unsayable = block.get("is_error") or "image" in json.dumps(block["content"])
                assert bool(unsayable) == ((at, number) in reported)
            else:
                assert (block["type"] in ("text", "image", "document")) == ((at, number) not in reported)
    assert answered == expected_answers


chat_texts = st.lists(text_blocks, min_size=2, max_size=2)


@st.composite
def chat_histories(draw: st.DrawFn) -> list[Any]:
    """Draw a sound history of Chat Completions that Anthropic's Messages can say in full."""
    messages: list[Any] = []
    if draw(st.booleans()):
        messages.append({"role": "system", "content": draw(words | chat_texts)})
    for turn in range(draw(st.integers(1, 4))):
        if turn == 0 or draw(st.booleans()):
            messages.append({"role": "user", "content": draw(words | chat_texts)})
        inputs = draw(st.lists(st.dictionaries(words, values, max_size=2), max_size=3))
        calls = [
            {
                "id": f"call_{turn}_{number}",
                "type": "function",
                "function": {"name": draw(words), "arguments": json.dumps(one, ensure_ascii=False)},
            }
            for number, one in enumerate(inputs)
        ]
        content = draw(words | chat_texts) if not calls else draw(st.none() | words | chat_texts)
        messages.append({"role": "assistant", "content": content} | ({"tool_calls": calls} if calls else {}))
        for one in draw(st.permutations(calls)):
            answer = draw(st.just("") | words | chat_texts)
            messages.append({"role": "tool", "tool_call_id": one["id"], "content": answer})
    return messages


@given(chat_histories())
def test_a_chat_history_comes_back_as_it_went(messages: Any) -> None:
    before = copy.deepcopy(messages)
    there = chat_to_anthropic(messages)
    back = anthropic_to_chat(json.loads(json.dumps(there.messages)), there.system)
    assert back.messages == messages
    assert there.left == back.left == []
    assert messages == before


# Names that the forms use, so that what is drawn comes near to a history.
near = st.sampled_from(
    "role content type text user assistant system tool tool_use tool_result id name input tool_calls "
    "function arguments tool_call_id tool_use_id image source image_url file document custom refusal "
    "is_error".split()
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | near | st.just("a\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(near, inner, max_size=5),
    max_leaves=20,
)
roles = st.sampled_from(["user", "assistant", "system", "developer", "tool", "function", "x"])
odd_messages = st.builds(
    lambda role, content, rest: rest | {"role": role, "content": content},
    roles,
    anything | st.lists(st.dictionaries(near, anything, max_size=4), max_size=3),
    st.dictionaries(near, anything, max_size=3),
)


@given(anything | st.lists(odd_messages, max_size=4), st.none() | anything)
def test_any_json_value_is_converted_or_refused(value: Any, system: Any) -> None:
    before, codes = copy.deepcopy((value, system)), set()
    for convert in (lambda: anthropic_to_chat(value, system), lambda: chat_to_anthropic(value)):
        try:
            converted = convert()
        except Refusal as refusal:
            codes.add(refusal.code)
        else:
            assert all(isinstance(message, dict) for message in converted.messages)
            assert all(left.text for left in converted.left)
    assert codes <= {"not_a_history"}
    # NaN differs from itself, so the texts are compared.
    assert repr((value, system)) == repr(before)


@given(st.lists(odd_messages, max_size=3))
def test_no_text_of_an_accepted_chat_message_vanishes_without_a_report(messages: Any) -> None:
    try:
        converted = chat_to_anthropic(messages)
    except Refusal:
        return
    kept = set(texts([converted.messages, converted.system]))
    if not converted.left:
        for message in messages:
            content = message["content"]
            for text in (
                [content] if isinstance(content, str) else [part.get("text") for part in content or []]
            ):
                assert not text or text in kept

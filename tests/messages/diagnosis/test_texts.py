"""Empty texts, a space at the end, half characters, and thinking parted from its call."""

from typing import Any

import pytest

from ctxlab.messages.diagnosis.examining import diagnose

Message = dict[str, Any]
LOOK = {"role": "user", "content": "Look."}


def text(words: str) -> Message:
    return {"type": "text", "text": words}


def user(*blocks: Message) -> Message:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Message) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def use(call_id: str) -> Message:
    return {"type": "tool_use", "id": call_id, "name": "look", "input": {}}


def result(call_id: str, words: str = "dry") -> Message:
    return {"type": "tool_result", "tool_use_id": call_id, "content": words}


THINKING = {"type": "thinking", "thinking": "Where?", "signature": "c2lnbmVk"}
REDACTED = {"type": "redacted_thinking", "data": "c2VjcmV0"}


def told(history: list[Any], **context: Any) -> list[tuple[str, int | None, int | None, str | None]]:
    return [
        (finding.code, finding.message, finding.block, finding.id) for finding in diagnose(history, **context)
    ]


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u3000"])
def test_empty_texts_everywhere(blank: str) -> None:
    history = [
        user(text("Look."), text(blank)),
        assistant(text(blank), use("a"), text(blank)),
        user(result("a"), text(blank)),
        assistant(text(blank)),
        {"role": "user", "content": blank},
        assistant(text("Done.")),
    ]
    assert [(code, message, block) for code, message, block, _ in told(history)] == [
        ("empty_text", 0, 1),
        ("empty_text", 1, 0),
        ("empty_text", 1, 2),
        ("empty_text", 2, 1),
        ("empty_text", 3, 0),
        ("empty_text", 4, None),
    ]


def test_an_empty_text_in_the_list_of_a_result() -> None:
    contents: list[Any] = [[text("dry"), text("")], [text("dry")], [], [text(" ")], ""]
    history = [
        LOOK,
        assistant(*(use(f"a{number}") for number in range(5))),
        user(*(result(f"a{number}") | {"content": content} for number, content in enumerate(contents))),
    ]
    assert told(history) == [("empty_text", 2, 0, "a0")]


def test_an_empty_prefill_is_accepted_as_a_string_only() -> None:
    assert told([LOOK, {"role": "assistant", "content": ""}]) == []
    assert told([LOOK, {"role": "assistant", "content": []}]) == []
    assert told([LOOK, assistant(text(""))]) == [("empty_text", 1, 0, None)]


@pytest.mark.parametrize("end", [" ", "\n", "\t", "\u00a0"])
def test_white_space_at_the_very_end(end: str) -> None:
    code = "trailing_whitespace_final_assistant"
    assert told([LOOK, {"role": "assistant", "content": "It is" + end}]) == [(code, 1, None, None)]
    assert told([LOOK, assistant(text("One. "), text("It is" + end))]) == [(code, 1, 1, None)]
    assert told([LOOK, assistant(text("It is" + end)), user(text("Go on." + end))]) == []
    assert told([LOOK, {"role": "assistant", "content": end}]) == [(code, 1, None, None)]
    # A call behind the text is the end of the message.
    assert told([LOOK, assistant(text("I look. "), use("a"))]) == [("open_exchange", 1, 1, "a")]


def test_the_texts_of_openai_may_be_empty() -> None:
    history = [{"role": "system", "content": ""}, {"role": "user", "content": " "}]
    assert told([*history, {"role": "assistant", "content": "It is "}]) == []


HALF = "see you \ud83d"
OF_HALF = f'{{"at": "{HALF}"}}'


@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        pytest.param([user(text("Hi."), text(HALF))], [(0, 1, None)], id="text"),
        pytest.param([{"role": "user", "content": HALF}], [(0, None, None)], id="string"),
        pytest.param(
            [LOOK, assistant(use("a") | {"input": {HALF: 1}}), user(result("a"))], [(1, 0, "a")], id="input"
        ),
        pytest.param([LOOK, assistant(use("a")), user(result("a", HALF))], [(2, 0, "a")], id="result"),
        pytest.param(
            [
                LOOK,
                {
                    "role": "assistant",
                    "tool_calls": [
                        {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}},
                        {"id": "b", "type": "function", "function": {"name": "look", "arguments": OF_HALF}},
                    ],
                },
                {"role": "tool", "tool_call_id": "a", "content": HALF},
                {"role": "tool", "tool_call_id": "b", "content": "dry"},
            ],
            [(1, 1, "b"), (2, None, "a")],
            id="chat",
        ),
        pytest.param(
            [
                LOOK,
                {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "a", "output": HALF},
            ],
            [(2, None, "a")],
            id="responses",
        ),
        pytest.param([LOOK | {"name": HALF}], [(0, None, None)], id="outside the content"),
    ],
)
def test_half_characters(history: list[Message], wanted: list[Any]) -> None:
    assert told(history) == [("lone_surrogate", *place) for place in wanted]


def test_a_whole_emoji_is_no_fault() -> None:
    assert told([{"role": "user", "content": "see you 😀"}]) == []


@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        pytest.param([LOOK, assistant(use("a")), user(result("a"))], [(1, 0, "a")], id="none"),
        pytest.param(
            [LOOK, assistant(text("I look."), use("a")), user(result("a"))], [(1, 1, "a")], id="text"
        ),
        pytest.param(
            [LOOK, assistant(use("a"), use("b")), user(result("a"), result("b"))], [(1, 0, "a")], id="two"
        ),
        pytest.param([LOOK, assistant(THINKING, use("a")), user(result("a"))], [], id="kept"),
        pytest.param([LOOK, assistant(REDACTED, use("a")), user(result("a"))], [], id="redacted"),
        pytest.param(
            [LOOK, assistant(THINKING, use("a")), user(result("a")), assistant(use("b")), user(result("b"))],
            [],
            id="a later step of the same turn",
        ),
        pytest.param(
            [LOOK, assistant(use("a")), user(result("a")), assistant(text("Dry.")), LOOK],
            [],
            id="a turn that is over, and a new question",
        ),
        pytest.param(
            [LOOK, assistant(use("a")), user(result("a")), assistant(text("Dry."))],
            [],
            id="a turn that is over",
        ),
        pytest.param(
            [
                LOOK,
                assistant(THINKING, use("a")),
                user(result("a")),
                assistant(text("Dry.")),
                LOOK,
                assistant(use("b")),
                user(result("b"), text("In metres.")),
            ],
            [(5, 0, "b")],
            id="the second turn",
        ),
    ],
)
def test_thinking_of_the_turn_that_goes_on(history: list[Message], wanted: list[Any]) -> None:
    found = [("thinking_missing_before_tool_use", *place) for place in wanted]
    assert told(history, thinking="enabled") == found
    assert told(history) == told(history, thinking="adaptive") == []


@pytest.mark.parametrize("block", [THINKING, REDACTED])
def test_thinking_of_the_turn_that_goes_on_comes_first(block: Message) -> None:
    history = [LOOK, assistant(text("I look."), block, use("a")), user(result("a"))]
    later = [LOOK, assistant(THINKING, use("b")), user(result("b")), *history[1:]]
    compacted = [
        LOOK,
        assistant({"type": "compaction", "content": "All."}, block, use("a")),
        user(result("a")),
    ]

    assert told(history, thinking="enabled") == [("thinking_not_leading", 1, 1, None)]
    assert told(later, thinking="enabled") == told(compacted, thinking="enabled") == []
    assert told([*history, assistant(text("Dry."))], thinking="enabled") == told(history) == []


@pytest.mark.parametrize("block", [THINKING, REDACTED])
def test_thinking_at_the_end_of_a_message(block: Message) -> None:
    history = [LOOK, assistant(text("Hm."), block), LOOK]
    assert told(history) == [("thinking_last_in_message", 1, 1, None)]
    assert told([LOOK, assistant(block)]) == [("thinking_last_in_message", 1, 0, None)]


def reasoning(name: str) -> Message:
    return {"type": "reasoning", "id": name, "summary": []}


CALL = {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "a", "output": "dry"}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Dry."}]}


@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        pytest.param([LOOK, reasoning("r")], [(1, "r")], id="at the end"),
        pytest.param(
            [LOOK, reasoning("r"), {"type": "compaction_summary", "encrypted_content": "YWJj"}, LOOK],
            [(1, "r")],
            id="before what the client put there",
        ),
        pytest.param([LOOK, reasoning("r"), LOOK, SAID], [(1, "r")], id="before the user"),
        pytest.param([LOOK, CALL, reasoning("r"), OUTPUT, SAID], [(2, "r")], id="before an output"),
        pytest.param([LOOK, reasoning("r"), reasoning("s"), LOOK], [(1, "r"), (2, "s")], id="two"),
        pytest.param([reasoning("r"), LOOK, reasoning("s"), SAID], [(0, "r")], id="at the start"),
        pytest.param([LOOK, reasoning("r"), CALL, OUTPUT, reasoning("s"), SAID], [], id="kept"),
        pytest.param([LOOK, reasoning("r"), {"type": "web_search_call", "id": "w"}, SAID], [], id="search"),
    ],
)
def test_reasoning_that_nothing_follows(history: list[Message], wanted: list[Any]) -> None:
    found = [("reasoning_without_follower", at, None, name) for at, name in wanted]
    assert told(history, api="openai-responses") == found

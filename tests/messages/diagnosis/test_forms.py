"""The form of messages in each shape: roles, contents, blocks, calls."""

from pathlib import Path
from typing import Any

import pytest

from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.shapes import APIS, Api

Message = dict[str, Any]
LOOK = {"role": "user", "content": "Look."}


def told(history: Any, api: Api) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code, finding.message, finding.block) for finding in diagnose(history, api)]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        pytest.param({"messages": []}, [("not_a_history", None, None)], id="a request"),
        pytest.param(None, [("not_a_history", None, None)], id="None"),
        pytest.param("chat.json", [("not_a_history", None, None)], id="a path"),
        pytest.param([], [("empty_history", None, None)], id="empty"),
        pytest.param([LOOK, "Look."], [("not_a_message", 1, None)], id="a text"),
        pytest.param([LOOK, None, LOOK], [("not_a_message", 1, None)], id="None between"),
        pytest.param([LOOK, {"content": "Hi."}], [("missing_role", 1, None)], id="no role"),
        pytest.param([LOOK, {"role": "robot", "content": "Hi."}], [("unknown_role", 1, None)], id="robot"),
        pytest.param([LOOK, {"role": "user", "content": 7}], [("wrong_type", 1, None)], id="a number"),
        pytest.param([LOOK, {"role": "user", "content": {}}], [("wrong_type", 1, None)], id="a dict"),
        pytest.param([LOOK, {"role": "user"}], [("wrong_type", 1, None)], id="no content"),
        pytest.param([LOOK, {"role": "user", "content": []}], [("empty_message", 1, None)], id="no blocks"),
        pytest.param([LOOK, {"role": "user", "content": ["Hi."]}], [("wrong_type", 1, 0)], id="a text block"),
        pytest.param([LOOK, {"role": "user", "content": [{"x": 1}]}], [("wrong_type", 1, 0)], id="no type"),
        pytest.param(
            [LOOK, {"role": "user", "content": [{"type": "smell"}]}],
            [("unknown_block_type", 1, 0)],
            id="smell",
        ),
        pytest.param(
            [LOOK, {"role": "user", "content": [{"type": "text", "text": 3}]}],
            [("wrong_type", 1, 0)],
            id="text 3",
        ),
    ],
)
def test_what_no_shape_takes(history: Any, wanted: list[Any], api: Api) -> None:
    assert told(history, api) == wanted


def assistant(*blocks: Any) -> Message:
    return {"role": "assistant", "content": list(blocks)}


USE = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "dry"}
TEXT = {"type": "text", "text": "Hi."}


@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        pytest.param([assistant(TEXT), LOOK], [("first_message_not_user", 0, None)], id="assistant first"),
        pytest.param(
            [
                {"role": "system", "content": "Be short."},
                LOOK,
                assistant(USE),
                {"role": "user", "content": [RESULT]},
            ],
            [("first_message_not_user", 0, None)],
            id="system first",
        ),
        pytest.param(
            [LOOK, assistant(TEXT), {"role": "system", "content": "Be short."}, LOOK],
            [("bad_role_order", 2, None)],
            id="system behind the assistant",
        ),
        pytest.param(
            [LOOK, {"role": "tool", "tool_call_id": "a", "content": "dry"}],
            [("unknown_role", 1, None)],
            id="tool",
        ),
        pytest.param([LOOK, assistant(), LOOK], [("empty_message", 1, None)], id="empty assistant between"),
        pytest.param([LOOK, {"role": "user", "content": [USE]}], "in role", id="a call of the user"),
        pytest.param([LOOK, assistant(USE), assistant(RESULT)], [("block_in_wrong_role", 2, 0)], id="result"),
        pytest.param(
            [LOOK, {"role": "user", "content": [{"type": "thinking", "thinking": "?", "signature": "s"}]}],
            [("block_in_wrong_role", 1, 0)],
            id="thinking of the user",
        ),
        pytest.param(
            [LOOK, assistant({"type": "image", "source": {}}, TEXT), LOOK],
            [("block_in_wrong_role", 1, 0)],
            id="image of the assistant",
        ),
        pytest.param(
            [LOOK, assistant({"type": "thinking", "signature": "s"}, TEXT)],
            [("wrong_type", 1, 0)],
            id="hollow",
        ),
        pytest.param(
            [LOOK, assistant({"type": "redacted_thinking"}, TEXT)],
            [("wrong_type", 1, 0)],
            id="redacted, hollow",
        ),
        pytest.param(
            [LOOK, assistant({"type": "thinking", "thinking": "?"}, TEXT)],
            [("unsigned_thinking", 1, 0)],
            id="no signature",
        ),
        pytest.param(
            [LOOK, assistant({"type": "thinking", "thinking": "?", "signature": ""}, TEXT), LOOK],
            [("unsigned_thinking", 1, 0)],
            id="empty signature",
        ),
        pytest.param(
            [LOOK, assistant(USE | {"name": ""}), {"role": "user", "content": [RESULT]}],
            [("wrong_type", 1, 0)],
            id="no name",
        ),
        pytest.param(
            [LOOK, assistant(USE | {"input": '{"file": "a'}), {"role": "user", "content": [RESULT]}],
            [("arguments_not_object", 1, 0)],
            id="input cut off",
        ),
        pytest.param(
            [LOOK, assistant(USE), {"role": "user", "content": [RESULT | {"content": {"a": 1}}]}],
            [("wrong_type", 2, 0)],
            id="result of a dict",
        ),
        pytest.param(
            [LOOK, assistant(USE), {"role": "user", "content": [RESULT | {"content": ["dry"]}]}],
            [("wrong_type", 2, 0)],
            id="result of texts",
        ),
        pytest.param(
            [LOOK, assistant(USE), {"role": "user", "content": [RESULT | {"is_error": "yes"}]}],
            [("wrong_type", 2, 0)],
            id="mark is a text",
        ),
        pytest.param(
            [LOOK, assistant(USE), {"role": "user", "content": [RESULT | {"is_error": True, "content": ""}]}],
            [("empty_error_result", 2, 0)],
            id="error without a word",
        ),
    ],
)
def test_what_anthropic_does_not_take(history: list[Message], wanted: Any) -> None:
    found = told(history, "anthropic-messages")
    if wanted == "in role":
        assert ("block_in_wrong_role", 1, 0) in found
    else:
        assert found == wanted


def chat_call(**more: Any) -> Message:
    return {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"} | more}


def calling(*calls: Any, **more: Any) -> Message:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)} | more


ANSWER = {"role": "tool", "tool_call_id": "a", "content": "dry"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        pytest.param(
            [LOOK, {"role": "assistant", "content": None}], [("empty_message", 1, None)], id="nothing"
        ),
        pytest.param([LOOK, {"role": "assistant"}], [("empty_message", 1, None)], id="nothing at all"),
        pytest.param([{"role": "user", "content": None}], [("wrong_type", 0, None)], id="user says null"),
        pytest.param(
            [LOOK, calling(chat_call()), ANSWER | {"content": None}],
            [("wrong_type", 2, None)],
            id="result null",
        ),
        pytest.param(
            [LOOK, calling(chat_call()), ANSWER | {"content": [1]}],
            [("wrong_type", 2, None)],
            id="result of 1",
        ),
        pytest.param([LOOK, calling(content="Hi.")], [("empty_tool_calls", 1, None)], id="no calls"),
        pytest.param(
            [LOOK, calling(content="Hi.") | {"tool_calls": {}}],
            [("wrong_type", 1, None)],
            id="calls are a dict",
        ),
        pytest.param(
            [{"role": "user", "content": "Hi.", "tool_calls": [chat_call()]}, ANSWER],
            [("block_in_wrong_role", 0, None)],
            id="the user calls",
        ),
        pytest.param(
            [LOOK, calling("look"), LOOK],
            [("wrong_type", 1, 0), ("missing_id", 1, 0)],
            id="a call that is a text",
        ),
        pytest.param(
            [LOOK, calling(chat_call() | {"type": "magic"}), ANSWER],
            [("unknown_block_type", 1, 0)],
            id="magic",
        ),
        pytest.param(
            [LOOK, calling(chat_call() | {"function": None}), ANSWER], [("wrong_type", 1, 0)], id="none"
        ),
        pytest.param([LOOK, calling(chat_call(name=None)), ANSWER], [("wrong_type", 1, 0)], id="no name"),
        pytest.param([LOOK, calling(chat_call(arguments={})), ANSWER], [("wrong_type", 1, 0)], id="a dict"),
        pytest.param([LOOK, calling(TEXT), LOOK], "unknown", id="a block of another shape"),
        pytest.param(
            [LOOK, {"role": "assistant", "content": [TEXT, IMAGE]}, {"role": "user", "content": [IMAGE]}],
            [("block_in_wrong_role", 1, 1)],
            id="image of the assistant",
        ),
        pytest.param(
            [LOOK, calling(chat_call()), ANSWER | {"content": [TEXT, IMAGE]}],
            [("block_in_wrong_role", 2, None)],
            id="image of a tool",
        ),
    ],
)
def test_what_chat_does_not_take(history: list[Message], wanted: Any) -> None:
    found = told(history, "openai-chat")
    if wanted == "unknown":
        assert ("unknown_block_type", 1, 0) in found
    else:
        assert found == wanted


def exchange_in(api: Api, call_id: str, name: str) -> list[Message]:
    """One exchange, whose call is the last block of its message."""
    if api == "anthropic-messages":
        call, result = USE | {"id": call_id, "name": name}, RESULT | {"tool_use_id": call_id}
        return [LOOK, assistant(TEXT, call), {"role": "user", "content": [result]}]
    if api == "openai-chat":
        call = chat_call(name=name) | {"id": call_id}
        return [LOOK, calling(call), ANSWER | {"tool_call_id": call_id}]
    call = {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}"}
    return [LOOK, call, {"type": "function_call_output", "call_id": call_id, "output": "dry"}]


CALL_PLACES: dict[Api, int | None] = {"anthropic-messages": 1, "openai-chat": 0, "openai-responses": None}
# The longest id and name that each API takes; Anthropic's ids have no limit.
LONGEST: dict[Api, tuple[int, int]] = {
    "anthropic-messages": (500, 128),
    "openai-chat": (40, 64),
    "openai-responses": (64, 128),
}


@pytest.mark.parametrize("api", APIS)
def test_names_that_no_tool_may_have(api: Api) -> None:
    longest = LONGEST[api][1]
    for name in ["files.read", "read file", "läs", "n" * (longest + 1), "look\n"]:
        assert told(exchange_in(api, "a", name), api) == [("bad_name", 1, CALL_PLACES[api])]
    assert told(exchange_in(api, "a", "n" * longest), api) == []


@pytest.mark.parametrize("api", APIS)
def test_ids_from_other_servers(api: Api) -> None:
    longest, plain_only = LONGEST[api][0], api == "anthropic-messages"
    bad = [("bad_id", 1, CALL_PLACES[api])]

    assert told(exchange_in(api, "i" * longest, "look"), api) == []
    assert told(exchange_in(api, "i" * (longest + 1), "look"), api) == ([] if plain_only else bad)
    assert told(exchange_in(api, "functions.look:0", "look"), api) == (bad if plain_only else [])


CUT_OFF = ['{"file": "a', "", "{", "{'a': 1}", '{"a": NaN}', '{"a": 1} and', '{"a": "\n"}', "[" * 100_000]
NO_OBJECT = ["[1]", '"a"', "3", "null", "true"]


@pytest.mark.parametrize("code", ["arguments_not_json", "arguments_not_object"])
def test_arguments_in_both_shapes_of_openai(code: str) -> None:
    for arguments in CUT_OFF if code == "arguments_not_json" else NO_OBJECT:
        item = {"type": "function_call", "call_id": "a", "name": "look", "arguments": arguments}
        output = {"type": "function_call_output", "call_id": "a", "output": "dry"}
        assert told([LOOK, calling(chat_call(arguments=arguments)), ANSWER], "openai-chat") == [(code, 1, 0)]
        assert told([LOOK, item, output], "openai-responses") == [(code, 1, None)]


def test_the_second_of_three_calls_is_the_one_that_is_cut_off() -> None:
    calls = [chat_call() | {"id": name} for name in "abc"]
    calls[1] = calls[1] | {"function": {"name": "look", "arguments": '{"a'}}
    history = [LOOK, calling(*calls), *(ANSWER | {"tool_call_id": name} for name in "abc")]
    assert told(history, "openai-chat") == [("arguments_not_json", 1, 1)]


def said(role: str, block_type: str) -> Message:
    return {"type": "message", "role": role, "content": [{"type": block_type, "text": "Hi."}]}


@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        pytest.param([LOOK, said("user", "output_text")], [("block_in_wrong_role", 1, 0)], id="user, output"),
        pytest.param(
            [LOOK, said("assistant", "input_text")], [("block_in_wrong_role", 1, 0)], id="model, input"
        ),
        pytest.param([LOOK, {"type": "smell"}], [("unknown_block_type", 1, None)], id="an unknown item"),
        pytest.param(
            [LOOK, {"type": "smell", "id": "s_1"}], [("unknown_block_type", 1, None)], id="with an id"
        ),
        pytest.param([LOOK, {"type": 3}], [("wrong_type", 1, None)], id="a type of 3"),
        pytest.param(
            [LOOK, {"type": "message", "content": "Hi."}], [("missing_role", 1, None)], id="no role"
        ),
        pytest.param([LOOK, said("tool", "input_text")], [("unknown_role", 1, None)], id="a tool"),
        pytest.param(
            [
                LOOK,
                {"type": "function_call", "call_id": "a", "name": "", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "a", "output": None},
            ],
            [("wrong_type", 1, None), ("wrong_type", 2, None)],
            id="no name and no output",
        ),
        pytest.param(
            [
                LOOK,
                {"type": "custom_tool_call", "call_id": "a", "input": ""},
                {"type": "custom_tool_call_output", "call_id": "a", "output": ""},
            ],
            [("wrong_type", 1, None)],
            id="a custom call without a name",
        ),
    ],
)
def test_what_responses_do_not_take(history: list[Message], wanted: Any) -> None:
    assert told(history, "openai-responses") == wanted


def test_where_documents_and_reports_disagree_it_says_so() -> None:
    history = [LOOK, {"role": "user", "content": [{"type": "smell"}]}]
    assert "provider-dependent" in diagnose(history)[0].text


def answered(api: Api, content: Any) -> list[Message]:
    """A call and its result with this content, which stands under `output` in the Responses API."""
    if api == "anthropic-messages":
        return [LOOK, assistant(USE), {"role": "user", "content": [{**RESULT, "content": content}]}]
    if api == "openai-chat":
        function = {"name": "look", "arguments": "{}"}
        calls = [{"id": "a", "type": "function", "function": function}]
        result = {"role": "tool", "tool_call_id": "a", "content": content}
        return [LOOK, {"role": "assistant", "content": None, "tool_calls": calls}, result]
    call = {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}
    return [LOOK, call, {"type": "function_call_output", "call_id": "a", "output": content}]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("Dry.", "has 'Dry.' as entry 1"),
        (None, "has None as entry 1"),
        ({"text": "Dry."}, "as entry 1"),
        ({"type": 3}, "as entry 1"),
        ({"type": "text"}, "has None as the text of entry 1"),
        ({"type": "text", "text": ["Dry."]}, "has a list as the text of entry 1"),
    ],
)
def test_the_entries_of_a_result(entry: Any, words: str, api: Api) -> None:
    sound = {"type": "input_text" if api == "openai-responses" else "text", "text": "Wet."}
    assert diagnose(answered(api, [sound]), api) == []
    (finding,) = diagnose(answered(api, [sound, entry]), api)
    assert (finding.code, finding.message) == ("wrong_type", 2)
    field = "output" if api == "openai-responses" else "content"
    assert words in finding.text
    assert finding.text.endswith(f" of its {field}")


@pytest.mark.parametrize(("given", "name"), [(None, "None"), ({"path": "a"}, "a dict")])
def test_the_input_of_a_custom_tool_is_a_text(given: Any, name: str) -> None:
    call = {"id": "a", "type": "custom", "custom": {"name": "look", "input": given}}
    chat = [LOOK, {"role": "assistant", "tool_calls": [call]}, answered("openai-chat", "Dry.")[2]]
    item = {"type": "custom_tool_call", "call_id": "a", "name": "look", "input": given}
    output = {"type": "custom_tool_call_output", "call_id": "a", "output": "Dry."}
    for history in (chat, [LOOK, item, output]):
        (finding,) = diagnose(history)
        assert (finding.code, finding.message) == ("wrong_type", 1)
        assert finding.text.endswith(f"has {name} as its input, not a text")


def test_the_older_function_call_is_an_object() -> None:
    said = [LOOK, {"role": "assistant", "content": None, "function_call": ["look"]}]
    assert told(said, "openai-chat") == [("wrong_type", 1, None)]


def test_a_path_is_told_what_reads_it() -> None:
    for path in ("chat.json", Path("chat.json")):
        (finding,) = diagnose(path)
        assert finding.text.endswith("; ctxlab.Diagnosis(path) reads a file")

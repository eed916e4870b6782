"""The same history in two forms: Anthropic's blocks, in which it is kept here, and OpenAI's Chat Completions.

Read is the strict block form: text, tool_use and tool_result blocks; `ctxlab.messages.conversion` is for
histories with more in them. The functions change nothing that they are given. Source of the other form:
https://platform.openai.com/docs/api-reference/chat/create
"""

import json
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.wording import shown, type_words

ERROR_PREFIX = "Error: "
UNREADABLE = "unreadable_arguments"

Message = dict[str, Any]


def to_openai_chat(messages: list[Message]) -> list[Message]:
    """Return a history in block form as the messages of a Chat Completions request.

    Each result becomes a message of its own, in order. Chat Completions have no error mark: the text of a
    result with `is_error` gets the prefix "Error: ". The text blocks of an assistant's message are joined by
    a blank line. Refuses `unsupported_block` for any other block or role, and `not_a_history` for an input
    that has no JSON form.
    """
    converted = []
    for at, message in enumerate(messages):
        content = message["content"]
        if message["role"] == "assistant":
            converted.append(_assistant(content, at))
        elif message["role"] != "user":
            raise Refusal("unsupported_block", f"message {at} has the role {shown(message['role'])}")
        elif isinstance(content, str):
            converted.append({"role": "user", "content": content})
        elif all(block["type"] == "tool_result" for block in content):
            converted.extend(_tool(block) for block in content)
        else:
            texts = [_text(block, f"message {at}, block {number}") for number, block in enumerate(content)]
            converted.append({"role": "user", "content": [{"type": "text", "text": text} for text in texts]})
    return converted


def from_openai_chat(message: Any) -> Message:
    """Return the message of a Chat Completions answer as an assistant's message in block form.

    Arguments that are not a JSON object become the input {"unreadable_arguments": the text as it came}. So
    the call keeps its place in the exchange, and the tool can answer with an error. Refuses `not_a_history`
    for what is no such message, and `unsupported_block` for a call of anything but a function.
    """
    if not isinstance(message, dict):
        raise Refusal("not_a_history", f"the message is {type_words(message)}, not an object")
    text, calls = message.get("content"), message.get("tool_calls")
    if not isinstance(text, str | None):
        raise Refusal("not_a_history", f"the content is {type_words(text)}, not a text")
    if not isinstance(calls, list | None):
        raise Refusal("not_a_history", f"tool_calls is {type_words(calls)}, not a list")
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text and text.strip() else []
    blocks += [_call(call, f"tool_calls[{number}]") for number, call in enumerate(calls or [])]
    return {"role": "assistant", "content": blocks}


def written_arguments(value: dict[str, Any], place: str) -> str:
    """Return the input of a call as the text in which Chat Completions hold it.

    Refuses `not_a_history`, naming the place, for an input that has no JSON form, such as NaN.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal("not_a_history", f"{place} has an input without a JSON form: {error}") from error


def read_arguments(text: str) -> dict[str, Any]:
    """Return the input that a text of arguments stands for.

    A text that is not a JSON object becomes {"unreadable_arguments": the text}.
    """
    try:
        value = json.loads(text)
        compact_json(value)  # JSON as Python reads it may hold NaN or half a character, which no history can
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {UNREADABLE: text}


def _assistant(content: Any, at: int) -> Message:
    if isinstance(content, str):
        return {"role": "assistant", "content": content}
    texts, calls = [], []
    for number, block in enumerate(content):
        if block["type"] == "tool_use":
            arguments = written_arguments(block["input"], f"message {at}, block {number}")
            function = {"name": block["name"], "arguments": arguments}
            calls.append({"id": block["id"], "type": "function", "function": function})
        else:
            texts.append(_text(block, f"message {at}, block {number}"))
    message: Message = {"role": "assistant", "content": "\n\n".join(texts) or None}
    # An empty list of calls is not accepted.
    return message | {"tool_calls": calls} if calls else message


def _tool(block: dict[str, Any]) -> Message:
    text = ERROR_PREFIX + block["content"] if block.get("is_error") else block["content"]
    return {"role": "tool", "tool_call_id": block["tool_use_id"], "content": text}


def _text(block: dict[str, Any], place: str) -> str:
    if block["type"] != "text":
        raise Refusal(
            "unsupported_block", f"{place} has the type {shown(block['type'])}, which does not fit there"
        )
    text: str = block["text"]
    return text


def _call(call: Any, place: str) -> dict[str, Any]:
    if not isinstance(call, dict):
        raise Refusal("not_a_history", f"{place} is {type_words(call)}, not an object")
    if call.get("type") != "function":
        raise Refusal("unsupported_block", f"{place} has the type {shown(call.get('type'))}, not 'function'")
    function = call.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
        raise Refusal("not_a_history", f"{place} has no function with its arguments as a text")
    arguments = read_arguments(function["arguments"])
    return {"type": "tool_use", "id": call.get("id"), "name": function.get("name"), "input": arguments}

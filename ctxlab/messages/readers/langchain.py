"""Messages that LangChain wrote: `dumpd`, `messages_to_dict`, `model_dump`, and states of LangGraph.

`dumpd` gives {"lc": 1, "id": [..., "HumanMessage"], "kwargs": {...}}, `messages_to_dict` {"type": "human",
"data": {...}}, `model_dump` the fields alone. The class is turned into a role, tool_calls (args as an object)
into calls, and a tool message into a result: in the shape of Anthropic where a message has blocks or metadata
of that provider, else in that of OpenAI Chat. Source: libs/core/langchain_core/messages and, for what is
sent, _format_messages in libs/partners/anthropic/langchain_anthropic/chat_models.py of
https://github.com/langchain-ai/langchain, checked against langchain-core 1.8.
"""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from ctxlab.messages.parts import name_in, usable_id
from ctxlab.messages.readers.transcript import Draft, Origin, Record, kind_of

NAME = "LangChain messages"

ROLES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "function",
    "chat": "",
}
ANTHROPIC_BLOCKS = {"tool_use", "thinking", "redacted_thinking", "server_tool_use"}
# Blocks that repeat what stands in tool_calls, or that OpenAI Chat has no place for.
NOT_IN_CHAT = {"function_call", "invalid_tool_call", "reasoning", "reasoning_content", "tool_call"}
# A block of a streamed answer keeps these; no API takes them.
STREAMED = ("index", "partial_json")


class Dumped(NamedTuple):
    """A message: its type, such as "human", its fields and its place."""

    type: str
    fields: dict[str, Any]
    origin: Origin


def recognises(value: Any) -> bool:
    """Tell whether this is a message in one of the three forms."""
    return _read(value) is not None


def read(records: Iterable[Record], draft: Draft) -> None:
    """Turn each message into one of the shape that suits the whole history."""
    found = []
    for value, origin in records:
        dumped = _read(value)
        if dumped is None or dumped[0] not in ROLES:
            draft.skipped[kind_of(value) if dumped is None else dumped[0]] += 1
        else:
            found.append(Dumped(*dumped, origin))
    if any(map(_of_anthropic, found)):
        draft.api = "anthropic-messages"
        _write_anthropic(found, draft)
    else:
        draft.api = "openai-chat"
        for message in found:
            draft.add(_in_chat(message, draft), message.origin)
    draft.notes.append(
        "Turned into the shape of the API from LangChain's own; additional_kwargs, response_metadata, "
        "usage_metadata and artifacts are left out."
    )


def _read(value: Any) -> tuple[str, dict[str, Any]] | None:
    """Return the type and the fields of a dumped message."""
    if not isinstance(value, dict):
        return None
    if value.get("lc") == 1 and isinstance(value.get("kwargs"), dict):
        fields, path = value["kwargs"], value.get("id")
        name = path[-1] if isinstance(path, list) and path else None
        if not isinstance(name, str) or not name.removesuffix("Chunk").endswith("Message"):
            return None
    else:
        fields = value["data"] if isinstance(value.get("data"), dict) else value
        name = value.get("type")
        if "content" not in fields or "role" in value or not isinstance(name, str):
            return None
    kind = name.removesuffix("Chunk").removesuffix("Message").lower()
    known = kind in ROLES or kind == "remove" or "lc" in value
    return (kind, fields) if known else None


def _of_anthropic(message: Dumped) -> bool:
    metadata = message.fields.get("response_metadata")
    if isinstance(metadata, dict) and metadata.get("model_provider") == "anthropic":
        return True
    blocks = _blocks(message.fields.get("content"))
    return any(name_in(block, "type") in ANTHROPIC_BLOCKS for block in blocks)


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _calls(fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the calls, those with arguments that are not JSON among them; each has name, id and args."""
    found = []
    for key in ("tool_calls", "invalid_tool_calls"):
        calls = fields.get(key)
        found += [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return found


def _role(message: Dumped) -> str:
    role = message.fields.get("role") if message.type == "chat" else ROLES[message.type]
    return role if isinstance(role, str) else "user"


def _in_chat(message: Dumped, draft: Draft) -> dict[str, Any]:
    fields = message.fields
    content = fields.get("content")
    if isinstance(content, list):
        draft.skipped.update(
            f"content block {block['type']}" for block in content if name_in(block, "type") in NOT_IN_CHAT
        )
        content = [block for block in content if name_in(block, "type") not in NOT_IN_CHAT]
    written: dict[str, Any] = {"role": _role(message), "content": content}
    if isinstance(fields.get("name"), str):
        written["name"] = fields["name"]
    if message.type == "tool":
        written["tool_call_id"] = fields.get("tool_call_id")
    calls = [_chat_call(call) for call in _calls(fields)]
    extra = fields.get("additional_kwargs")
    if not calls and isinstance(extra, dict):
        # Before LangChain had tool_calls of its own, OpenAI's stood here.
        raw = extra.get("tool_calls")
        calls = raw if isinstance(raw, list) else []
        if isinstance(extra.get("function_call"), dict):
            written["function_call"] = extra["function_call"]
    if calls:
        written["tool_calls"] = calls
        written["content"] = content or None
    return written


def _chat_call(call: dict[str, Any]) -> dict[str, Any]:
    arguments = call.get("args")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return {
        "id": call.get("id"),
        "type": "function",
        "function": {"name": call.get("name"), "arguments": arguments},
    }


def _write_anthropic(found: list[Dumped], draft: Draft) -> None:
    """Add the messages in Anthropic's shape: leading system text apart, results of a batch in one message."""
    leading = True
    for message in found:
        content = message.fields.get("content")
        if leading and message.type == "system":
            draft.system = content if draft.system is None else _joined(draft.system, content)
            continue
        leading = False
        if message.type == "tool":
            result = _result(message.fields)
            if draft.messages and _only_results(draft.messages[-1]):
                draft.messages[-1]["content"].append(result)
                before = draft.origin[-1]
                draft.origin[-1] = Origin(
                    f"{before.place} to {message.origin.place}", before.lines + message.origin.lines
                )
            else:
                draft.add({"role": "user", "content": [result]}, message.origin)
        else:
            draft.add({"role": _role(message), "content": _anthropic_content(message.fields)}, message.origin)


def _joined(before: Any, content: Any) -> list[Any]:
    parts: list[Any] = []
    for part in (before, content):
        parts += part if isinstance(part, list) else [{"type": "text", "text": part}]
    return parts


def _result(fields: dict[str, Any]) -> dict[str, Any]:
    result = {
        "type": "tool_result",
        "tool_use_id": fields.get("tool_call_id"),
        "content": fields.get("content"),
    }
    return result | {"is_error": True} if fields.get("status") == "error" else result


def _only_results(message: dict[str, Any]) -> bool:
    content = message["content"]
    if message["role"] != "user" or not isinstance(content, list):
        return False
    return all(name_in(block, "type") == "tool_result" for block in content)


def _anthropic_content(fields: dict[str, Any]) -> Any:
    """Return the content as LangChain sends it: without blank texts, each call once.

    The block of a call that was streamed has no input yet. What stands in tool_calls is what counts.
    """
    content = fields.get("content")
    calls = {id_: call for call in _calls(fields) if (id_ := usable_id(call.get("id")))}
    if not isinstance(content, list):
        if not calls:
            return content
        content = [{"type": "text", "text": content}] if content else []
    written = [_settled(block, calls) for block in content if not _unsent(block)]
    there = {block.get("id") for block in _blocks(written) if isinstance(block.get("id"), str)}
    for call in _calls(fields):
        if usable_id(call.get("id")) not in there:
            named = {"id": call.get("id"), "name": call.get("name")}
            written.append({"type": "tool_use", **named, "input": call.get("args")})
    return written or content


def _unsent(block: Any) -> bool:
    """Tell a blank text, and a piece of a streamed call, which LangChain leaves out."""
    kind, text = name_in(block, "type"), block.get("text") if isinstance(block, dict) else None
    return kind == "input_json_delta" or (kind == "text" and isinstance(text, str) and not text.strip())


def _settled(block: Any, calls: dict[str, dict[str, Any]]) -> Any:
    if not isinstance(block, dict):
        return block
    settled = {key: value for key, value in block.items() if key not in STREAMED}
    call = calls.get(name_in(block, "id"))
    if call is not None and block.get("type") == "tool_use":
        settled["input"] = call.get("args")
    return settled

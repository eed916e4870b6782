"""The parts of an input item of OpenAI's Responses API.

Source: https://platform.openai.com/docs/api-reference/responses/create. A call names itself by `call_id`, and
its output repeats that. Two differ: the output of a local shell call has the `call_id` under `id`, and an
answer to a request for approval names it by `approval_request_id`. A reference to a stored item may leave its
type out.
"""

from collections.abc import Iterator
from typing import Any

from ctxlab.messages.parts import Kind, Part, name_in, plain, usable_id

# Each type of call that has an output item of its own, with the type of that item.
OUTPUTS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "tool_search_call": "tool_search_output",
    "program": "program_output",
    "mcp_approval_request": "mcp_approval_response",
}
CALLS = {output: call for call, output in OUTPUTS.items()}
# OpenAI runs these itself, or goes on without an answer.
NO_RESULT_DUE = {"tool_search_call", "program", "mcp_approval_request"}

# Items that are neither messages, calls nor outputs: reasoning, stored state, and what OpenAI runs itself.
# Codex writes compactions under two more names.
OTHER_ITEMS = {
    "additional_tools",
    "code_interpreter_call",
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "context_compaction",
    "file_search_call",
    "image_generation_call",
    "item_reference",
    "mcp_call",
    "mcp_list_tools",
    "reasoning",
    "web_search_call",
}
# The ends of types that further calls and outputs may have. No content block has such a type.
ITEM_ENDINGS = ("_call", "_output")

TEXTS = {"input_text", "output_text", "text", "refusal", "summary_text", "reasoning_text"}


def responses_parts(index: int, item: Any) -> Iterator[Part]:
    """Yield the parts of item `index`: those of a message's content, or the item itself."""
    if not isinstance(item, dict):
        return
    role = name_in(item, "role")
    item_type = name_in(item, "type") or _untyped(item)
    if item_type == "message":
        yield from _content_parts(index, role, item.get("content"))
    elif item_type in OUTPUTS:
        key = "id" if item_type == "mcp_approval_request" else "call_id"
        call_id = usable_id(item.get(key))
        served = item_type in NO_RESULT_DUE
        yield Part(index, None, "call", item_type, role, call_id, item_type, served, item)
    elif item_type in CALLS:
        family = CALLS[item_type]
        yield Part(
            index, None, "result", item_type, role, _answered(item), family, family in NO_RESULT_DUE, item
        )
    else:
        kind: Kind = "reasoning" if item_type == "reasoning" else "other"
        yield plain(index, None, kind, item_type, role, item, item.get("id"))


def is_item_type(value: Any) -> bool:
    """Say whether a dict with this type is an item by itself, though it has no role."""
    if type(value) is not str:
        return False
    return value in OUTPUTS or value in CALLS or value in OTHER_ITEMS or value.endswith(ITEM_ENDINGS)


def _untyped(item: dict[str, Any]) -> str:
    """Return the type that an item without one has: a message in its short form, or a reference."""
    if name_in(item, "role"):
        return "message"
    return "item_reference" if is_bare_reference(item) else ""


def is_bare_reference(item: dict[str, Any]) -> bool:
    """Say whether `item` is nothing but the id of a stored item."""
    return (
        item.keys() <= {"id", "type"} and item.get("type") is None and usable_id(item.get("id")) is not None
    )


def _answered(item: dict[str, Any]) -> str | None:
    """Return the id of the call that an output answers."""
    if item["type"] == "mcp_approval_response":
        return usable_id(item.get("approval_request_id"))
    if item["type"] == "local_shell_call_output":
        return usable_id(item.get("call_id")) or usable_id(item.get("id"))
    return usable_id(item.get("call_id"))


def _content_parts(index: int, role: str, content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        yield plain(index, None, "text", "text", role, content)
    for number, block in enumerate(content if isinstance(content, list) else []):
        block_type = name_in(block, "type")
        yield plain(index, number, "text" if block_type in TEXTS else "other", block_type, role, block)

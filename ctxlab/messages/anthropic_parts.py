"""The parts of a message of the Anthropic Messages API.

Block types: https://platform.claude.com/docs/en/api/messages. A tool that Anthropic runs (server_tool_use,
mcp_tool_use) has its result in an assistant message, under a type that ends in _tool_result:
https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools
"""

from collections.abc import Iterator
from typing import Any

from ctxlab.messages.parts import Kind, Part, name_in, plain, usable_id

CALL_FAMILIES = {"tool_use": "tool", "server_tool_use": "server", "mcp_tool_use": "mcp"}
RESULT_FAMILIES = {"tool_result": "tool", "mcp_tool_result": "mcp"}
OTHER_KINDS: dict[str, Kind] = {"text": "text", "thinking": "thinking", "redacted_thinking": "thinking"}


def anthropic_parts(index: int, message: Any) -> Iterator[Part]:
    """Yield the content blocks of message `index`; a content that is a string is one text."""
    role = name_in(message, "role")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        yield plain(index, None, "text", "text", role, content)
    elif isinstance(content, list):
        for number, block in enumerate(content):
            yield _part(index, number, role, block)


def _part(index: int, number: int, role: str, block: Any) -> Part:
    block_type = name_in(block, "type")
    if block_type in CALL_FAMILIES:
        family = CALL_FAMILIES[block_type]
        call_id = usable_id(block.get("id"))
        return Part(index, number, "call", block_type, role, call_id, family, family != "tool", block)
    if block_type.endswith("tool_result"):
        family = RESULT_FAMILIES.get(block_type, "server")
        result_id = usable_id(block.get("tool_use_id"))
        return Part(index, number, "result", block_type, role, result_id, family, family != "tool", block)
    return plain(index, number, OTHER_KINDS.get(block_type, "other"), block_type, role, block)

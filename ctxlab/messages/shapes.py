"""The three shapes in which a history is sent to a provider, and how one is recognised."""

from collections import Counter
from typing import Any, Literal, get_args

from ctxlab.errors import Refusal
from ctxlab.messages.wording import shown

Api = Literal["anthropic-messages", "openai-chat", "openai-responses"]
APIS: tuple[Api, ...] = get_args(Api)

# Types of content blocks that only one shape has. The lists name what the SDKs of the providers define.
ANTHROPIC_BLOCKS = {
    "container_upload",
    "document",
    "image",
    "mcp_tool_use",
    "redacted_thinking",
    "search_result",
    "server_tool_use",
    "thinking",
    "tool_result",
    "tool_use",
}
CHAT_BLOCKS = {"file", "image_url"}
RESPONSES_BLOCKS = {"input_file", "input_image", "input_text", "output_text"}

CHAT_KEYS = ("tool_calls", "function_call", "refusal", "audio", "name")
CHAT_ROLES = {"developer", "function", "system", "tool"}


def recognised(messages: Any) -> Api | None:
    """Return the shape of a history, by what only that shape has; None where nothing is a message.

    Each message with a sign of one shape gives a vote, and the most votes win; of several equal, the shape
    that came first. A history of plain texts fits all three: it is taken for OpenAI Chat when it has system,
    developer or tool messages, and otherwise for Anthropic Messages.
    """
    if not isinstance(messages, list):
        return None
    votes = Counter(sign for message in messages if (sign := sign_of(message)) is not None)
    if votes:
        return votes.most_common(1)[0][0]
    roles = [message.get("role") for message in messages if isinstance(message, dict)]
    if any(isinstance(role, str) and role in CHAT_ROLES for role in roles):
        return "openai-chat"
    return "anthropic-messages" if any(isinstance(role, str) for role in roles) else None


def shape_of(messages: Any, api: Api | None) -> Api:
    """Return `api` where it is given, else the recognised shape, else Anthropic Messages.

    Refuses (`bad_argument`) a name that is none of the three.
    """
    if api is None:
        return recognised(messages) or "anthropic-messages"
    if api not in APIS:
        raise Refusal("bad_argument", f"there is no api {shown(api)}; give one of {', '.join(APIS)}")
    return api


def sign_of(message: Any) -> Api | None:
    """Return the shape that this message alone gives away, None where it fits more than one."""
    if not isinstance(message, dict):
        return None
    item_type = message.get("type")
    if isinstance(item_type, str) and "role" not in message:
        return "openai-responses"
    if message.get("role") in ("tool", "function") or any(key in message for key in CHAT_KEYS):
        return "openai-chat"
    content = message.get("content")
    # Anthropic's answers carry "type": "message" too, but their content is a list.
    if item_type == "message" and not isinstance(content, list):
        return "openai-responses"
    for block in content if isinstance(content, list) else []:
        block_type = block.get("type") if isinstance(block, dict) else None
        if not isinstance(block_type, str):
            continue
        if block_type in ANTHROPIC_BLOCKS or block_type.endswith("_tool_result"):
            return "anthropic-messages"
        if block_type in CHAT_BLOCKS:
            return "openai-chat"
        if block_type in RESPONSES_BLOCKS:
            return "openai-responses"
        # Both of OpenAI's have it, and only one has messages with a type.
        if block_type == "refusal":
            return "openai-responses" if item_type == "message" else "openai-chat"
    return None

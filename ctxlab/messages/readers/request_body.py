"""One object with the messages in it: a whole request body, or a file that only wraps the list.

The bodies: https://platform.claude.com/docs/en/api/messages (system, messages, tools),
https://platform.openai.com/docs/api-reference/chat/create (messages, tools) and
https://platform.openai.com/docs/api-reference/responses/create (instructions, input, tools).
"""

from collections.abc import Iterable
from typing import Any

from ctxlab.messages.readers.transcript import Draft, Origin, Record
from ctxlab.messages.shapes import Api

NAME = "request body"

# What stands around a body: a line of OpenAI's or Anthropic's batch files, a log of a request, a prompt that
# LangChain dumped, and a state of LangGraph.
WRAPPERS = ("body", "params", "request", "kwargs", "values")
# Settings of a request, which hold nothing that was said.
SYSTEM_KEYS = ("system", "instructions")


def body_in(value: Any) -> dict[str, Any] | None:
    """Return the object that holds the messages: `value`, or what one of the wrappers in it holds."""
    for candidate in (value, *(value.get(key) for key in WRAPPERS if isinstance(value, dict))):
        if isinstance(candidate, dict) and list_key(candidate):
            return candidate
    return None


def list_key(body: dict[str, Any]) -> str | None:
    """Return the key under which the messages stand."""
    if isinstance(body.get("messages"), list):
        return "messages"
    return "input" if isinstance(body.get("input"), (list, str)) else None


def records_of(body: dict[str, Any]) -> list[Record]:
    """Return the messages of a body; an input that is one text is one message of the user."""
    found = body[list_key(body) or "messages"]
    items = [{"role": "user", "content": found}] if isinstance(found, str) else found
    return [Record(item, Origin(f"item {index}")) for index, item in enumerate(items)]


def take_settings(value: dict[str, Any], body: dict[str, Any], draft: Draft) -> None:
    """Take what stands beside the messages: system text and tools. The rest is named in a note.

    What the messages themselves have told already stays.
    """
    draft.api = draft.api or _api(body)
    if draft.system is None:
        draft.system = next((body[key] for key in SYSTEM_KEYS if body.get(key) is not None), None)
    tools = body.get("tools")
    draft.tools = tools if isinstance(tools, list) else None
    if body is not value:
        draft.notes.append("The messages stand inside a larger object; what is around them is left out.")
    others = [key for key in body if key not in ("messages", "input", "tools", *SYSTEM_KEYS)]
    if others:
        draft.notes.append(f"Beside the messages the file has {_shown(others)}; that is left out.")
    if body.get("previous_response_id"):
        draft.notes.append(
            "The request goes on from an earlier response (previous_response_id), which is not in the file: "
            "a result whose call is there looks like an orphan here."
        )


def _api(body: dict[str, Any]) -> Api | None:
    """Return the API that only such a body is for; None where the messages themselves must tell."""
    if list_key(body) == "input":
        return "openai-responses"
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else []:
        if isinstance(tool, dict) and "input_schema" in tool:
            return "anthropic-messages"
        if isinstance(tool, dict) and "function" in tool:
            return "openai-chat"
    return "anthropic-messages" if "system" in body or "anthropic_version" in body else None


def _shown(keys: Iterable[str]) -> str:
    names = [key[:40] for key in keys]
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")

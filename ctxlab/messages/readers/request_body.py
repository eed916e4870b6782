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

# Where an object holds its messages. items: sessions that Codex CLI wrote before it was written in Rust.
LISTS = ("messages", "input", "items")
# What stands around a body: a line of OpenAI's or Anthropic's batch files, a log of a request, a prompt that
# LangChain dumped, a run of LangSmith, and a state or a checkpoint of LangGraph.
WRAPPERS = ("body", "params", "request", "kwargs", "inputs", "values", "channel_values")
# So many objects may stand in one another, such as a body in a request in a line of a log.
MAX_WRAPPERS = 3
# Settings of a request, which hold nothing that was said.
SYSTEM_KEYS = ("system", "instructions")


def body_in(value: Any) -> dict[str, Any] | None:
    """Return the object that holds the messages: `value`, or what one of the wrappers in it holds."""
    candidates = [value]
    for _ in range(MAX_WRAPPERS):
        objects = [candidate for candidate in candidates if isinstance(candidate, dict)]
        for candidate in objects:
            if list_key(candidate):
                return candidate
        candidates = [candidate.get(key) for candidate in objects for key in WRAPPERS]
    return None


def list_key(body: dict[str, Any]) -> str | None:
    """Return the key under which the messages stand."""
    for key in LISTS:
        if isinstance(body.get(key), list) or (key == "input" and isinstance(body.get(key), str)):
            return key
    return None


def records_of(body: dict[str, Any]) -> list[Record]:
    """Return the messages of a body; an input that is one text is one message of the user."""
    found = listed_in(body)
    items = [{"role": "user", "content": found}] if isinstance(found, str) else found
    return [Record(item, Origin(f"item {index}")) for index, item in enumerate(items)]


def listed_in(body: dict[str, Any]) -> Any:
    """Return what a body has as its messages. LangSmith writes a list of histories, mostly of one."""
    found = body[list_key(body) or LISTS[0]]
    one = isinstance(found, list) and len(found) == 1 and isinstance(found[0], list)
    return found[0] if one else found


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
        around = ", which also has " + _shown(key for key in value if key not in WRAPPERS)
        draft.notes.append(
            f"The messages stand inside a larger object{around if len(value) > 1 else ''}; what is around "
            "them is not looked at."
        )
    others = [key for key in body if key not in (*LISTS, "tools", *SYSTEM_KEYS)]
    if others:
        draft.notes.append(f"Beside the messages the file has {_shown(others)}; that is not looked at.")
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

"""What a message of OpenAI's Chat Completions is, as far as the rules for shorter histories need it.

Source: https://platform.openai.com/docs/api-reference/chat/create. Positions in texts are counted from 0.
"""

from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.wording import shown, type_words

ROLES = ("system", "developer", "user", "assistant", "tool")
HEAD_ROLES = ("system", "developer")


def check_chat(messages: Any) -> None:
    """Refuse (`not_a_history`) what is no list of Chat messages with a UTF-8 JSON form."""
    if not isinstance(messages, list):
        raise Refusal("not_a_history", f"the history is {type_words(messages)}, not a list of messages")
    for index, message in enumerate(messages):
        problem = chat_fault(message)
        if problem:
            raise Refusal("not_a_history", f"message {index} {problem}")


def chat_fault(message: Any) -> str:
    """Return what makes a value no Chat message, as the rest of a sentence, or ""."""
    if not isinstance(message, dict):
        return f"is {type_words(message)}, not a dict"
    role, content, calls = message.get("role"), message.get("content"), message.get("tool_calls")
    if role not in ROLES:
        return f"has the role {shown(role)}; a role is one of {', '.join(ROLES)}"
    if not isinstance(content, str | list | None):
        return f"has {type_words(content)} as its content, not a text, a list of parts or null"
    if message.get("function_call") is not None:
        return "has a function_call, which has no id; write it as tool_calls"
    if not isinstance(calls, list | None) or not all(isinstance(call, dict) for call in calls or []):
        return "has tool_calls that are no list of calls"
    if calls and role != "assistant":
        return f"has tool_calls and the role {shown(role)}; only the assistant makes calls"
    for part in content if isinstance(content, list) else []:
        if not isinstance(part, dict) or part.get("type") in ("tool_use", "tool_result"):
            # In the other API's form calls and results are blocks: these pairs would go unseen.
            return "has content parts that Chat Completions do not have; convert the history first"
    try:
        compact_json(message)
    except Refusal as refusal:
        return f"has no UTF-8 JSON form: {refusal.__cause__}"
    return ""

"""Groups: the parts of a Chat history that are kept or removed as a whole.

A history here is in the form of OpenAI's Chat Completions, where each result is a message of its own, with
the role "tool". The messages after an assistant's message with tool calls must be its results, one for each
call (https://platform.openai.com/docs/guides/function-calling). So such a message and the tool messages
directly behind it are one group, and every other message is a group by itself.
"""

from dataclasses import dataclass
from typing import Any

from ctxlab.messages.chat_grammar import HEAD_ROLES, check_chat

Message = dict[str, Any]
History = list[Message]


@dataclass(frozen=True)
class Group:
    """The messages from `start` up to `stop`, which is not one of them.

    `fault` says what is wrong with their calls and results: "" (nothing), "open" (results are missing, and
    may still come), "unanswered" (they are missing, and something else follows), "orphaned" (results without
    a call) or "foreign" (a result of another call, a second result, or calls that cannot be told apart).
    """

    start: int
    stop: int
    fault: str = ""


def groups_of(messages: History) -> list[Group]:
    """Return the groups of a Chat history, in order; together they are the whole of it.

    Refuses `not_a_history` what is no list of Chat messages, and calls in the older form `function_call`.
    """
    check_chat(messages)
    groups = []
    start = 0
    # Is there another message?
    while start < len(messages):
        stop = start + 1
        # Does this message make calls, or is it a result?
        if messages[start].get("tool_calls") or messages[start]["role"] == "tool":
            # Is the next message a result?
            while stop < len(messages) and messages[stop]["role"] == "tool":
                # It belongs to the same group.
                stop += 1
        groups.append(Group(start, stop, fault_of(messages[start:stop], stop == len(messages))))
        start = stop
    return groups


def fault_of(group: History, at_end: bool) -> str:
    """Return the fault of the messages of one group, as `Group` names it. `at_end`: nothing follows them."""
    calls = [call.get("id") for call in group[0].get("tool_calls") or []]
    # Is it a result?
    results = [message.get("tool_call_id") for message in group if message["role"] == "tool"]
    # Are there neither calls nor results?
    if not calls and not results:
        return ""
    # Are there results without a call?
    if not calls:
        return "orphaned"
    # Is there an id that is no text?
    if not all(isinstance(one, str) and one for one in calls + results):
        return "foreign"
    # Is a result of another call among them?
    if not set(results) <= set(calls):
        return "foreign"
    # Are there two that nobody can tell apart?
    if len(set(calls)) < len(calls) or len(set(results)) < len(results):
        return "foreign"
    # Is a call without its result?
    if len(results) < len(calls):
        # At the end of the history the result may still come.
        return "open" if at_end else "unanswered"
    return ""


def head_length(messages: History) -> int:
    """Return how many system messages (or developer messages, their newer name) the history begins with."""
    length = 0
    # Is the next message the system's, too?
    while length < len(messages) and messages[length]["role"] in HEAD_ROLES:
        length += 1
    return length

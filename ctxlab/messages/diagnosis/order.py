"""Results that are there, but not where the provider looks for them."""

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

from ctxlab.messages.diagnosis.finding import Finding, at_part, named, place, place_of
from ctxlab.messages.pairing import Pairs, answers
from ctxlab.messages.parts import Part, name_in
from ctxlab.messages.view import INPUT_ROLES, View

Finder = Callable[[Part, Part], Iterator[Finding]]


def order_findings(view: View, pairs: Pairs) -> Iterator[Finding]:
    """Yield the results of the client's calls that stand in the wrong place."""
    if view.api == "anthropic-messages":
        find = _anthropic(view, pairs)
    elif view.api == "openai-chat":
        find = _chat(view)
    else:
        find = _responses(view)
    for call in pairs.calls:
        for result in call.results[:1]:
            if not call.part.served and answers(result, call.part):
                yield from find(call.part, result)


def _role(message: Any) -> str:
    return name_in(message, "role")


def _anthropic(view: View, pairs: Pairs) -> Finder:
    """Results stand in the user's message directly after the calls, all in it, and in front of all else.

    Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls. The API's own
    text for each of these is that no result was found. Whether messages of one role in a row are joined
    first, so that split results and split calls pass, is provider-dependent: the documents say so, reports do
    not (MoonshotAI/kosong#45, openclaw/openclaw#27890).
    """
    leaders: dict[int, int] = {}  # the first block of each message that is no result of a client's call
    for part in view.parts:
        if not (part.kind == "result" and part.family == "tool"):
            leaders.setdefault(part.message, part.block or 0)
    # The messages with calls of which at least one is answered in the next message.
    begun = {
        call.part.message
        for call in pairs.calls
        if any(result.message == call.part.message + 1 for result in call.results[:1])
    }
    # How many messages before each index are not the user's.
    others = list(accumulate((_role(message) != "user" for message in view.messages), initial=0))
    # How many are not the assistant's.
    foreign = list(accumulate((_role(message) != "assistant" for message in view.messages), initial=0))

    def find(call: Part, result: Part) -> Iterator[Finding]:
        after = call.message + 1
        leader = leaders.get(after)
        if result.message == after and leader is not None and leader < (result.block or 0):
            words = f"answers {named(result)} and comes after {place(after, leader)}: the order is wrong"
            yield at_part("tool_result_not_leading", result, words)
        elif result.message > after:
            if call.message in begun and others[result.message] == others[after]:
                words = (
                    f"answers {named(result)}, while message {after} has other results of the same calls; "
                    "whether that is accepted is provider-dependent"
                )
                yield at_part("results_split_across_messages", result, words)
            else:
                in_a_row = foreign[result.message] == foreign[call.message]
                unsure = "; whether the assistant's messages are joined first is provider-dependent"
                yield _late(call, result, after, unsure if in_a_row else "")

    return find


def _late(call: Part, result: Part, cause: int, unsure: str = "") -> Finding:
    words = (
        f"answers {named(result)}, the call of {place_of(call)}, but message {cause} stands where the result "
        f"must be{unsure}"
    )
    return at_part("result_not_in_next_message", result, words)


def _chat(view: View) -> Finder:
    """The tool messages follow directly on the message with their calls, in any order among themselves.

    Source: https://platform.openai.com/docs/guides/function-calling; the API answers 400, "An assistant
    message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'".
    """
    before_run: list[int] = []  # for each message, the nearest message before it that is no tool message
    last = -1
    for index, message in enumerate(view.messages):
        before_run.append(last)
        if _role(message) != "tool":
            last = index

    def find(call: Part, result: Part) -> Iterator[Finding]:
        cause = before_run[result.message]
        if cause != call.message:
            yield _late(call, result, cause)

    return find


def _responses(view: View) -> Finder:
    """No message of the client stands between a call and its output.

    This is provider-dependent. OpenAI pairs by `call_id` wherever the output is; other servers of the same
    API answer 400, "No tool output found" (deepseek-ai/awesome-deepseek-integration#740).
    """
    next_input: list[int] = []  # for each item, the index of the next message of the client from it on
    nearest = len(view.messages)
    for index in reversed(range(len(view.messages))):
        if _role(view.messages[index]) in INPUT_ROLES:
            nearest = index
        next_input.append(nearest)
    next_input.reverse()

    def find(call: Part, result: Part) -> Iterator[Finding]:
        cause = next_input[call.message]
        if cause < result.message:
            words = (
                f"answers {named(result)}, the call of {place_of(call)}, but message {cause} stands between "
                "them; whether that is accepted is provider-dependent"
            )
            yield at_part("result_not_in_next_message", result, words)

    return find

"""Thinking and reasoning that was parted from what belongs to it."""

from collections.abc import Iterator

from ctxlab.messages.diagnosis.context import Context
from ctxlab.messages.diagnosis.finding import Finding, at_part, named, place
from ctxlab.messages.parts import name_in
from ctxlab.messages.view import View


def thinking_findings(view: View, context: Context) -> Iterator[Finding]:
    """Yield what is wrong with thinking blocks and reasoning items."""
    if view.api == "anthropic-messages":
        yield from _last_in_message(view)
        if context.thinking:
            yield from _missing(view)
    if view.api == "openai-responses":
        yield from _without_follower(view)


def _last_in_message(view: View) -> Iterator[Finding]:
    """Find assistant's messages that end in thinking.

    The API answers 400, "The final block in an assistant message cannot be `thinking`"
    (tailcallhq/forgecode#2107).
    """
    last = {part.message: part for part in view.parts}
    for part in last.values():
        if part.kind == "thinking" and part.role == "assistant":
            yield at_part("thinking_last_in_message", part, f"is {part.type} with nothing behind it")


def _missing(view: View) -> Iterator[Finding]:
    """Find the turn that is going on when its first message with calls does not begin with thinking.

    With manual extended thinking the API answers 400, "Expected `thinking` or `redacted_thinking`, but found
    `tool_use`" (anomalyco/opencode#3077), or "found `text`" (n8n-io/n8n#22550). The rule is for the turn
    since the last words of the user; a loop of tools is one turn, and its later messages need no thinking:
    https://platform.claude.com/docs/en/build-with-claude/extended-thinking
    """
    last = view.messages[-1] if view.messages else None
    if name_in(last, "role") == "assistant" and view.parts[-1:] and view.parts[-1].kind != "call":
        return  # The turn is over.
    with_results = {part.message for part in view.parts if part.kind == "result"}
    begin = 0
    for part in view.parts:
        if part.role == "user" and part.message not in with_results:
            begin = part.message + 1
    said: set[int] = set()  # the messages that begin with a text
    for part in view.parts:
        if part.message >= begin and part.role == "assistant":
            if part.kind == "thinking":
                if part.message in said:
                    words = f"is {part.type} behind {place(part.message, 0)}, which must come after it"
                    yield at_part("thinking_not_leading", part, words)
                return
            if part.block == 0 and part.kind == "text":
                said.add(part.message)
            if part.kind == "call" and not part.served:
                words = f"makes the call {named(part)} of the turn that goes on, with no thinking before it"
                yield at_part("thinking_missing_before_tool_use", part, words)
                return


def _without_follower(view: View) -> Iterator[Finding]:
    """Find reasoning items behind which the model's turn says and calls nothing.

    The API answers 400, "Item of type 'reasoning' was provided without its required following item"
    (vercel/ai#7099, openai/openai-agents-js#1280).
    """
    alone: set[int] = set()
    for part in reversed(view.parts):
        if part.kind == "reasoning":
            after = part.message + 1
            if after == view.turns[part.message][1] or after in alone:
                alone.add(part.message)
                words = "is reasoning, and nothing of its turn follows it"
                yield at_part("reasoning_without_follower", part, words)

"""Window and pack: the newest groups that fit stay, and older ones go."""

from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.spoken import spoken
from ctxlab.reference.groups import groups_of, head_length
from ctxlab.reference.packing import ContextManager
from ctxlab.reference.window import ContextWindow
from ctxlab.strategies.strategy import History, Prepare, Run

# A limit that is never met.
MANY = 10**9
NO_SYSTEM_TEXT = "You work on the task below."


def begin_window(run: Run) -> Prepare:
    """Keep the newest groups."""
    run.note(
        "The window is limited by tokens alone, and not by a number of messages.",
        "Where the newest group does not fit, it refuses, and goes on once newer groups fit without it.",
    )

    def empty() -> ContextWindow:
        return ContextWindow(MANY, run.limits.tokens, cost=run.tokens.of)

    window = empty()
    known = 0

    def prepare(history: History) -> History:
        nonlocal window, known
        try:
            window = _filled(window, history[known:])
        except Refusal as refusal:
            # The history stays as it was given, so the window must be filled anew from that.
            window, known = empty(), 0
            newest = _newest(history, run)
            if not newest:
                raise _in_tokens(refusal) from refusal
            # What did not fit is old by now.
            window = _filled(empty(), newest)
        kept = window.messages
        known = len(kept)
        return kept

    return prepare


def _filled(window: ContextWindow, messages: History) -> ContextWindow:
    for message in messages:
        window.add(message)
    return window


def _newest(history: History, run: Run) -> History:
    """Return the leading system messages and the newest groups that fit with them; [] where none does."""
    head = head_length(history)
    used = run.count(history[:head])
    calls = _calls(history)
    # The calls that are still to come, on the way back: a late result stays with its call.
    missing: set[Any] = set()
    kept: History = []
    for group in reversed(groups_of(history)[head:]):
        messages = history[group.start : group.stop]
        used += run.count(messages)
        if used > run.limits.tokens:
            break
        missing |= calls & {message.get("tool_call_id") for message in messages if message["role"] == "tool"}
        missing -= _calls(messages)
        if not missing:
            kept = history[:head] + history[group.start :]
    return kept


def _calls(messages: History) -> set[Any]:
    """Return the ids of the calls that messages make."""
    return {call.get("id") for message in messages for call in message.get("tool_calls") or []}


def _in_tokens(refusal: Refusal) -> Refusal:
    """Return a refusal of the window without the limit of messages, which there is not."""
    return Refusal(refusal.code, str(refusal).replace(f"the limits are {MANY} messages and", "the limit is"))


def begin_pack(run: Run) -> Prepare:
    """Build a context of the system text, the goal and the newest groups."""
    manager = ContextManager(run.limits.tokens, 0, cost=run.tokens.of)
    run.note(
        "The system text and the first words of the user are its anchors; there is no state beside them.",
        "Nothing is reserved for the answer: the limit is that of the request.",
    )
    # The number of messages at the beginning that it wrote itself.
    anchored = 0
    system = ""

    def prepare(history: History) -> History:
        nonlocal anchored, system
        if run.fits(history):
            return history
        start = anchored
        if not anchored:
            start = head_length(history)
            system = "\n\n".join(text for message in history[:start] for text in spoken(message))
            # The goal is an anchor: it need not stand there twice.
            start += _says(history[start : start + 1], run.goal)
        candidate, _ = manager.build_safe_context(system or NO_SYSTEM_TEXT, run.goal, None, history[start:])
        anchored = 2
        return candidate

    return prepare


def _says(messages: History, goal: str) -> bool:
    return bool(messages) and messages[0]["role"] == "user" and goal == "\n\n".join(spoken(messages[0]))

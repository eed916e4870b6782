"""Window and pack: the newest groups that fit stay, and older ones go."""

from ctxlab.messages.spoken import spoken
from ctxlab.reference.groups import head_length
from ctxlab.reference.packing import ContextManager
from ctxlab.reference.window import ContextWindow
from ctxlab.strategies.strategy import History, Prepare, Run

# A limit that is never met.
MANY = 10**9
NO_SYSTEM_TEXT = "You work on the task below."


def begin_window(run: Run) -> Prepare:
    """Keep the newest groups."""
    run.note("The window is limited by tokens alone, and not by a number of messages.")

    def empty() -> ContextWindow:
        return ContextWindow(MANY, run.limits.tokens, cost=run.tokens.of)

    window = empty()
    known = 0

    def prepare(history: History) -> History:
        nonlocal window, known
        try:
            for message in history[known:]:
                window.add(message)
        except Exception:
            # The history stays as it was given, so the window must be filled anew from that.
            window, known = empty(), 0
            raise
        kept = window.messages
        known = len(kept)
        return kept

    return prepare


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

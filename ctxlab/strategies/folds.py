"""Fold: the middle of the session becomes one structured summary, in a database in memory."""

from typing import Any

from ctxlab.reference.fold_summary import HEADINGS
from ctxlab.reference.folding import maybe_fold
from ctxlab.reference.groups import head_length
from ctxlab.reference.session import Caps, Session, add_messages, begin_session, prepare_window
from ctxlab.reference.store import open_store
from ctxlab.strategies.stand_in import TEXT
from ctxlab.strategies.strategy import History, Message, Prepare, Run

TASK = USER = "compare"
SUMMARY = "\n".join([HEADINGS[0], TEXT, *(line for heading in HEADINGS[1:] for line in (heading, "none"))])


def begin_fold(run: Run) -> Prepare:
    """Fold at the start of a run, which is where the user has said something."""
    caps = Caps(run.limits.tokens, min(10.0, 1 / run.json_characters_per_token))
    run.note(
        f"It counts characters of JSON: {run.json_characters_per_token:.1f} for a token, as measured on this "
        "history. It cuts old results short from 50 % of the limit on, and folds at 85 %.",
        "It folds only at the start of a run, when the user has said something.",
    )
    db = open_store()
    session: Session | None = None
    known = 0
    warned: set[str] = set()

    def ask(messages: History) -> Message:
        return {"role": "assistant", "content": run.summarize(messages, SUMMARY), "stop_reason": "end_turn"}

    def emit(event: str, data: dict[str, Any]) -> None:
        if event == "warn" and data["reason"] not in warned:
            warned.add(data["reason"])
            run.note(f"It could not fold at first ({data['reason']}): {data['text']}.")

    def prepare(history: History) -> History:
        nonlocal session, known
        if session is None:
            known = head_length(history)
            session = begin_session(TASK, history[:known], db=db)
        entered = history[known:]
        if entered:
            add_messages(session, entered, db=db)
        known = len(history)
        if any(message["role"] == "user" for message in entered):
            maybe_fold(session, ask, caps, db=db, user_id=USER, emit=emit)
        window = prepare_window(session.messages, session.head_len, caps)
        known = len(window)
        return window

    return prepare

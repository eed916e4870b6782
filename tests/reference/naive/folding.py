"""Folding as it is often written: it works, until the database fails or the session is folded again."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine

from ctxlab.reference.session import Caps, Session, message_chars, window_chars
from ctxlab.reference.store import book_usage, save_fold

History = list[dict[str, Any]]


def maybe_fold(
    session: Session,
    ask: Callable[[History], Any],
    caps: Caps,
    *,
    db: Engine,
    user_id: str,
    emit: Callable[[str, dict[str, Any]], Any],
) -> dict[str, int] | None:
    """Fold the older messages of a session into a summary, if its window is nearly full."""
    before = window_chars(session.messages)
    if not caps.reached(85, before):
        return None
    system = session.messages[: session.head_len - bool(session.summary)]
    cut = find_cutoff(session.messages, session.head_len)
    folded = session.messages[session.head_len : cut]
    if len(folded) < 8:
        return None

    emit("start", {"folding_messages": len(folded)})
    text = "\n".join(f"{message['role']}: {message['content']}" for message in folded)
    answer = ask([{"role": "user", "content": f"Summarise this conversation:\n\n{text}"}])
    summary = answer["content"]
    if not summary:
        emit("warn", {"reason": "bad_summary", "text": "the summary is empty"})
        return None
    if session.summary:
        summary = f"Summary of earlier work:\n{session.summary}\n\n{summary}"

    note = {"role": "user", "content": f"Summary of earlier work:\n{summary}"}
    session.messages[:] = [*system, note, *session.messages[cut:]]
    session.head_len = len(system) + 1
    session.base_idx += len(folded)
    session.summary = summary
    save_fold(db, session.task_id, session.base_idx, summary)
    book_usage(db, session.task_id, user_id, "context_fold", len(text) // 4, len(summary) // 4)

    stats = {
        "folded_messages": len(folded),
        "before_chars": before,
        "after_chars": window_chars(session.messages),
        "new_base": session.base_idx,
    }
    emit("done", stats)
    return stats


def find_cutoff(messages: History, head_len: int) -> int:
    """Return where the newest 30 % of the messages begin."""
    wanted = window_chars(messages[head_len:]) * 0.3
    index, tail = len(messages), 0
    while tail < wanted:
        index -= 1
        tail += message_chars(messages[index])
    return index

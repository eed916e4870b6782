"""What the tests of folding share: sessions on a database, a stand-in model, what holds after any fold."""

from copy import deepcopy
from typing import Any

from sqlalchemy import Engine

from ctxlab.messages.encoding import compact_json
from ctxlab.reference.fold_summary import HEADINGS
from ctxlab.reference.folding import Caps, Session, maybe_fold
from ctxlab.reference.groups import head_length
from ctxlab.reference.session import add_messages, begin_session, load_session, prepare_window, window_chars
from ctxlab.reference.store import fold_of, stored_messages, usage_of

Message = dict[str, Any]
History = list[Message]
Event = tuple[str, dict[str, Any]]


def summary(*progress: str) -> str:
    """A summary in its five parts, with these lines under progress."""
    texts = dict.fromkeys(HEADINGS, "- none") | {HEADINGS[2]: "\n".join(f"- {line}" for line in progress)}
    return "\n".join(f"{heading}\n{text}" for heading, text in texts.items())


GOOD = summary("two files read")


class Model:
    """A model that answers with one text (or raises), and keeps the requests that it was sent."""

    def __init__(self, answer: Any = GOOD, **more: Any) -> None:
        self.answer, self.more = answer, more
        self.requests: list[History] = []

    def __call__(self, messages: History) -> Any:
        self.requests.append(deepcopy(messages))
        messages.append({"role": "user", "content": "a model may do what it likes with its request"})
        if isinstance(self.answer, Exception):
            raise self.answer
        if not isinstance(self.answer, str):
            return self.answer
        return {"role": "assistant", "content": self.answer, **self.more}


def session_of(history: History, db: Engine, task_id: str = "task", **more: Any) -> Session:
    """A session on the database that holds this history; its leading system messages are not stored."""
    head = head_length(history)
    session = begin_session(task_id, history[:head], db=db, **more)
    add_messages(session, history[head:], db=db)
    return session


def runs(count: int, chars: int = 200) -> History:
    """A history of a system message and `count` runs of four messages: a question, an exchange, an answer."""
    history: History = [{"role": "system", "content": "Ask before you delete anything."}]
    for number in range(count):
        call = {"id": f"call_{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        history += [
            {"role": "user", "content": f"Question {number}: what is in file {number}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": f"{number}" * chars},
            {"role": "assistant", "content": f"File {number} holds numbers."},
        ]
    return history


def caps_for(session: Session, percent: int) -> Caps:
    """Caps of which the session, with all its texts whole, takes this much."""
    return Caps(reliable_tokens=max(1, window_chars(session.messages) * 100 // percent), tokens_per_char=1)


def fold(session: Session, model: Any, caps: Caps, db: Engine) -> tuple[Any, list[Event]]:
    """Fold, and check what is true after any attempt. Returns what came back, and the events."""
    events: list[Event] = []
    before, window = deepcopy(session), prepare_window(session.messages, session.head_len, caps)
    all_stored = stored_messages(db, session.task_id)
    requests = len(model.requests)

    stats = maybe_fold(
        session, model, caps, db=db, user_id="ida", emit=lambda event, data: events.append((event, data))
    )

    # No message is ever lost, and what is in memory is what a new process would find.
    assert stored_messages(db, session.task_id) == all_stored
    system = before.messages[: before.head_len - bool(before.summary)]
    assert load_session(session.task_id, system, db=db, pinned=session.pinned) == session
    # The request is the session's own, byte for byte, and one message.
    for request in model.requests[requests:]:
        own = compact_json(window[: len(request) - 1])[:-1]
        assert compact_json(request).startswith(own + b",")
        assert request[-1]["role"] == "user"
    if stats is None:
        assert session == before
        assert fold_of(db, session.task_id) == (before.base_idx, before.summary)
    else:
        after = prepare_window(session.messages, session.head_len, caps)
        assert [name for name, _ in events if name != "warn"] == ["start", "done"]
        assert events[-1] == ("done", stats)
        assert session.messages[len(system) + 1 :] == all_stored[session.base_idx :]
        assert stats == {
            "folded_messages": session.base_idx - before.base_idx,
            "before_chars": window_chars(window),
            "after_chars": window_chars(after),
            "new_base": session.base_idx,
        }
        assert stats["after_chars"] < stats["before_chars"]
        assert caps.tokens(stats["after_chars"]) <= caps.reliable_tokens
    return stats, events


def kinds_of_usage(db: Engine, task_id: str = "task") -> list[str]:
    return [row["kind"] for row in usage_of(db, task_id)]

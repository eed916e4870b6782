"""Scenarios of folding: a session as earlier runs have left it, a model, and a database in memory."""

import sqlite3
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import Engine, event

from ctxlab.messages.copying import copied
from ctxlab.reference.folding import find_cutoff, maybe_fold, persist_fold
from ctxlab.reference.session import Caps, Session, add_messages, begin_session, load_session, prepare_window
from ctxlab.reference.store import fold_of, open_store, usage_of
from ctxlab.scenarios.fields import Part
from ctxlab.scenarios.systems.stand_ins import StandIn, answering
from ctxlab.scenarios.systems.system import System

TASK = "sheet music"

# Which statements a database refuses.
REFUSED = {"sound": (), "locked": ("INSERT", "UPDATE"), "locked for usage": ("INSERT INTO usage",)}


class GivenCaps(Part):
    """How much the model reads reliably."""

    reliable_tokens: int = Field(default=1000, description="The limit, in tokens.")
    tokens_per_char: float = Field(default=0.5, description="The tokens of a character of JSON.")


class Given(Part):
    """What is in the database, and the arguments of a fold."""

    system: str = Field(
        default="You look after the sheet music of a choir.", description="The system message."
    )
    folded: list[dict[str, Any]] = Field(default=[], description="The messages that were folded earlier.")
    summary: str = Field(default="", description="Their summary.")
    messages: list[dict[str, Any]] = Field(
        description="The messages after those, in the form of OpenAI's Chat Completions."
    )
    pinned: list[str] = Field(default=[], description="Texts that have to stay word for word.")
    caps: GivenCaps = Field(default=GivenCaps(), description="How much the model reads reliably.")
    ask: StandIn = Field(
        default=StandIn(answers=[""]),
        description="The model. A text of it becomes a message of the assistant.",
    )
    database: Literal["sound", "locked", "locked for usage"] = Field(
        default="sound", description="Whether another connection holds the database, or the table of usage."
    )


class Log:
    """Keeps the events of a fold: call it with a name and data."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, event: str, data: dict[str, Any]) -> None:
        """Keep one event."""
        self.events.append((event, copied(data)))

    def __repr__(self) -> str:
        return f"Log({len(self.events)} events)"


def arguments(given: Given) -> dict[str, Any]:
    """Return new values for the parameters of both functions, on a database made for them."""
    db = open_store()
    session = stored(given, db)
    refuse(db, REFUSED[given.database])
    return {
        "session": session,
        "ask": asked(given.ask),
        "caps": Caps(given.caps.reliable_tokens, given.caps.tokens_per_char),
        "db": db,
        "user_id": "ida",
        "emit": Log(),
        "messages": copied(session.messages),
        "head_len": session.head_len,
    }


def stored(given: Given, db: Engine) -> Session:
    """Return the session of a task that is stored as the scenario says."""
    system, pinned = [{"role": "system", "content": given.system}], tuple(given.pinned)
    session = begin_session(TASK, system, db=db, pinned=pinned)
    add_messages(session, [*given.folded, *given.messages], db=db)
    if given.folded:
        persist_fold(TASK, len(given.folded), given.summary, db=db)
    return load_session(TASK, system, db=db, pinned=pinned)


def refuse(db: Engine, statements: tuple[str, ...]) -> None:
    """Let the database refuse statements that begin so, as it does while another connection holds it."""

    @event.listens_for(db, "before_cursor_execute")
    def held(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith(statements):
            raise sqlite3.OperationalError("database is locked")


def asked(stand_in: StandIn) -> Any:
    """Return the stand-in for a model."""
    answer = answering(stand_in)

    def ask(messages: list[dict[str, Any]]) -> Any:
        said = answer(messages)
        return {"role": "assistant", "content": said} if isinstance(said, str) else said

    return ask


def outcome(returned: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return where the cut is; or the events, and what memory, database and the next request hold."""
    if isinstance(returned, int):
        return {"cut": returned}
    session, caps, db = arguments["session"], arguments["caps"], arguments["db"]
    window = prepare_window(session.messages, session.head_len, caps)
    return {
        "events": [
            {"event": name} | {key: value for key, value in data.items() if key != "text"}
            for name, data in arguments["emit"].events
        ],
        "in_memory": len(session.messages),
        "base_idx": fold_of(db, TASK)[0],
        "booked": len(usage_of(db, TASK)),
        "shortened": sum(sent != whole for sent, whole in zip(window, session.messages, strict=True)),
    }


SYSTEM = System(
    name="folding",
    functions={"maybe_fold": maybe_fold, "find_cutoff": find_cutoff},
    given=Given,
    arguments=arguments,
    outcome=outcome,
)

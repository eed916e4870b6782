"""A session: one conversation in memory, stored message by message, and the window that is sent of it.

A history here is in the form of OpenAI's Chat Completions, as in `groups`. The head of a session stands
before its stored messages: the system messages, which belong to the program, and the note with the summary of
what was folded. Positions in texts are counted from 0.
"""

import math
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Engine

from ctxlab.errors import Refusal
from ctxlab.messages.chat_grammar import HEAD_ROLES, check_chat
from ctxlab.messages.copying import copied
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.wording import shown, type_words
from ctxlab.reference.fold_summary import build_summary_note
from ctxlab.reference.shrinking import trim_single_observation
from ctxlab.reference.store import MAX_INT, append_messages, begin_task, fold_of, stored_messages

Message = dict[str, Any]
History = list[Message]

SHORTEN_PERCENT = 50
OLD_TEXT_CHARS = 400


@dataclass
class Session:
    """One conversation in memory.

    task_id   the id of its task in the database
    messages  the head, then the stored messages from position `base_idx` on
    head_len  how many messages the head has: they are not stored
    base_idx  how many stored messages were folded; the summary stands for them
    summary   of these messages; "" before the first fold
    pinned    texts that the window must hold word for word after a fold too, where it held them before
    """

    task_id: str
    messages: History = field(default_factory=list)
    head_len: int = 0
    base_idx: int = 0
    summary: str = ""
    pinned: tuple[str, ...] = ()


@dataclass(frozen=True)
class Caps:
    """How much a model can read.

    `reliable_tokens` is up to where it reads reliably, which is less than the window that it is sold with.
    Sizes are counted in characters of JSON, and `tokens_per_char` is what one of them counts: 0.5 is about
    double the true figure for English prose, and less than the true one for Chinese. Refuses `bad_argument`.
    """

    reliable_tokens: int = 64_000
    tokens_per_char: float = 0.5

    def __post_init__(self) -> None:
        if type(self.reliable_tokens) is not int or self.reliable_tokens < 1:
            given = shown(self.reliable_tokens)
            raise Refusal("bad_argument", f"reliable_tokens is {given}, not an int of at least 1")
        if type(self.tokens_per_char) not in (int, float) or not 0 < self.tokens_per_char <= 10:
            given = shown(self.tokens_per_char)
            raise Refusal("bad_argument", f"tokens_per_char is {given}, not a number above 0 and up to 10")

    def tokens(self, chars: int) -> int:
        """Return how many tokens so many characters count, rounded up."""
        return math.ceil(chars * self.tokens_per_char)

    def reached(self, percent: int, chars: int) -> bool:
        """Say whether so many characters are at least so much of what the model reads reliably."""
        return self.tokens(chars) * 100 >= percent * self.reliable_tokens


def begin_session(task_id: str, system: History, *, db: Engine, pinned: tuple[str, ...] = ()) -> Session:
    """Begin a task, whose system messages are `system`. Refuses what `load_session` refuses."""
    check_system(system)
    check_pinned(pinned)
    begin_task(db, task_id)
    return load_session(task_id, system, db=db, pinned=pinned)


def load_session(task_id: str, system: History, *, db: Engine, pinned: tuple[str, ...] = ()) -> Session:
    """Return the session of a task as it was when it was last stored: with the same window, byte for byte.

    Refuses `bad_task_id`, `not_a_history`, `bad_argument`.
    """
    check_system(system)
    check_pinned(pinned)
    # 1. The base index first: a fold that comes in between hides no message that this one needs.
    base_idx, summary = fold_of(db, task_id)
    stored = stored_messages(db, task_id, base_idx)

    # 2. Put the note where the folded messages were.
    notes = [build_summary_note(summary)] if summary else []
    messages = [*copied(system), *notes, *stored]
    return Session(task_id, messages, len(messages) - len(stored), base_idx, summary, tuple(pinned))


def add_messages(session: Session, messages: History, *, db: Engine) -> None:
    """Store new messages, then take them into the window: all of them or none.

    Refuses `bad_argument`, `not_a_history`, and `locked` where another run has added messages since.
    """
    check_fields(session)
    check_chat(messages)
    position = session.base_idx + len(session.messages) - session.head_len
    # First the database. A message that is in memory only would be lost by a crash, or by a fold.
    session.messages.extend(append_messages(db, session.task_id, position, messages))


def check_system(system: History) -> None:
    """Refuse what are no system messages."""
    check_chat(system)
    for index, message in enumerate(system):
        # Is it a message of the conversation?
        if message["role"] not in HEAD_ROLES:
            role = shown(message["role"])
            raise Refusal("bad_argument", f"system message {index} has the role {role}; add it afterwards")


def prepare_window(messages: History, head_len: int, caps: Caps) -> History:
    """Return a copy of a session's messages to send: whole, but with long old tool texts cut short.

    Nothing is cut before the window is half full. Then the next question of the user makes all that stands
    before it old, once. Where that was depends on the messages alone. So each request begins with the bytes
    of the one before, which a prompt cache can reuse; only this step and a fold change the beginning. After a
    fold there is room again, and what stays is whole until the window is half full once more.
    """
    old = old_length(messages, head_len, caps)
    window = copied(messages)
    for message in window[:old]:
        # Is it the result of a tool?
        if message["role"] == "tool":
            message["content"] = shortened(message["content"])
    return window


def old_length(messages: History, head_len: int, caps: Caps) -> int:
    """Return how many messages stand before the first question that came when the window was half full."""
    chars = 0
    for index, message in enumerate(messages):
        # Is it a question, and is half of the room taken before it?
        if index >= head_len and message["role"] == "user" and caps.reached(SHORTEN_PERCENT, chars):
            return index
        chars += message_chars(message)
    return 0


def shortened(content: Any) -> Any:
    """Return the content of an old result with long texts cut short; also those in a list of parts."""
    # Is it one text?
    if isinstance(content, str):
        return trim_single_observation(content, OLD_TEXT_CHARS)
    # Is it a list of parts?
    if isinstance(content, list):
        return [
            part | {"text": shortened(part["text"])} if isinstance(part.get("text"), str) else part
            for part in content
        ]
    return content


def message_chars(message: Message) -> int:
    """Return the size of a message in characters of its JSON: texts, calls, ids and all."""
    return len(compact_json(message).decode("utf-8"))


def window_chars(messages: History) -> int:
    """Return the size of messages in characters."""
    return sum(map(message_chars, messages))


def check_session(session: Session) -> None:
    """Refuse (`bad_argument`, `not_a_history`) what is no session that can be folded."""
    check_fields(session)
    check_head(session.messages, session.head_len)
    # Is there a summary, and no place for its note?
    if session.summary and session.head_len == 0:
        raise Refusal("bad_argument", "the session has a summary and no head; load the session again")


def check_fields(session: Session) -> None:
    """Refuse (`bad_argument`) what is no session, or has a field that is not what its type says."""
    # Is it anything but a session?
    if not isinstance(session, Session):
        raise Refusal("bad_argument", f"session is {type_words(session)}, not a Session")
    for name in ("head_len", "base_idx"):
        number = getattr(session, name)
        # Is it no position?
        if type(number) is not int or not 0 <= number <= MAX_INT:
            raise Refusal("bad_argument", f"{name} is {shown(number)}, not an int from 0 on")
    # Is the summary no text?
    if not isinstance(session.summary, str):
        raise Refusal("bad_argument", f"summary is {shown(session.summary)}, not a text")
    check_pinned(session.pinned)


def check_pinned(pinned: tuple[str, ...]) -> None:
    """Refuse (`bad_argument`) what are no texts. A text alone would be taken for its letters."""
    # Is it anything but a tuple of texts?
    if not isinstance(pinned, tuple | list) or not all(isinstance(text, str) for text in pinned):
        raise Refusal("bad_argument", f"pinned is {shown(pinned)}, not a tuple of texts")


def check_head(messages: History, head_len: int) -> None:
    """Refuse (`bad_argument`, `not_a_history`) a history without a head of this length."""
    check_chat(messages)
    # Is the head longer than the history?
    if type(head_len) is not int or not 0 <= head_len <= len(messages):
        raise Refusal("bad_argument", f"head_len is {shown(head_len)}, not an int from 0 to {len(messages)}")

"""Folding: the middle of a long session gives way to one structured summary.

A session (`session`) is stored message by message. A fold removes nothing from the database: it moves the
index from which on messages are in the window, and keeps a summary of those before it. There are three
thresholds, in percent of what the model reads reliably: from 50 on old tool texts are cut short (see
`prepare_window`), from 85 on the middle is folded, and 100 is the limit of the folded window and of the
request for the summary.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.pairing import legal_cuts
from ctxlab.messages.texts import texts
from ctxlab.messages.wording import shown, type_words
from ctxlab.reference.answers import answer_text
from ctxlab.reference.argument_checks import check_function, check_text
from ctxlab.reference.fold_summary import build_summary_note, check_summary, summary_of, summary_request
from ctxlab.reference.loop import reason
from ctxlab.reference.session import (
    Caps,
    Session,
    check_head,
    check_session,
    message_chars,
    prepare_window,
    window_chars,
)
from ctxlab.reference.store import MAX_INT, book_usage, check_task, database_reason, save_fold

__all__ = ["Caps", "Session", "build_summary_note", "find_cutoff", "maybe_fold", "persist_fold"]

Message = dict[str, Any]
History = list[Message]
Ask = Callable[[History], Any]
Emit = Callable[[str, dict[str, Any]], Any]

FOLD_PERCENT = 85
TAIL_PERCENT = 30
MIN_FOLDED = 8
USAGE_KIND = "context_fold"


def maybe_fold(
    session: Session, ask: Ask, caps: Caps, *, db: Engine, user_id: str, emit: Emit
) -> dict[str, int] | None:
    """Fold the middle of a session whose window is 85 % full, and return what was done; else return None.

    Call it at the start of a run, when all results are in. `ask(messages)` sends one request and returns the
    assistant's message; it may hold "stop_reason", the provider's word for how it ended, and "usage" with
    "input_tokens" and "output_tokens". `emit(event, data)` is told "start" ("folding_messages"), then "done"
    (the returned figures: "folded_messages", "before_chars", "after_chars", "new_base"), or "warn" with a
    "reason" and a "text": "nothing_to_fold", "no_summary", "bad_summary", "candidate_not_smaller",
    "session_changed", "fold_not_saved" (no fold: the session is as it was, and the run can go on) or
    "usage_not_booked". Messages that are added while the model writes stay behind the summary; any other
    change of the session meanwhile is "session_changed". Refuses `bad_argument`, `bad_task_id` and
    `not_a_history`. What `emit` raises passes through; memory and database agree then.
    """
    check_fold(session, ask, caps, db, user_id, emit)

    # 1. Measure the window as it would be sent.
    window = prepare_window(session.messages, session.head_len, caps)
    before = window_chars(window)
    # Is there room left?
    if not caps.reached(FOLD_PERCENT, before):
        return None

    # 2. Find the end of what is folded, in the window and in the session.
    cut = find_cutoff(window, session.head_len)
    # Is there no place to cut?
    if cut is None:
        # Without a word about it the window would fill up, and nobody would know why.
        warn(emit, "nothing_to_fold", no_cut_reason(window, session.head_len))
        return None
    stop = same_user_message(window, cut, session.messages)
    folded = stop - session.head_len
    request = [*window[:cut], summary_request()]
    # An earlier note is folded too: its content is in the request, and goes into the new summary.
    system = session.messages[: session.head_len - bool(session.summary)]
    tail = session.messages[stop:]
    problem = size_problem(request, [*system, *tail], len(system), before, caps)
    # Is a fold of no use, whatever the summary says?
    if problem:
        # Then none is paid for.
        warn(emit, "nothing_to_fold", problem)
        return None

    # 3. Ask for the summary. The request begins with the bytes of the session's own, which a cache holds.
    asked_about = session.messages[:stop]
    position = (session.head_len, session.base_idx, session.summary)
    emit("start", {"folding_messages": folded})
    try:
        answer = ask(copied(request))
    except Exception as error:  # noqa: BLE001 - a model can fail in any way, and nothing has changed in each
        warn(emit, "no_summary", f"the request for a summary failed: {reason(error)}")
        return None

    # 4. Book the call before anything else: it was paid for, whatever comes of it.
    book_fold(session.task_id, user_id, request, answer, caps, db, emit)
    summary, fault = summary_of(answer)
    # Can the answer not be used?
    if fault:
        warn(emit, "bad_summary", f"the answer {fault}")
        return None

    # 5. Build the new history, and look at it like at any other.
    # Is the part that was summarised no longer what it was?
    if (session.head_len, session.base_idx, session.summary) != position or (
        session.messages[:stop] != asked_about
    ):
        # A summary of other messages would take their place.
        warn(emit, "session_changed", "the session was folded or changed while the model wrote; fold again")
        return None
    # A message may have come in meanwhile. It belongs to the tail, and to the size.
    before = window_chars(prepare_window(session.messages, session.head_len, caps))
    start = [*system, build_summary_note(summary)]
    candidate = [*start, *session.messages[stop:]]
    lost = lost_pins(session, candidate)
    # Is a text gone that has to stay word for word?
    if lost:
        warn(emit, "bad_summary", f"the summary leaves out {shown(lost[0])}, which is pinned")
        return None
    after = window_chars(prepare_window(candidate, len(start), caps))
    # Is it no smaller, or still too large?
    if after >= before or caps.tokens(after) > caps.reliable_tokens:
        warn(emit, "candidate_not_smaller", f"folded, the window has {after} characters; before {before}")
        return None

    # 6. Save first. A crash after this line loses nothing: the next run reads what is saved here.
    new_base = session.base_idx + folded
    try:
        persist_fold(session.task_id, new_base, summary, db=db)
    except Exception as error:  # noqa: BLE001 - a database can fail in any way; its transaction is undone in each
        warn(emit, "fold_not_saved", f"the fold was not saved: {database_reason(error)}")
        return None

    # 7. Only then change the memory.
    session.messages[:stop] = start
    session.head_len, session.base_idx, session.summary = len(start), new_base, summary
    stats = {"folded_messages": folded, "before_chars": before, "after_chars": after, "new_base": new_base}
    emit("done", dict(stats))
    return stats


def find_cutoff(messages: History, head_len: int) -> int | None:
    """Return the index of the user message with which the tail begins that a fold keeps, or None.

    It is the last one at which the tail holds at least 30 % of the size after the head, and at which no call
    is cut off from its result. None too where that leaves fewer than 8 messages to fold. Refuses
    `bad_argument` and `not_a_history`.
    """
    check_head(messages, head_len)
    least = window_chars(messages[head_len:]) * TAIL_PERCENT
    whole = set(legal_cuts(messages, "openai-chat"))
    tail = 0
    for index in range(len(messages) - 1, head_len, -1):
        tail += message_chars(messages[index])
        # Is it a message of the user, with enough behind it, between two exchanges?
        if messages[index]["role"] == "user" and tail * 100 >= least and index in whole:
            # Are there too few messages before it?
            if index - head_len < MIN_FOLDED:
                # A fold of so few is not worth a request.
                return None
            return index
    return None


def no_cut_reason(messages: History, head_len: int) -> str:
    """Return why there is no place to cut."""
    starts = [index for index in range(head_len, len(messages)) if messages[index]["role"] == "user"]
    # Is all of it one run?
    if len(starts) < 2:
        return "at most one message is the user's, and a fold ends before a second one"
    return (
        f"fewer than {MIN_FOLDED} messages stand before the last message of the user that is between whole "
        f"exchanges and has {TAIL_PERCENT} % of the window behind it"
    )


def same_user_message(window: History, cut: int, messages: History) -> int:
    """Return the index in `messages` of the user message that stands at `cut` in the window.

    It is found by its number among the user messages: these are in both lists, whatever was done to others.
    """
    number: int = sum(message["role"] == "user" for message in window[:cut])
    # Is it a message of the user?
    return [index for index, message in enumerate(messages) if message["role"] == "user"][number]


def size_problem(request: History, kept: History, head_len: int, before: int, caps: Caps) -> str:
    """Return why a fold cannot help, or "". `kept` is what stays beside the summary."""
    asked = caps.tokens(window_chars(request))
    # Is the request for the summary itself too large?
    if asked > caps.reliable_tokens:
        return f"the summary request has {asked} tokens; the model reads {caps.reliable_tokens} reliably"
    staying = window_chars(prepare_window(kept, head_len, caps))
    # Is what stays too large without any summary?
    if staying >= before or caps.tokens(staying) > caps.reliable_tokens:
        return (
            f"what stays has {caps.tokens(staying)} tokens without the summary, of {caps.tokens(before)}; "
            f"the model reads {caps.reliable_tokens} reliably"
        )
    return ""


def lost_pins(session: Session, candidate: History) -> list[str]:
    """Return the pinned texts that the session's messages hold and the candidate does not."""
    held, holds = list(texts(session.messages)), list(texts(candidate))
    return [
        pin
        for pin in session.pinned
        if any(pin in text for text in held) and not any(pin in text for text in holds)
    ]


def persist_fold(task_id: str, new_base: int, summary: str, *, db: Engine) -> None:
    """Save a fold: the base index and the summary together, in one transaction, or neither.

    Refuses `bad_argument`, `bad_summary`, `bad_task_id`, and `locked` where another run has folded as much.
    Raises what the database raises; nothing is saved then.
    """
    # Is the base index anything but a whole number of at least 1?
    if type(new_base) is not int or not 1 <= new_base <= MAX_INT:
        raise Refusal("bad_argument", f"new_base is {shown(new_base)}, not an int from 1 to {MAX_INT}")
    check_summary(summary)
    save_fold(db, task_id, new_base, summary)


def book_fold(
    task_id: str, user_id: str, request: History, answer: Any, caps: Caps, db: Engine, emit: Emit
) -> None:
    """Book one call of the model. A booking that fails is told, and stops nothing."""
    # Is it a message, with figures?
    message = answer if isinstance(answer, dict) else {}
    usage = message.get("usage")
    figures = usage if isinstance(usage, dict) else {}
    spent = {
        "input_tokens": caps.tokens(window_chars(request)),
        "output_tokens": caps.tokens(len(answer_text(message))),
    }
    for name in spent:
        # Did the provider count them, in a number that can be true?
        if type(figures.get(name)) is int and 0 <= figures[name] <= MAX_INT:
            spent[name] = figures[name]
    try:
        book_usage(db, task_id, user_id, USAGE_KIND, **spent)
    except Exception as error:  # noqa: BLE001 - a database can fail in any way
        warn(emit, "usage_not_booked", f"the call was not booked: {database_reason(error)}")


def warn(emit: Emit, why: str, text: str) -> None:
    """Tell why there is no fold, or what else went wrong."""
    emit("warn", {"reason": why, "text": text})


def check_fold(session: Session, ask: Ask, caps: Caps, db: Engine, user_id: str, emit: Emit) -> None:
    """Refuse (`bad_argument`, `bad_task_id`, `not_a_history`) arguments of `maybe_fold` of no use."""
    check_session(session)
    # Is it unknown how much the model can read?
    if not isinstance(caps, Caps):
        raise Refusal("bad_argument", f"caps is {type_words(caps)}, not Caps")
    check_task(db, session.task_id)
    check_text("user_id", user_id)
    check_function("ask", ask)
    check_function("emit", emit)

"""maybe_fold and its parts, on sessions that are stored in SQLite."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_histories import Message, histories, new_findings, sound
from folds import GOOD, History, Model, caps_for, fold, kinds_of_usage, runs, session_of, summary
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from ctxlab.errors import Refusal
from ctxlab.messages.conversion import anthropic_to_chat
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.pairing import legal_cuts
from ctxlab.reference.fold_summary import HEADINGS, INSTRUCTION, NOTE, build_summary_note
from ctxlab.reference.folding import Caps, Session, find_cutoff, maybe_fold, persist_fold, same_user_message
from ctxlab.reference.session import (
    OLD_TEXT_CHARS,
    add_messages,
    begin_session,
    load_session,
    prepare_window,
    window_chars,
)
from ctxlab.reference.store import fold_of, open_store, usage_of

CASES = Path(__file__).parents[1] / "data" / "cases"


@pytest.fixture
def db() -> Iterator[Engine]:
    engine = open_store()
    yield engine
    engine.dispose()


def reasons(events: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return [data["reason"] for name, data in events if name == "warn"]


def test_the_laws_hold_whatever_the_history_and_however_full_the_window() -> None:
    ends: Counter[str] = Counter()

    @settings(max_examples=100, deadline=None)
    @given(histories(16), histories(8), st.integers(60, 400))
    def check(history: History, later: History, percent: int) -> None:
        db = open_store()
        session = session_of(history, db)
        caps = caps_for(session, percent)
        model = Model(summary("the first half"))
        for more, text in (([], "the first half"), (later, "both halves")):
            add_messages(session, more, db=db)
            before = [*session.messages]
            window = prepare_window(before, session.head_len, caps)
            model.answer = summary(text)
            stats, events = fold(session, model, caps, db)
            full = caps.reached(85, window_chars(window))
            if stats is None:
                assert [name for name, _ in events][-1:] == (["warn"] if full else [])
            else:
                assert full
                assert not new_findings(before, session.messages)
                assert not new_findings(window, prepare_window(session.messages, session.head_len, caps))
                # One note, with the last summary: an earlier one is merged, not kept and not wrapped.
                notes = [m for m in session.messages if NOTE in str(m["content"])]
                assert notes == [build_summary_note(summary(text))]
                cut = len(before) - len(session.messages) + session.head_len
                assert cut in legal_cuts(before, "openai-chat")
                assert before[cut]["role"] == "user"
            ends[events[-1][1].get("reason", "done") if events else "fits"] += 1
        assert len(kinds_of_usage(db)) == len(model.requests)
        db.dispose()

    check()
    # The examples must have come to each of these ends, or they prove little.
    assert min(ends["done"], ends["nothing_to_fold"], ends["fits"]) >= 5, ends


@settings(max_examples=50, deadline=None)
@given(sound(14), st.integers(60, 250))
def test_each_request_begins_with_the_bytes_of_the_one_before(history: History, percent: int) -> None:
    head = [m for m in history[:2] if m["role"] == "system"]
    caps = Caps(reliable_tokens=window_chars(history) * 100 // percent, tokens_per_char=1)
    last, steps = b"[", 0
    for stop in range(len(head), len(history)):
        window = prepare_window(history[: stop + 1], len(head), caps)
        request = compact_json(window)
        if not request.startswith(last):
            # Only a question may change what stands before it, and only once.
            assert history[stop]["role"] == "user"
            steps += 1
        last = request[:-1]
    assert steps <= 1


def test_a_fold_keeps_the_newest_runs_and_puts_a_note_before_them(db: Engine) -> None:
    session = session_of(runs(5), db)
    model = Model(f"\n{GOOD}\n")
    stats, events = fold(session, model, caps_for(session, 90), db)
    assert [m["role"] for m in session.messages] == [
        "system",
        "user",
        *["user", "assistant", "tool", "assistant"] * 2,
    ]
    assert session.messages[1] == build_summary_note(GOOD)
    assert session.messages[2]["content"].startswith("Question 3")
    assert events[0] == ("start", {"folding_messages": 12})
    assert (stats["folded_messages"], stats["new_base"]) == (12, 12)
    assert model.requests[0][-1] == {"role": "user", "content": INSTRUCTION}
    assert fold_of(db, "task") == (12, GOOD)


def test_three_thresholds_50_85_and_100(db: Engine) -> None:
    history, size = runs(5, 1000), window_chars(runs(5, 1000))

    def whole(caps: Caps) -> list[bool]:
        """Of each result, whether it is sent whole."""
        window = prepare_window(history, 1, caps)
        return [len(m["content"]) > OLD_TEXT_CHARS for m in window if m["role"] == "tool"]

    # Half of the limit is full when question 2 comes, or 3, or 4, or it never is.
    assert whole(Caps(size * 4 // 5, 1)) == [False, False, True, True, True]
    assert whole(Caps(size, 1)) == [False, False, False, True, True]
    assert whole(Caps(size * 3 // 2, 1)) == [False, False, False, False, True]
    assert whole(Caps(size * 2, 1)) == [True] * 5

    # With the first texts cut short, the window is folded from 85 % of the limit on.
    sent = window_chars(prepare_window(history, 1, Caps(size, 1)))
    for reliable, percent, ends in ((5000, 85, ["start", "done"]), (5001, 84, [])):
        session = session_of(history, db, task_id=f"at {percent}")
        caps = Caps(reliable, 5000 * 85 / 100 / sent)
        with_cut = window_chars(prepare_window(history, 1, caps))
        assert (with_cut, caps.tokens(with_cut)) == (sent, 4250)
        assert [name for name, _ in fold(session, Model(), caps, db)[1]] == ends

    # A request for a summary that is over 100 % is not sent.
    model = Model()
    _, events = fold(session_of(history, db), model, Caps(1500, 1), db)
    assert "the summary request has" in events[0][1]["text"]
    assert model.requests == []


def test_what_stays_must_fit_by_itself(db: Engine) -> None:
    session = session_of(runs(4, 20) + runs(5, 3000)[-4:], db)
    model = Model()
    _, events = fold(session, model, Caps(3000, 1), db)
    assert reasons(events) == ["nothing_to_fold"]
    assert "what stays has" in events[0][1]["text"]
    assert model.requests == []


def test_old_texts_in_parts_are_shortened_too() -> None:
    parts = [{"type": "text", "text": "x" * 1000}, {"type": "other"}]
    history = [*runs(1), {"role": "tool", "tool_call_id": "call_9", "content": parts}, *runs(1)[1:]]
    window = prepare_window(history, 1, Caps(1000, 1))
    assert "characters missing]" in window[5]["content"][0]["text"]
    assert window[5]["content"][1] == {"type": "other"}
    assert len(parts[0]["text"]) == 1000


@pytest.mark.parametrize(
    ("history", "head_len", "cut"),
    [
        (runs(5), 1, 13),
        (runs(2), 1, None),  # the tail would leave four messages
        (runs(1) + [{"role": "assistant", "content": "and more"}] * 20, 1, None),  # one message of the user
        (runs(9)[:1], 1, None),
        ([], 0, None),
        # An answer that came late: its call, before the user's message, would lose it.
        (
            [*runs(4)[:15], {"role": "user", "content": "x" * 500}, *runs(4)[15:]],
            1,
            13,
        ),
    ],
)
def test_find_cutoff(history: History, head_len: int, cut: int | None) -> None:
    assert find_cutoff(history, head_len) == cut


def test_the_cut_is_found_again_by_the_number_of_the_user_message() -> None:
    messages = runs(3)
    window = [m for m in messages if m["role"] != "tool"]
    cut = window.index(messages[9])
    assert cut != 9
    assert same_user_message(window, cut, messages) == 9


@pytest.mark.parametrize(
    ("model", "reason", "text"),
    [
        (Model(""), "bad_summary", "is empty"),
        (Model(" \n\t"), "bad_summary", "is empty"),
        (Model(None), "bad_summary", "None, no message of the assistant"),
        (Model({"role": "assistant", "content": None}), "bad_summary", "None as its content"),
        (Model({"role": "user", "content": GOOD}), "bad_summary", "no message of the assistant"),
        (Model(GOOD, tool_calls=[{"id": "c"}]), "bad_summary", "calls a tool"),
        (Model(GOOD, stop_reason="max_tokens"), "bad_summary", "ended with 'max_tokens'"),
        (Model(GOOD, finish_reason="length"), "bad_summary", "ended with 'length'"),
        (Model("Error: the context is too long."), "bad_summary", "five headings"),
        (Model("\n".join(HEADINGS)), "bad_summary", "nothing below"),
        (Model("Here it is:\n" + GOOD), "bad_summary", "five headings"),
        (Model(GOOD + "\n## Notes\nmore"), "bad_summary", "five headings"),
        (Model(GOOD[: GOOD.index(HEADINGS[4])]), "bad_summary", "five headings"),
        (Model(GOOD + "\n" + GOOD), "bad_summary", "five headings"),  # a summary in a summary
        *(
            (Model(GOOD.replace("- none\n", f"- none\n{line}\n", 1)), "bad_summary", "five headings")
            for line in ("# Other", "### Sub", "##Extra", "  ## Extra", "#", "## Goal")
        ),
        (Model([GOOD]), "bad_summary", "no message of the assistant"),
        (Model({"role": "assistant", "content": [{"type": "image"}]}), "bad_summary", "is empty"),
        (
            Model({"role": "assistant", "content": [{"type": "text", "text": GOOD}, {"type": "tool_use"}]}),
            "bad_summary",
            "calls a tool",
        ),
        (Model(summary("x" * 5000)), "candidate_not_smaller", "characters"),
        (Model(TimeoutError("no answer")), "no_summary", "TimeoutError: no answer"),
    ],
)
def test_a_summary_that_cannot_be_used_changes_nothing(
    db: Engine, model: Model, reason: str, text: str
) -> None:
    session = session_of(runs(5), db)
    stats, events = fold(session, model, caps_for(session, 90), db)
    assert stats is None
    assert [name for name, _ in events] == ["start", "warn"]
    assert reasons(events) == [reason]
    assert text in events[1][1]["text"]
    # Each call that was answered is booked, what it brought or not.
    assert len(kinds_of_usage(db)) == (reason != "no_summary")
    # The run goes on, and the next attempt may succeed.
    assert fold(session, Model(), caps_for(session, 90), db)[0] is not None


@pytest.mark.parametrize("line", ["#12 is open", "    # a comment in a script", "\t## a comment", "- # 12"])
def test_a_summary_may_hold_a_number_sign_that_is_no_heading(db: Engine, line: str) -> None:
    session = session_of(runs(5), db)
    text = GOOD.replace("- none\n", f"- none\n{line}\n", 1)
    assert fold(session, Model(text), caps_for(session, 90), db)[0] is not None
    assert session.summary == text


def test_a_summary_may_end_in_any_normal_way_and_half_characters_become_escapes(db: Engine) -> None:
    session = session_of(runs(5), db)
    assert fold(session, Model(summary("\ud83d"), finish_reason="stop"), caps_for(session, 90), db)[0]
    assert "\\ud83d" in session.summary


def test_a_summary_may_come_in_parts_and_name_a_ticket_by_its_number(db: Engine) -> None:
    session = session_of(runs(5), db)
    whole = summary("see below", "and:\n#12 is open")
    head, tail = whole.split("\n", 1)
    parts = [{"type": "text", "text": head}, {"type": "other"}, {"type": "text", "text": tail}]
    answer = {"role": "assistant", "content": parts}
    assert fold(session, Model(answer), caps_for(session, 90), db)[0]
    assert session.summary == whole
    [row] = usage_of(db, "task")
    assert row["output_tokens"] == len(whole)


def test_a_message_that_comes_in_while_the_model_writes_stays_behind_the_summary(db: Engine) -> None:
    session, events = session_of(runs(5), db), []
    caps, late = caps_for(session, 90), {"role": "user", "content": "And file 9?"}
    size = window_chars([*session.messages, late])

    def ask(messages: History) -> Message:
        add_messages(session, [late], db=db)
        return {"role": "assistant", "content": GOOD}

    stats = maybe_fold(session, ask, caps, db=db, user_id="ida", emit=lambda *event: events.append(event))
    assert stats is not None
    assert (stats["before_chars"], stats["after_chars"]) == (size, window_chars(session.messages))
    assert session.messages[-1] == late
    add_messages(session, runs(6)[-4:], db=db)
    assert load_session("task", session.messages[:1], db=db) == session
    assert session.messages[-5] == late

    # One that is too long for the limit means no fold, and is kept too.
    session = session_of(runs(5), db, task_id="full")
    late = {"role": "user", "content": "x" * caps.reliable_tokens}
    assert (
        maybe_fold(session, ask, caps, db=db, user_id="ida", emit=lambda *event: events.append(event)) is None
    )
    assert events[-1][1]["reason"] == "candidate_not_smaller"
    assert session.messages[-1] == late
    assert load_session("full", session.messages[:1], db=db) == session


def test_a_session_that_is_changed_while_the_model_writes_is_not_folded(db: Engine) -> None:
    def fold_meanwhile(session: Session) -> None:
        assert fold(session, Model(), caps_for(session, 90), db)[0]

    def remove(session: Session) -> None:
        del session.messages[3]

    def move(session: Session) -> None:
        session.base_idx += 4

    for number, change in enumerate((fold_meanwhile, remove, move)):
        session, events = session_of(runs(5), db, task_id=f"task {number}"), []

        def ask(messages: History) -> Message:
            change(session)  # noqa: B023 - it is called before the next turn of the loop
            return {"role": "assistant", "content": GOOD}

        caps = caps_for(session, 90)
        stats = maybe_fold(
            session,
            ask,
            caps,
            db=db,
            user_id="ida",
            emit=lambda *event: events.append(event),  # noqa: B023
        )
        assert (stats, events[-1][1]["reason"]) == (None, "session_changed")
        assert fold_of(db, session.task_id) == ((12, GOOD) if change is fold_meanwhile else (0, ""))


def test_emit_cannot_change_the_figures(db: Engine) -> None:
    session = session_of(runs(5), db)
    stats = maybe_fold(
        session,
        Model(),
        caps_for(session, 90),
        db=db,
        user_id="ida",
        emit=lambda event, data: data.update(new_base=-1),
    )
    assert stats is not None
    assert stats["new_base"] == 12


def test_usage_is_booked_before_the_fold_is_saved(db: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    session, booked = session_of(runs(5), db), []

    def failing(*_: Any) -> None:
        booked.extend(usage_of(db, "task"))
        raise OSError("the disk is gone")

    monkeypatch.setattr("ctxlab.reference.folding.save_fold", failing)
    usage = {"input_tokens": 900, "output_tokens": 40}
    _, events = fold(session, Model(usage=usage), caps_for(session, 90), db)
    assert reasons(events) == ["fold_not_saved"]
    assert booked == [{"user_id": "ida", "message_id": None, "kind": "context_fold", **usage}]


def test_a_fold_makes_the_window_smaller_by_one_character_at_least(db: Engine) -> None:
    session = session_of(runs(5), db)
    caps, kept = caps_for(session, 90), [session.messages[0], *session.messages[13:]]
    without = window_chars([*kept, build_summary_note(summary(""))])
    room = window_chars(session.messages) - without
    assert reasons(fold(session, Model(summary("x" * room)), caps, db)[1]) == ["candidate_not_smaller"]
    stats, _ = fold(session, Model(summary("x" * (room - 1))), caps, db)
    assert stats["before_chars"] - stats["after_chars"] == 1


def test_usage_that_the_provider_does_not_tell_is_estimated(db: Engine) -> None:
    session = session_of(runs(5), db)
    model, caps = Model(), caps_for(session, 90)
    fold(session, model, caps, db)
    [row] = usage_of(db, "task")
    assert row["input_tokens"] == window_chars(model.requests[0])
    assert row["output_tokens"] == len(GOOD)


@pytest.mark.parametrize("told", [-5, 10**30, True, 3.5, None])
def test_a_figure_that_cannot_be_true_is_not_booked(db: Engine, told: Any) -> None:
    session = session_of(runs(5), db)
    model = Model(usage={"input_tokens": told, "output_tokens": told})
    _, events = fold(session, model, caps_for(session, 90), db)
    assert reasons(events) == []
    [row] = usage_of(db, "task")
    assert (row["input_tokens"], row["output_tokens"]) == (window_chars(model.requests[0]), len(GOOD))


@pytest.mark.parametrize(
    ("history", "text"),
    [
        (runs(1) + [{"role": "assistant", "content": "x" * 100}] * 12, "at most one message is the user's"),
        (runs(2), "fewer than 8 messages"),
    ],
)
def test_a_window_that_is_full_and_cannot_be_folded_says_why(db: Engine, history: History, text: str) -> None:
    session, model = session_of(history, db), Model()
    _, events = fold(session, model, caps_for(session, 120), db)
    assert reasons(events) == ["nothing_to_fold"]
    assert text in events[0][1]["text"]
    assert model.requests == []


def test_an_earlier_summary_is_in_the_request_and_gives_way_to_the_new_one(db: Engine) -> None:
    session = session_of(runs(5), db)
    fold(session, Model(summary("FILE-0 was read")), caps_for(session, 90), db)
    add_messages(session, runs(9)[-16:], db=db)
    model = Model(summary("FILE-0 was read", "so was FILE-5"))
    stats, _ = fold(session, model, caps_for(session, 90), db)
    assert "FILE-0" in model.requests[0][1]["content"]
    assert stats["new_base"] == session.base_idx > 12
    assert sum(NOTE in str(m["content"]) for m in session.messages) == 1
    assert session.messages[1]["content"].count(HEADINGS[0]) == 1


def test_a_pinned_text_has_to_stay_word_for_word(db: Engine) -> None:
    rule = "Question 0: what is in file 0?"
    session = session_of(runs(5), db, pinned=(rule, "a text that was never there"))
    _, events = fold(session, Model(), caps_for(session, 90), db)
    assert reasons(events) == ["bad_summary"]
    assert rule in events[-1][1]["text"]
    assert fold(session, Model(summary(rule)), caps_for(session, 90), db)[0] is not None


def test_emit_is_called_only_while_memory_and_database_agree(db: Engine) -> None:
    session = session_of(runs(5), db)

    def broken(event: str, data: dict[str, Any]) -> None:
        assert load_session("task", session.messages[:1], db=db) == session
        if event == "done":
            raise BrokenPipeError("nobody listens")

    with pytest.raises(BrokenPipeError):
        maybe_fold(session, Model(), caps_for(session, 90), db=db, user_id="ida", emit=broken)
    assert session.base_idx == 12
    assert load_session("task", session.messages[:1], db=db) == session


@pytest.mark.parametrize(
    ("changed", "code", "text"),
    [
        ({"session": []}, "bad_argument", "session is a list"),
        ({"session": Session("task", [{"role": "x"}])}, "not_a_history", "message 0 has the role 'x'"),
        ({"session": Session("task", [], 1)}, "bad_argument", "head_len is 1, not an int from 0 to 0"),
        ({"session": Session("task", summary=GOOD)}, "bad_argument", "a summary and no head"),
        ({"ask": None}, "bad_argument", "ask is None, not a function"),
        ({"emit": "log"}, "bad_argument", "emit is a str, not a function"),
        ({"caps": 64_000}, "bad_argument", "caps is an int, not Caps"),
        ({"user_id": " "}, "bad_argument", "user_id is ' '"),
        ({"user_id": "\ud83d"}, "bad_argument", "user_id holds half a surrogate pair"),
        ({"db": None}, "bad_argument", "db is None, not an Engine"),
        ({"session": Session("\ud83d")}, "bad_task_id", "the task id is"),
        (
            {"session": Session("task", pinned="rule")},
            "bad_argument",
            "pinned is 'rule', not a tuple of texts",
        ),
        (
            {"session": Session("task", pinned=(5,))},
            "bad_argument",
            r"pinned is \(5,\), not a tuple of texts",
        ),
        ({"session": Session("task", pinned=None)}, "bad_argument", "pinned is None"),
        *(
            ({"session": Session("task", base_idx=base)}, "bad_argument", "base_idx is .*, not an int from 0")
            for base in (None, -1, True, "0", 10**30)
        ),
        ({"session": Session("task", summary=None)}, "bad_argument", "summary is None, not a text"),
    ],
)
def test_bad_arguments_are_named(db: Engine, changed: dict[str, Any], code: str, text: str) -> None:
    good = {
        "session": session_of(runs(5), db),
        "ask": Model(),
        "caps": Caps(),
        "db": db,
        "user_id": "ida",
        "emit": print,
    }
    with pytest.raises(Refusal, match=text) as refused:
        maybe_fold(**{**good, **changed})
    assert refused.value.code == code
    assert good["ask"].requests == []


@pytest.mark.parametrize("values", [(0,), (True,), (1.5,), (10, 0), (10, float("nan")), (10, "1"), (10, 11)])
def test_caps_that_mean_nothing_are_refused(values: tuple[Any, ...]) -> None:
    with pytest.raises(Refusal, match=r"(reliable_tokens|tokens_per_char) is"):
        Caps(*values)


def test_persist_fold_names_what_it_cannot_save(db: Engine) -> None:
    session = session_of(runs(5), db)
    for task_id, new_base, text, code in (
        ("task", 0, GOOD, "bad_argument"),
        ("task", True, GOOD, "bad_argument"),
        ("task", 10**30, GOOD, "bad_argument"),
        ("task", 4, "half \ud83d", "bad_summary"),
        ("\ud83d", 4, GOOD, "bad_task_id"),
        ("task", 4, " ", "bad_summary"),
        ("other", 4, GOOD, "bad_task_id"),
        ("task", 21, GOOD, "bad_argument"),  # 20 are stored: the last one would be lost
    ):
        with pytest.raises(Refusal) as refused:
            persist_fold(task_id, new_base, text, db=db)
        assert refused.value.code == code
    assert load_session("task", runs(0), db=db) == session
    persist_fold("task", 20, GOOD, db=db)
    with pytest.raises(Refusal, match="has folded the task 'task' up to message 20") as refused:
        persist_fold("task", 20, GOOD, db=db)
    assert refused.value.code == "locked"


def test_a_session_names_what_it_cannot_hold(db: Engine) -> None:
    for task_id, system, code in (
        ("", [], "bad_task_id"),
        (None, [], "bad_task_id"),
        (["x"], [], "bad_task_id"),
        ("\ud83d", [], "bad_task_id"),
        ("task", [{"role": "user", "content": "hi"}], "bad_argument"),
        ("task", "text", "not_a_history"),
    ):
        with pytest.raises(Refusal) as refused:
            begin_session(task_id, system, db=db)
        assert refused.value.code == code
        with pytest.raises(Refusal) as refused:
            load_session(task_id, system, db=db)
        assert refused.value.code == code
    for make in (begin_session, load_session):
        with pytest.raises(Refusal, match="pinned is 'rule', not a tuple of texts"):
            make("task", [], db=db, pinned="rule")
        with pytest.raises(Refusal, match="db is a str, not an Engine"):
            make("task", [], db="session.db")
    with pytest.raises(Refusal, match="session is a str, not a Session"):
        add_messages("task", [], db=db)
    with pytest.raises(Refusal, match="there is no task 'task'; begin it"):
        load_session("task", [], db=db)
    session = begin_session("task", [], db=db)
    with pytest.raises(Refusal, match="there is a task 'task' already"):
        begin_session("task", [], db=db)
    with pytest.raises(Refusal, match="message 1 has the role"):
        add_messages(session, [{"role": "user", "content": "hi"}, {"role": "x"}], db=db)
    assert session == load_session("task", [], db=db)


# The public reports whose fault lies in a fold. Their histories are short, so each is repeated until it can
# be folded at all; the summary, and how it ended, is what the report says.
def case(name: str, times: int = 20) -> tuple[dict[str, Any], History]:
    found = json.loads((CASES / f"{name}.json").read_text("utf-8"))
    history: History = []
    for number in range(times):
        text = json.dumps(found["messages"]).replace("toolu_", f"toolu_{number}_")
        history += anthropic_to_chat(json.loads(text)).messages
    return found, history


def response(found: dict[str, Any]) -> Model:
    return Model(
        found["setup"]["summary_response"]["text"],
        stop_reason=found["setup"]["summary_response"]["stop_reason"],
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("26-error-text-taken-as-summary", "bad_summary"),
        ("27-summary-cut-at-max-tokens", "bad_summary"),
        ("34-user-rule-lost", "bad_summary"),
    ],
)
def test_cases_26_27_and_34_what_is_no_summary_is_not_taken_for_one(
    db: Engine, name: str, reason: str
) -> None:
    found, history = case(name)
    session = session_of(history, db, pinned=tuple(found.get("context", {}).get("pinned", ())))
    stats, events = fold(session, response(found), caps_for(session, 95), db)
    assert (stats, reasons(events)) == (None, [reason])


def test_case_34_a_rule_that_a_sound_summary_leaves_out_is_missed() -> None:
    found, history = case("34-user-rule-lost", 1)
    db = open_store()
    filler = runs(12, 150)[1:]
    session = session_of([*history, *filler], db, pinned=tuple(found["context"]["pinned"]))
    model = Model(summary(found["setup"]["summary_response"]["text"]))
    _, events = fold(session, model, Caps(window_chars(session.messages), 1), db)
    assert reasons(events) == ["bad_summary"]
    assert "which is pinned" in events[-1][1]["text"]
    db.dispose()


def test_case_28_a_summary_longer_than_what_it_replaces_is_no_fold(db: Engine) -> None:
    found, history = case("28-summary-larger-than-source")
    session = session_of(history, db)
    model = Model(summary(*[found["setup"]["summary_response"]["text"]] * 8), stop_reason="end_turn")
    stats, events = fold(session, model, caps_for(session, 95), db)
    assert (stats, reasons(events)) == (None, ["candidate_not_smaller"])


def test_case_29_where_only_the_earlier_summary_could_be_folded_no_model_is_asked(db: Engine) -> None:
    _, history = case("29-only-the-old-summary-is-foldable", 1)
    session = session_of([*runs(2), *history[1:]], db)
    persist_fold("task", 8, summary(history[0]["content"]), db=db)
    session, model = load_session("task", runs(0), db=db), Model()
    assert [m["content"] for m in session.messages[2:]] == [m["content"] for m in history[1:]]
    for _ in range(3):
        _, events = fold(session, model, caps_for(session, 100), db)
        assert reasons(events) == ["nothing_to_fold"]
    assert model.requests == []


def test_case_33_summaries_do_not_nest_however_often_a_session_is_folded(db: Engine) -> None:
    _, history = case("33-nested-summaries", 1)
    facts = ["boiler 1 is off", "key number KB-7", "Rosa is in charge"]
    session = session_of([{"role": "system", "content": "You heat a house."}], db)
    add_messages(session, [*history, *runs(5)[1:]], db=db)

    class Merging(Model):
        def __call__(self, messages: History) -> Message:
            told = [fact for fact in facts if fact in str(messages)]
            self.answer = summary(*told)
            answer: Message = super().__call__(messages)
            return answer

    sizes = []
    for number in range(6):
        assert fold(session, Merging(), caps_for(session, 90), db)[0]
        assert all(session.messages[1]["content"].count(fact) == 1 for fact in facts)
        sizes.append(len(session.messages[1]["content"]))
        add_messages(session, runs(6 + number)[-12:], db=db)
    assert len(set(sizes)) == 1

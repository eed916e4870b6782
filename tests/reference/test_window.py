"""The sliding window: whole groups go, oldest first, and nothing is lost."""

import json
from copy import deepcopy
from typing import Any

import pytest
from chat_histories import histories, new_findings, shares
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.counting import TokenCounter
from ctxlab.messages.pairing import legal_cuts
from ctxlab.reference.groups import head_length
from ctxlab.reference.window import ContextWindow, windowed

SYSTEM = {"role": "system", "content": "Ask before you delete anything."}
ASK = {"role": "user", "content": "Why?"}
AGAIN = {"role": "user", "content": "And now?"}
CODES = ("newest_too_large", "bad_result")


def call(*ids: str, arguments: str = '{"path": "notes.txt"}') -> dict[str, Any]:
    function = {"name": "read_file", "arguments": arguments}
    calls = [{"id": one, "type": "function", "function": function} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(of: str, content: Any = "done") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": of, "content": content}


def filled(messages: list[Any], *limits: int) -> ContextWindow:
    window = ContextWindow(*limits)
    for message in messages:
        window.add(message)
    return window


def tokens_of(messages: list[Any]) -> int:
    return sum(map(TokenCounter().count_message, messages))


def refused(*arguments: Any, by: Any = windowed) -> tuple[str, str]:
    with pytest.raises(Refusal) as refusal:
        by(*arguments)
    return refusal.value.code, str(refusal.value)


# The laws


@st.composite
def shifted(draw: st.DrawFn) -> list[Any]:
    """A history in which perhaps one message comes later than it should: a late result, too."""
    history = draw(histories(8))
    if draw(st.booleans()):
        late = history.pop(draw(st.integers(0, len(history) - 1)))
        history.insert(draw(st.integers(0, len(history))), late)
    return history


@settings(max_examples=100, deadline=None)
@given(shifted(), st.integers(1, 14), st.integers(300, 6000) | st.just(10**6))
def test_a_window_keeps_the_laws_after_each_add(messages, max_messages, max_tokens):
    before, window = deepcopy(messages), ContextWindow(max_messages, max_tokens)
    added: list[Any] = []
    for message in messages:
        whole = window.messages, window.archived
        try:
            window.add(message)
        except Refusal as refusal:
            code = refusal.code
            assert (code, window.messages, window.archived) in [(one, *whole) for one in CODES]
            continue
        added.append(message)
        kept, archived = window.messages, window.archived
        # Nothing is lost, and nothing changes its place.
        head = head_length(added)
        assert kept[:head] + archived + kept[head:] == added
        assert head + len(archived) in legal_cuts(added, "openai-chat")
        assert not new_findings(added, kept)
        assert len(kept) <= max_messages
        assert tokens_of(kept) <= max_tokens
        if len(added) <= max_messages and tokens_of(added) <= max_tokens:
            assert kept == added
    assert messages == before
    assert not shares(window.messages, messages)
    assert not shares(window.messages, window.messages)


def test_what_is_added_and_what_is_read_are_copies():
    added = deepcopy([ASK, AGAIN])
    window = filled(added, 1)
    for message in added:
        message["content"] = "harmed"
    for read in (window.messages, window.archived, window.search_archived("why")):
        read[0]["content"] = "harmed"
        read.clear()

    assert (window.messages, window.archived) == ([AGAIN], [ASK])
    assert window.search_archived("why") == [ASK]


# Groups


def test_parallel_results_leave_together_with_their_call():
    exchange = [call("a", "b"), result("b"), result("a")]
    window = filled([ASK, *exchange, AGAIN], 4)
    assert (window.messages, window.archived) == ([*exchange, AGAIN], [ASK])

    window.add(ASK)
    assert (window.messages, window.archived) == ([AGAIN, ASK], [ASK, *exchange])


def test_an_open_exchange_stays_until_it_is_complete():
    window = filled([SYSTEM, ASK, call("a", "b"), result("a")], 4)
    assert window.messages == [SYSTEM, ASK, call("a", "b"), result("a")]

    # The result that completes it takes the place of the oldest group.
    window.add(result("b"))
    assert window.messages == [SYSTEM, call("a", "b"), result("a"), result("b")]

    too_many = filled([ASK, call("a", "b"), result("a")], 2)
    assert refused(result("b"), by=too_many.add)[0] == "newest_too_large"
    assert too_many.messages == [call("a", "b"), result("a")]


def test_a_late_result_joins_its_call_or_is_refused():
    late = [call("a"), AGAIN, result("a")]
    window = filled([ASK, *late], 3)
    assert (window.messages, window.archived) == (late, [ASK])

    window.add(ASK)
    assert (window.messages, window.archived) == ([ASK], [ASK, *late])

    gone = filled([call("a"), ASK, AGAIN], 2)
    code, text = refused(result("a"), by=gone.add)
    assert (code, gone.messages, gone.archived) == ("bad_result", [ASK, AGAIN], [call("a")])
    assert text.startswith("message 3 is a result of call 'a', and that call (message 0) is archived")
    # The same id, called again, is another call.
    gone.add(call("a"))
    gone.add(result("a"))
    assert gone.messages == [call("a"), result("a")]


def test_results_that_answer_nothing_are_groups_as_in_any_history():
    window = filled([result("x"), result("y"), ASK, call("a"), result("z"), result("a")], 4)
    assert window.messages == [ASK, call("a"), result("z"), result("a")]

    window.add({"role": "tool", "tool_call_id": ["a"], "content": "an id that is none"})
    assert window.messages[0] == call("a")
    window.add(AGAIN)
    window.add(result("x"))
    assert window.messages == [AGAIN, result("x")]

    # Behind a question a stray result is alone, and a call whose id is none can have no result.
    odd = call("a") | {"tool_calls": [{"id": ["a"]}]}
    assert windowed([AGAIN, result("x"), odd], 2) == [result("x"), odd]


# Limits


def test_system_messages_count_and_stay_where_they_lead():
    later = {"role": "system", "content": "Be short."}
    window = filled([SYSTEM, SYSTEM, ASK, later, AGAIN], 3)
    assert (window.messages, window.archived) == ([SYSTEM, SYSTEM, AGAIN], [ASK, later])

    full = filled([SYSTEM, SYSTEM], 2)
    code, text = refused(ASK, by=full.add)
    assert code == "newest_too_large"
    assert "(messages 2 to 2) and the leading system messages (2) have 3 messages" in text
    assert refused([SYSTEM], 20, tokens_of([SYSTEM]) - 1)[0] == "newest_too_large"


def test_both_limits_are_met_exactly():
    messages = [SYSTEM, ASK, call("a"), result("a", "word " * 50), AGAIN]
    tokens = tokens_of(messages)

    assert windowed(messages, 5, tokens) == messages
    assert windowed(messages, 5, tokens - 1) == [SYSTEM, *messages[2:]]
    assert windowed(messages, 4, tokens) == [SYSTEM, *messages[2:]]
    assert windowed(messages, 3, tokens) == [SYSTEM, AGAIN]

    least = [SYSTEM, AGAIN]
    assert windowed([*messages[:2], AGAIN], 2, tokens_of(least)) == least
    assert refused(least, 2, tokens_of(least) - 1)[0] == "newest_too_large"


def test_a_long_conversation_keeps_sliding():
    messages = [{"role": "user", "content": f"Question {number}"} for number in range(40)]
    window = ContextWindow(20, 15, cost=lambda message: 10 if message == SYSTEM else 1)
    window.add(SYSTEM)
    for number, message in enumerate(messages, 1):
        window.add(message)
        assert window.messages == [SYSTEM, *messages[max(0, number - 5) : number]]
    assert window.archived == messages[:35]


def test_a_newest_group_that_is_too_large_is_refused_with_the_figures():
    window = filled([ASK, call("a")], 20, 100)
    code, text = refused(result("a", "word " * 200), by=window.add)

    assert code == "newest_too_large"
    assert "(messages 1 to 2)" in text
    assert f"{tokens_of([call('a'), result('a', 'word ' * 200)])} tokens" in text
    assert "20 messages and 100 tokens; shorten message 2" in text
    assert (window.messages, window.archived) == ([ASK, call("a")], [])


def test_another_cost_can_be_given():
    assert windowed([ASK, AGAIN, ASK], 20, 2, cost=lambda message: 1) == [AGAIN, ASK]
    with pytest.raises(Refusal, match="cost returned -1 for message 1"):
        windowed([ASK, AGAIN], cost=lambda message: 1 if message == ASK else -1)


# Search


def test_search_finds_texts_arguments_and_results_whatever_the_case():
    parts = {"role": "user", "content": [{"type": "text", "text": "STRASSE\\Weg"}, {"type": "image_url"}]}
    escaped = call("b", arguments=json.dumps({"path": "笔记.txt", "查找": "tab\there"}))
    refusal = {"role": "assistant", "content": None, "refusal": "None of that."}
    window = filled(
        [parts, call("a"), result("a", "Port 8443"), escaped, result("b"), refusal, AGAIN, ASK], 2
    )

    for keyword, found in {
        "Straße": [parts],
        "strasse\\w": [parts],
        "Notes.TXT": [call("a")],
        "port": [result("a", "Port 8443")],
        "read_file": [call("a"), escaped],
        "笔记": [escaped],
        "查找": [escaped],
        "tab\there": [escaped],
        "none": [refusal],  # and no message whose content is null
        "null": [],
        "call_id": [],
        "why": [],  # it is in the window
    }.items():
        assert window.search_archived(keyword) == found, keyword


@pytest.mark.parametrize("keyword", ["", " ", None, 7])
def test_a_search_for_nothing_is_refused(keyword):
    assert refused(keyword, by=ContextWindow().search_archived)[0] == "bad_argument"


# Bad arguments


@pytest.mark.parametrize("limit", [0, -1, True, 2.0, "20", None])
def test_limits_that_are_none_are_refused(limit):
    assert refused([], limit) == ("bad_argument", f"max_messages is {limit!r}, not an int of at least 1")
    assert refused([], 20, limit) == ("bad_argument", f"max_tokens is {limit!r}, not an int of at least 1")


def test_what_cannot_be_a_message_is_refused_with_its_place():
    assert refused("text")[0] == "not_a_history"
    assert refused([ASK, "text"]) == ("not_a_history", "message 1 is a str, not a dict")
    code, problem = refused([ASK, {"role": "user", "content": "\ud800"}])
    assert code == "not_a_history"
    assert problem.startswith("message 1 has no UTF-8 JSON form: ")
    with pytest.raises(Refusal, match="cost is an int, not a function"):
        ContextWindow(cost=7)  # type: ignore[arg-type]

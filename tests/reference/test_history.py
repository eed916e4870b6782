from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.reference import (
    checked_exchange,
    history_bytes,
    prepare_context,
    split_history,
    trim_results,
)

Message = dict[str, Any]
RECEIPT = "context-0123456789ab.jsonl"
QUESTION = {"role": "user", "content": "Why does the build fail?"}


def call(call_id: Any) -> Message:
    return {"type": "tool_use", "id": call_id, "name": "read_file", "input": {"path": "notes.txt"}}


def result(call_id: Any, text: Any = "ok", is_error: Any = False) -> Message:
    return {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error}


def exchange(*pairs: tuple[str, str]) -> list[Message]:
    """An exchange whose calls have these ids and results."""
    calls = [call(call_id) for call_id, _ in pairs]
    results = [result(call_id, text) for call_id, text in pairs]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": results}]


def history(*texts: str) -> list[Message]:
    """A history with one exchange of one call for each result text."""
    messages = [copied(QUESTION)]
    for number, text in enumerate(texts):
        messages += exchange((f"call_{number + 1}", text))
    return messages


def refusal(function: Callable[..., Any], *arguments: Any, **named: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        function(*arguments, **named)
    return caught.value


# history_bytes


def test_the_size_is_that_of_the_compact_form_in_bytes() -> None:
    messages = [{"role": "user", "content": "漢é"}]

    assert history_bytes(messages) == len('[{"role":"user","content":"漢é"}]'.encode())


@pytest.mark.parametrize("content", ["\ud800", float("nan"), {1, 2}])
def test_a_history_without_a_json_form_has_no_size(content: Any) -> None:
    assert refusal(history_bytes, [{"role": "user", "content": content}]).code == "not_a_history"


# checked_exchange

SOUND = exchange(("a", "1"), ("b", "2"))


def changed(place: int, **fields: Any) -> list[Any]:
    """The sound exchange with other fields in one message."""
    pair = copied(SOUND)
    pair[place] |= fields
    return pair


def test_a_checked_exchange_is_a_copy() -> None:
    pair = checked_exchange(*SOUND)

    assert pair == SOUND
    assert pair[0]["content"][0]["input"] is not SOUND[0]["content"][0]["input"]


def test_results_may_come_in_another_order() -> None:
    pair = changed(1, content=[result("b"), result("a")])

    assert checked_exchange(*pair) == pair


def asks(*blocks: Any) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def answers(*blocks: Any) -> Message:
    return {"role": "user", "content": list(blocks)}


# Each pair has the fault that is named, and others that are looked for later.
ORDER_OF_CHECKS = [
    ("not_a_history", [{}, None], "message 2 is not a message but NoneType"),
    ("not_a_history", [{"role": "user"}, {"role": "tool"}], "message 1 has the role 'user'"),
    ("not_a_history", [{"role": "assistant"}, {"role": "tool"}], "message 2 has the role 'tool'"),
    ("not_a_history", [asks() | {"content": None}, {"role": "user"}], "message 1 has no list of blocks"),
    ("not_a_history", [asks(7, {}), answers(7)], "message 1, block 0 is not a block but int"),
    ("unsupported_block", [asks(call(""), {}), answers(7)], "message 1, block 1 has the type None"),
    ("not_a_history", [asks({"type": "text"}), answers(7)], "message 1 calls no tool"),
    ("mismatch", [asks(call("")), answers(7)], "message 1, block 0 has the id ''"),
    ("mismatch", [asks(call("a"), call("a")), answers(7)], "message 1, block 1 has the id 'a' of an earlier"),
    ("bad_result", [asks(call("a")), answers(result("x"), 7)], "message 2, block 1 is not a block but int"),
    ("mismatch", [asks(call("a")), answers(result("x"))], "message 2, block 0 answers 'x'"),
]


@pytest.mark.parametrize(("code", "pair", "words"), ORDER_OF_CHECKS, ids=lambda value: repr(value)[:60])
def test_checks_follow_one_order(code: str, pair: list[Any], words: str) -> None:
    refused = refusal(checked_exchange, *pair, at=1)

    assert refused.code == code
    assert words in str(refused)


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ([], "message 0, block 0 calls 'a', which message 1 does not answer"),
        ([result("a")], "message 0, block 1 calls 'b', which message 1 does not answer"),
        ([result("a"), result("b"), result("b")], "message 1, block 2 answers 'b' a second time"),
        (
            [result("a"), result("b"), result("c")],
            "message 1, block 2 answers 'c', which message 0 does not call",
        ),
        ([result("a"), result("")], "message 1, block 1 answers '', which message 0 does not call"),
    ],
    ids=["none", "missing", "repeated", "extra", "foreign"],
)
def test_each_call_has_exactly_one_result(results: list[Any], words: str) -> None:
    refused = refusal(checked_exchange, *changed(1, content=results))

    assert (refused.code, str(refused)) == ("mismatch", words)


@pytest.mark.parametrize(
    "block", [7, result(None), result(["a"]), result("a", 7), result("a", [{}]), result("a", is_error=1)]
)
def test_a_malformed_result_is_a_bad_result(block: Any) -> None:
    assert refusal(checked_exchange, *changed(1, content=[block, result("b")])).code == "bad_result"


def test_a_text_among_the_results_is_an_unsupported_block() -> None:
    pair = changed(1, content=[result("a"), {"type": "text", "text": "?"}, result("b")])

    assert refusal(checked_exchange, *pair).code == "unsupported_block"


def test_an_error_mark_may_be_left_out_but_not_be_something_else() -> None:
    pair = exchange(("a", "1"))
    del pair[1]["content"][0]["is_error"]

    assert checked_exchange(*pair) == pair


# split_history


@pytest.mark.parametrize(
    ("keep_recent", "older", "recent"),
    [(1, [1, 2, 3, 4], [5]), (2, [1, 2, 3], [4, 5]), (4, [1], [2, 3, 4, 5])],
)
def test_the_last_exchanges_are_recent(keep_recent: int, older: list[int], recent: list[int]) -> None:
    parts = split_history(history(*"12345"), keep_recent)

    assert list(parts) == ["question", "older", "recent"]
    assert parts["question"] == QUESTION
    assert parts["older"] == [exchange((f"call_{number}", str(number))) for number in older]
    assert parts["recent"] == [exchange((f"call_{number}", str(number))) for number in recent]


def test_a_question_alone_is_a_history() -> None:
    assert split_history([QUESTION]) == {"question": QUESTION, "older": [], "recent": []}
    assert split_history([QUESTION])["question"] is not QUESTION


def test_fewer_exchanges_than_asked_for_are_all_recent() -> None:
    parts = split_history(history("1", "2"), keep_recent=4)

    assert (len(parts["older"]), len(parts["recent"])) == (0, 2)


BAD_COUNTS = [0, 5, -1, True, False, 1.0, "1", None, [1], 10**5000]


@pytest.mark.parametrize(
    "keep_recent", BAD_COUNTS, ids=lambda value: repr(value) if value != 10**5000 else "huge"
)
def test_keep_recent_is_an_int_from_1_to_4_and_checked_first(keep_recent: Any) -> None:
    refused = refusal(split_history, None, keep_recent)

    assert refused.code == "bad_argument"
    assert "an int from 1 to 4" in str(refused)


NO_HISTORIES = [None, "text", {}, (), [], [None], ["text"], [{}], (QUESTION,)]
NO_QUESTIONS = [
    {"role": "assistant", "content": "hi"},
    {"role": "user", "content": []},
    {"role": "user", "content": " "},
]
NO_QUESTIONS += [{"role": "user", "content": [result("a")]}, {"role": "system", "content": "hi"}]


@pytest.mark.parametrize("messages", [*NO_HISTORIES, *([message] for message in NO_QUESTIONS)], ids=repr)
def test_a_history_begins_with_a_question_in_text(messages: Any) -> None:
    assert refusal(split_history, messages).code == "not_a_history"


def test_an_open_exchange_stops_before_any_other_is_looked_at() -> None:
    messages = history("1", "2")
    messages[2]["content"][0]["tool_use_id"] = "wrong"
    refused = refusal(split_history, messages[:-1])

    assert (refused.code, str(refused)) == ("pending", "message 3 has no partner: its exchange is open")


def test_a_broken_exchange_is_named_by_its_own_position() -> None:
    messages = history("1", "2", "3")
    messages[4]["content"][0]["tool_use_id"] = "wrong"
    messages[6]["content"][0]["is_error"] = None
    refused = refusal(split_history, messages)

    assert refused.code == "mismatch"
    assert str(refused) == "message 4, block 0 answers 'wrong', which message 3 does not call"


# trim_results

LONG = "x" * 601


@pytest.mark.parametrize("receipt", ["", "  \n", None, 7, ["r"], b"r"], ids=repr)
def test_without_a_receipt_nothing_is_trimmed(receipt: Any) -> None:
    refused = refusal(trim_results, None, receipt, max_chars=0)

    assert refused.code == "bad_receipt"
    assert "archive the history first" in str(refused)


@pytest.mark.parametrize("max_chars", [0, -5, True, 600.0, "600", None], ids=repr)
def test_max_chars_is_an_int_of_at_least_1(max_chars: Any) -> None:
    refused = refusal(trim_results, None, RECEIPT, max_chars=max_chars)

    assert (refused.code, f"max_chars is {max_chars!r}" in str(refused)) == ("bad_argument", True)


def test_trim_refuses_what_split_refuses() -> None:
    assert refusal(trim_results, history("1")[:-1], RECEIPT).code == "pending"
    assert refusal(trim_results, history("1"), RECEIPT, keep_recent=5).code == "bad_argument"


def test_only_long_results_of_older_exchanges_change() -> None:
    messages = [QUESTION, *exchange(("a", LONG), ("b", "short"), ("c", LONG)), *exchange(("d", LONG))]
    messages[1]["content"].insert(0, {"type": "text", "text": LONG})
    messages[2]["content"][0]["is_error"] = True
    before = copied(messages)
    candidate = trim_results(messages, RECEIPT)

    expected = copied(messages)
    for block, call_id in ((0, "a"), (2, "c")):
        expected[2]["content"][block]["content"] = (
            f"[Not a result: the text of message 2, block {block}, call '{call_id}' "
            f"was archived in snapshot '{RECEIPT}'.]"
        )
    assert candidate == expected
    assert messages == before


def test_a_text_that_fits_the_limit_stays() -> None:
    messages = history("x" * 600, "x" * 601, "newest")
    candidate = trim_results(messages, RECEIPT)

    assert candidate[2] == messages[2]
    assert candidate[4] != messages[4]


def test_a_marker_is_never_longer_than_the_text() -> None:
    marker = trim_results(history(LONG, "newest"), RECEIPT)[2]["content"][0]["content"]
    same, shorter = "y" * len(marker), "y" * (len(marker) - 1)
    candidate = trim_results(history(same, shorter, "newest"), RECEIPT, max_chars=1)

    assert candidate[2]["content"][0]["content"] == marker
    assert candidate[4]["content"][0]["content"] == shorter


@pytest.mark.parametrize(
    "strange", ["two\nlines", "\r", "\u2028", "\x85", "\x00", "quote'\"", "\ud800"], ids=repr
)
def test_a_marker_is_one_line_whatever_the_names_hold(strange: str) -> None:
    messages = [QUESTION, *exchange((strange, LONG)), *exchange(("b", "newest"))]
    marker = trim_results(messages, f"receipt {strange}")[2]["content"][0]["content"]

    assert marker.splitlines() == [marker]
    assert repr(strange) in marker


def test_trimming_again_changes_nothing() -> None:
    once = trim_results(history(LONG, LONG, "newest"), RECEIPT)

    assert trim_results(once, "another") == once


# prepare_context


class Host:
    """The state, the archive and the summariser of one call, and what happened to them."""

    def __init__(
        self, receipt: Any = RECEIPT, summary: Any = "The logs held nothing.", max_summaries: int = 2
    ) -> None:
        self.receipt, self.summary = receipt, summary
        self.state: dict[str, Any] = {"archives": [], "summaries": 0, "max_summaries": max_summaries}
        self.archived: list[Any] = []
        self.summarised: list[Any] = []
        self.summaries_at_call: list[int] = []

    def archive(self, messages: list[Message]) -> Any:
        self.archived.append(messages)
        if isinstance(self.receipt, Exception):
            raise self.receipt
        return self.receipt

    def summarize(self, messages: list[Message]) -> Any:
        self.summarised.append(messages)
        self.summaries_at_call.append(self.state["summaries"])
        if isinstance(self.summary, Exception):
            raise self.summary
        return self.summary

    def prepare(self, messages: Any, question: Any = "Why?", **settings: Any) -> list[Message]:
        return prepare_context(messages, question, self.state, self.archive, self.summarize, **settings)

    @property
    def happened(self) -> tuple[list[str], int]:
        return self.state["archives"], self.state["summaries"]


# Two older exchanges that trimming cannot shorten, and a short newest one.
SMALL_TEXTS = history("漢" * 180, "漢" * 180, "newest")


@pytest.mark.parametrize("budget", [399, 0, -1, True, 3200.0, "3200", None], ids=repr)
def test_the_budget_is_an_int_of_at_least_400(budget: Any) -> None:
    host = Host()
    refused = refusal(host.prepare, None, "", budget=budget)

    assert refused.code == "bad_argument"
    assert f"budget is {budget!r}" in str(refused)


@pytest.mark.parametrize("question", ["", " \n", None, 7, ["Why?"]], ids=repr)
def test_the_question_is_text(question: Any) -> None:
    refused = refusal(Host().prepare, None, question)

    assert (refused.code, "question is" in str(refused)) == ("bad_argument", True)


STATE = {"archives": [], "summaries": 0, "max_summaries": 2}
BAD_STATES = [None, [], {}, STATE | {"archives": None}, STATE | {"archives": ()}]
BAD_STATES += [STATE | {"summaries": value} for value in (None, -1, True, 1.0, "0")]
BAD_STATES += [STATE | {"max_summaries": value} for value in (None, -1, True, 2.0)]


@pytest.mark.parametrize("state", BAD_STATES, ids=repr)
def test_a_state_that_cannot_record_is_refused(state: Any) -> None:
    refused = refusal(prepare_context, history("1"), "Why?", state, Host().archive, Host().summarize)

    assert (refused.code, "state" in str(refused)) == ("bad_argument", True)


@pytest.mark.parametrize(
    ("messages", "code"),
    [(None, "not_a_history"), (history("1")[:-1], "pending"), ([QUESTION, {}, {}], "not_a_history")],
    ids=["none", "pending", "roles"],
)
def test_a_bad_history_stops_before_anything_happens(messages: Any, code: str) -> None:
    host = Host()

    assert refusal(host.prepare, messages, budget=400).code == code
    assert (host.archived, host.summarised) == ([], [])


def test_bad_keep_recent_stops_before_anything_happens() -> None:
    host = Host()

    assert refusal(host.prepare, SMALL_TEXTS, budget=400, keep_recent=0).code == "bad_argument"
    assert host.archived == []


@pytest.mark.parametrize("part", [float("nan"), "\ud800"], ids=repr)
def test_a_history_that_cannot_be_measured_stops_before_anything_happens(part: Any) -> None:
    messages = history(LONG, "newest")
    messages[1]["content"][0]["input"]["path"] = part
    host = Host()

    assert refusal(host.prepare, messages, budget=400).code == "not_a_history"
    assert host.archived == []


def test_a_history_that_fits_exactly_comes_back_as_a_copy() -> None:
    messages = history(LONG, "newest")
    host = Host(max_summaries=0)
    candidate = host.prepare(messages, budget=history_bytes(messages))

    assert candidate == messages
    assert candidate[2]["content"] is not messages[2]["content"]
    assert host.archived == []
    assert host.happened == ([], 0)


def test_one_byte_over_is_archived_and_trimmed() -> None:
    messages = history(LONG, "newest")
    host = Host(max_summaries=0)
    candidate = host.prepare(messages, budget=history_bytes(messages) - 1)

    assert candidate == trim_results(messages, RECEIPT)
    assert host.archived == [messages]
    assert host.archived[0][2]["content"] is not messages[2]["content"]
    assert host.happened == ([RECEIPT], 0)


def test_as_many_exchanges_stay_whole_as_asked_for() -> None:
    messages = history(LONG, LONG, LONG)
    candidate = Host().prepare(messages, budget=history_bytes(messages) - 1, keep_recent=2)

    assert candidate == trim_results(messages, RECEIPT, keep_recent=2)
    assert candidate[3:] == messages[3:]


def test_what_the_archive_does_to_its_copy_harms_nobody() -> None:
    messages = history(LONG, "newest")
    before = copied(messages)

    def archive(copy: list[Message]) -> str:
        copy[2]["content"].clear()
        return RECEIPT

    candidate = prepare_context(messages, "Why?", dict(STATE, archives=[]), archive, Host().summarize, 800)

    assert messages == before
    assert candidate == trim_results(before, RECEIPT)


def test_an_exception_of_the_archive_passes_through() -> None:
    host = Host(receipt=PermissionError("no room"))
    with pytest.raises(PermissionError, match="no room") as caught:
        host.prepare(SMALL_TEXTS, budget=400)

    assert caught.value is host.receipt
    assert host.happened == ([], 0)
    assert host.summarised == []


@pytest.mark.parametrize("receipt", ["", " ", None, 7, b"context"], ids=repr)
def test_an_archive_without_a_receipt_is_refused(receipt: Any) -> None:
    host = Host(receipt=receipt)

    assert refusal(host.prepare, SMALL_TEXTS, budget=400).code == "bad_receipt"
    assert host.happened == ([], 0)


def test_the_newest_exchange_alone_is_never_cut() -> None:
    messages = history("x" * 2400)
    host = Host()
    refused = refusal(host.prepare, messages, budget=1600)

    assert refused.code == "recent_too_large"
    assert str(history_bytes(messages)) in str(refused)
    assert "1600" in str(refused)
    assert host.happened == ([RECEIPT], 0)
    assert host.summarised == []


def test_spent_summaries_refuse_before_the_call_and_keep_the_snapshot() -> None:
    host = Host(max_summaries=1)
    host.state["summaries"] = 1
    refused = refusal(host.prepare, SMALL_TEXTS, budget=1000)

    assert (refused.code, "1 of 1" in str(refused)) == ("summaries_spent", True)
    assert host.happened == ([RECEIPT], 1)
    assert host.summarised == []


def test_a_rebuilt_history_has_the_question_the_summary_and_the_snapshot_first() -> None:
    host = Host(summary="\n  Nothing was found.  ")
    before = copied(SMALL_TEXTS)
    candidate = host.prepare(SMALL_TEXTS, "What now?", budget=1000)

    first = candidate[0]["content"]
    assert list(candidate[0]) == ["role", "content"]
    assert candidate[0]["role"] == "user"
    assert first.startswith("What now?\n\n")
    assert "\nNothing was found.\n" in first
    assert first.index("for reference only") < first.index("Nothing was found.") < first.index(RECEIPT)
    assert "Load old rules again" in first
    assert "does not authorise this run" in first
    assert candidate[1:] == SMALL_TEXTS[-2:]
    assert candidate[1] is not SMALL_TEXTS[-2]
    assert before == SMALL_TEXTS
    assert host.happened == ([RECEIPT], 1)


def test_the_attempt_is_counted_before_the_call() -> None:
    host = Host()
    host.prepare(SMALL_TEXTS, budget=1000)

    assert host.summaries_at_call == [1]


def test_the_summariser_gets_a_copy_of_the_first_message_and_the_trimmed_older_exchanges() -> None:
    messages = history("漢" * 180, LONG, "漢" * 180, "recent", "newest")
    host = Host()
    host.prepare(messages, budget=1400, keep_recent=2)

    assert host.summarised == [trim_results(messages, RECEIPT, keep_recent=2)[:7]]
    assert host.summarised[0][0] is not messages[0]


def test_an_earlier_summary_is_handed_on_and_never_nests() -> None:
    host = Host(summary="First summary.")
    once = host.prepare(SMALL_TEXTS, "Why?", budget=1000)
    host.summary, host.receipt = "Second summary.", "context-000000000002.jsonl"
    twice = host.prepare([*once, *SMALL_TEXTS[1:]], "Why?", budget=1000)

    assert host.summarised[1][0] == once[0]
    assert twice[0]["content"] == once[0]["content"].replace("First", "Second").replace(RECEIPT, host.receipt)
    assert host.happened == ([RECEIPT, host.receipt], 2)


@pytest.mark.parametrize(
    "summary", ["", " \n\t", None, 7, b"text", ["text"], "x" * 1001], ids=lambda value: repr(value)[:9]
)
def test_a_bad_summary_is_refused_and_its_attempt_is_spent(summary: Any) -> None:
    host = Host(summary=summary)

    assert refusal(host.prepare, SMALL_TEXTS, budget=1000).code == "bad_summary"
    assert host.happened == ([RECEIPT], 1)


def test_a_summary_of_1000_characters_is_accepted() -> None:
    host = Host(summary="x" * 1000)
    messages = history("漢" * 500, "漢" * 500, "newest")

    assert "x" * 1000 in host.prepare(messages, budget=1800)[0]["content"]


def test_an_exception_of_the_summariser_passes_through_and_its_attempt_is_spent() -> None:
    host = Host(summary=TimeoutError("no answer"))
    with pytest.raises(TimeoutError) as caught:
        host.prepare(SMALL_TEXTS, budget=1000)

    assert caught.value is host.summary
    assert host.happened == ([RECEIPT], 1)


def test_a_rebuilt_history_over_the_budget_is_refused() -> None:
    host = Host()
    refused = refusal(host.prepare, history("x" * 1200, "x" * 1600), budget=1600)

    assert (refused.code, "budget 1600" in str(refused)) == ("not_smaller", True)
    assert host.happened == ([RECEIPT], 1)


def test_a_history_over_the_budget_is_never_rebuilt_into_a_larger_one() -> None:
    messages = history("x" * 300, "x" * 300, "newest")
    host = Host(summary="y" * 1000)
    refused = refusal(host.prepare, messages, budget=history_bytes(messages) - 1)

    assert (refused.code, f"before {history_bytes(messages)}" in str(refused)) == ("not_smaller", True)


def test_a_summary_that_has_no_json_form_is_refused() -> None:
    host = Host(summary="lone \ud800")

    assert refusal(host.prepare, SMALL_TEXTS, budget=1000).code == "not_a_history"
    assert host.happened == ([RECEIPT], 1)

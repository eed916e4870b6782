"""Shrinking one result: cuts that are counted exactly, and extracts that save something."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from provider_server import KEY, MODEL, REPLIES, ProviderServer, Reply, text

from ctxlab.errors import Refusal
from ctxlab.messages.counting import TokenCounter
from ctxlab.models.anthropic import AnthropicModel
from ctxlab.models.interface import Brief
from ctxlab.models.openai import OpenAIModel
from ctxlab.reference.loop import said
from ctxlab.reference.shrinking import compress_tool_result, trim_single_observation

MARK = re.compile(r"\[(\d+) characters missing\]")
LONG = "Port 8443 refused the connection at 04:17. " * 40  # 1,720 characters, over 400 tokens
CHINESE = "服务器的迁移推迟到周五晚上。" * 30


def tokens(words: str) -> int:
    return TokenCounter().count(words)


# Cutting

TEXTS = st.text(max_size=80) | st.builds(
    str.__mul__,
    st.sampled_from(["a", "漢", "😀", "e\u0301", "\r\n", "[9 characters missing]", "👩‍👩‍👧"]),
    st.integers(0, 500),
)


@settings(max_examples=100)
@given(TEXTS, st.integers(1, 600))
@example("x" * 1000, 40)
@example("x" * 1000, 39)
@example("x" * 10_050, 10_000)
def test_a_cut_text_is_within_its_limit_and_says_exactly_what_is_missing(words, limit):
    if len(words) > limit and limit < 40:
        with pytest.raises(Refusal, match=f"{len(words)} characters cannot be cut to {limit}") as refused:
            trim_single_observation(words, limit)
        assert refused.value.code == "bad_argument"
        return
    cut = trim_single_observation(words, limit)

    assert trim_single_observation(cut, limit) == cut
    assert len(cut) <= limit
    if len(words) <= limit:
        assert cut == words
        return
    # The text may hold such marks too. The new one has the two ends around it, and the right number in it.
    assert any(
        words.startswith(cut[: mark.start()])
        and words.endswith(cut[mark.end() :])
        and int(mark[1]) == uncut(words[mark.start() : len(words) - len(cut) + mark.end()])
        for mark in MARK.finditer(cut)
    )


def uncut(words: str) -> int:
    """Return how many characters a text had before it was cut, by the marks in it."""
    return len(MARK.sub("", words)) + sum(map(int, MARK.findall(words)))


@pytest.mark.parametrize("limits", [(1000, 500), (1000, 999, 998, 40), (50, 49, 48, 41, 40)], ids=str)
@pytest.mark.parametrize("size", [1001, 10_000, 1_000_003])
def test_a_cut_of_a_cut_counts_what_both_took(limits, size):
    words = "".join(chr(0x4E00 + index % 20_000) for index in range(size))
    cut = words
    for limit in limits:
        cut = trim_single_observation(cut, limit)
        [mark] = MARK.finditer(cut)
        head, tail = cut[: mark.start()], cut[mark.end() :]
        assert words.startswith(head)
        assert words.endswith(tail)
        assert int(mark[1]) == size - len(head) - len(tail)
        assert len(cut) <= limit


def test_what_is_sent_to_a_model_can_be_sent():
    asked: list[str] = []
    compress_tool_result("read \ud800", LONG + "\ud800", "task \udfff", asked.append)

    [request] = asked
    assert request.encode().count(b"\\ud") == 3


def test_a_mark_with_a_number_that_no_cut_writes_is_text_like_any_other():
    words = f"[{'9' * 5000} characters missing]" * 2

    cut = trim_single_observation(words, 100)
    assert len(cut) <= 100
    [mark] = MARK.finditer(cut)
    assert int(mark[1]) == len(words) - (len(cut) - len(mark[0]))
    assert cut[0] == words[0]
    assert cut[-1] == words[-1]
    cut.encode("utf-8")  # no half of a surrogate pair, where there was none


@pytest.mark.parametrize("limit", [300, 1000, 25_600])
def test_the_head_has_60_percent_of_the_limit_and_the_tail_30(limit):
    words = "".join(f"{number:05} " for number in range(10_000))
    head, tail = MARK.split(trim_single_observation(words, limit))[::2]

    assert (head, tail) == (words[: limit * 6 // 10], words[-limit * 3 // 10 :])


@pytest.mark.parametrize(
    ("words", "limit"),
    [(None, 100), (b"bytes", 100), ("x", 0), ("x", -1), ("x", True), ("x", 1.5), ("x", "9")],
)
def test_a_text_and_a_limit_are_needed(words, limit):
    with pytest.raises(Refusal, match=r"text is|limit_chars is") as refused:
        trim_single_observation(words, limit)
    assert refused.value.code == "bad_argument"


# Extracting


def compressed(answer: Any, raw: str = LONG, **named: Any) -> tuple[str, list[str]]:
    """Return the result after a model's answer, and what the model was asked."""
    requests = []

    def summarize(request: str) -> Any:
        requests.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return compress_tool_result("read_log", raw, "Why is the site down?", summarize, **named), requests


def test_under_200_tokens_no_model_is_asked():
    words = "word"
    while tokens(words) < 199:
        words += " word"

    assert compressed("short", words) == (words, [])
    result, requests = compressed("short", words + " word")
    assert (result, len(requests)) == ("short", 1)


def test_the_model_is_told_the_task_the_tool_the_result_and_what_to_keep():
    result, [request] = compressed(" Port 8443 refused at 04:17.\n", max_tokens=300)

    assert result == "Port 8443 refused at 04:17."
    assert request.endswith(f"Task: Why is the site down?\nTool: read_log\nResult:\n{LONG}")
    for asked in (
        "facts, figures",
        "error messages word for word",
        "Do not analyse",
        "fewer than 300 tokens",
    ):
        assert asked in request


UNUSABLE = {
    "an exception": TimeoutError("no answer"),
    "no text": None,
    "bytes": b"Port 8443",
    "a list": ["Port 8443"],
    "empty": "",
    "blank": " \n",
    "longer": LONG + "!",
    "as long": LONG,
    "more characters in fewer tokens": "-" * 2000,
    "cut": {"text": "Port 84", "stop_reason": "max_tokens"},
    "cut, in OpenAI's words": {"text": "Port 84", "stop_reason": "length"},
    "refused": {"text": "I cannot", "stop_reason": "refusal"},
    "an end that nobody knows": {"text": "Port 8443"},
    "a dict without text": {"stop_reason": "end_turn"},
    "an end of another type": {"text": "Port 8443", "stop_reason": ["end_turn"]},
}


@pytest.mark.parametrize("answer", UNUSABLE.values(), ids=UNUSABLE)
def test_the_original_stays_where_the_answer_cannot_replace_it(answer):
    result, requests = compressed(answer)

    assert result == LONG
    assert len(requests) == 1


@pytest.mark.parametrize("stop_reason", ["end_turn", "stop", "completed"])
def test_an_answer_that_ended_by_itself_replaces_the_original(stop_reason):
    assert compressed({"text": "Port 8443", "stop_reason": stop_reason})[0] == "Port 8443"


def test_a_text_that_fills_the_limit_was_cut_there():
    words = "word" + " word" * 99
    assert tokens(words) == 100

    assert compressed(words, max_tokens=100)[0] == LONG
    assert compressed(words, max_tokens=101)[0] == words


def test_fewer_characters_do_not_make_up_for_more_tokens():
    answer = "☃𝔄𝔅ℭ" * 130
    assert len(answer) < len(LONG)
    assert tokens(LONG) < tokens(answer) < 2000

    assert compressed(answer, max_tokens=2000)[0] == LONG


def test_half_a_surrogate_pair_in_an_answer_can_be_stored():
    assert compressed("Port \ud83d")[0] == "Port \\ud83d"


def test_chinese_is_counted_by_tokens_and_an_interrupt_passes_through():
    assert compressed("周五晚上", CHINESE)[0] == "周五晚上"

    def interrupted(request: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compress_tool_result("read_log", LONG, "Why?", interrupted)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"tool_name": None}, "tool_name is None"),
        ({"raw_result": 7}, "raw_result is an int"),
        ({"task_context": []}, "task_context is a list"),
        ({"summarize": None}, "summarize is None, not a function"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"max_tokens": True}, "max_tokens is True"),
    ],
)
def test_unusable_arguments_are_refused(change, problem):
    arguments: dict[str, Any] = {
        "tool_name": "read_log",
        "raw_result": "short",
        "task_context": "Why?",
        "summarize": lambda request: "x",
    }
    with pytest.raises(Refusal, match=problem) as refused:
        compress_tool_result(**arguments | change)
    assert refused.value.code == "bad_argument"


@pytest.mark.parametrize(
    ("provider", "model", "cut"),
    [("anthropic", AnthropicModel, "max_tokens"), ("openai", OpenAIModel, "length")],
)
def test_a_real_client_tells_a_whole_answer_from_one_that_was_cut(
    provider: str, model: Callable[..., Any], cut: str
) -> None:
    whole, half = [text("Port 8443 refused at 04:17.")], [text("Port 84")]
    replies = [Reply(body=REPLIES[provider](whole)), Reply(body=REPLIES[provider](half, cut))]
    with ProviderServer(replies) as server:
        cheap = model(MODEL, api_key=KEY, base_url=server.base_urls[provider], max_tokens=500)

        def summarize(request: str) -> str:
            return said(cheap.ask([{"role": "user", "content": request}], Brief("You extract facts.")))

        arguments = ("read_log", LONG, "Why is the site down?", summarize)
        assert compress_tool_result(*arguments) == "Port 8443 refused at 04:17."
        assert compress_tool_result(*arguments) == LONG
        assert (server.faults, len(server.requests)) == ([], 2)

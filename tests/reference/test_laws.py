"""The four laws of refusals and candidates, on generated histories: sound, odd, or broken in one place."""

import copy
from collections import OrderedDict, UserString
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.reference import history_bytes, prepare_context, run_loop, split_history, trim_results

CODES = set(
    """bad_argument not_a_history pending mismatch unsupported_block bad_result bad_receipt snapshot_too_large
    recent_too_large summaries_spent bad_summary not_smaller""".split()
)
BEFORE_ANYTHING = {"bad_argument", "not_a_history", "pending", "mismatch", "unsupported_block", "bad_result"}
MUTABLE = (dict, list, set, bytearray)


# Sound histories

IDS = st.sampled_from(
    ["call_1", "call_2", "call_3", "two\nlines", "漢", "quote'\"", "\u2028", " ", "x" * 300]
)
TEXTS = st.builds(str.__mul__, st.sampled_from(["a", "漢", "😀", '"', "\n", "ab "]), st.integers(0, 900))
INPUTS = st.dictionaries(
    st.sampled_from("abc"), st.none() | st.integers() | st.lists(st.text(max_size=3)), max_size=2
)
SOME_TEXT = st.sampled_from(["Why?", "漢字", "one\ntwo", "-" * 200])


@st.composite
def exchanges(draw: st.DrawFn) -> list[dict[str, Any]]:
    ids = draw(st.lists(IDS, min_size=1, max_size=3, unique=True))
    calls = [{"type": "tool_use", "id": one, "name": "read_file", "input": draw(INPUTS)} for one in ids]
    if draw(st.booleans()):
        calls.insert(draw(st.integers(0, len(calls))), {"type": "text", "text": draw(SOME_TEXT)})
    results = []
    for one in draw(st.permutations(ids)):
        block = {"type": "tool_result", "tool_use_id": one, "content": draw(TEXTS)}
        mark = draw(st.sampled_from([{"is_error": False}, {"is_error": True}, {}]))
        results.append(block | mark)
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": results}]


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    text = draw(SOME_TEXT)
    question = {"role": "user", "content": draw(st.sampled_from([text, [{"type": "text", "text": text}]]))}
    return [question, *(message for pair in draw(st.lists(exchanges(), max_size=5)) for message in pair)]


# Histories with one thing wrong, or odd


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


DEEP = nested(100_000)


def itself() -> dict[str, Any]:
    value: dict[str, Any] = {"type": "text", "text": "again"}
    value["again"] = value
    return value


class Blocks(list[Any]):
    """A list of the learner's own kind."""


ODD: list[Callable[[], Any]] = [
    *(
        lambda value=value: value
        for value in (None, True, 0, -1, 1.5, "", " ", "\ud800", "tool_use", b"bytes")
    ),
    *(lambda value=value: value for value in (float("nan"), float("inf"), 10**5000, (), len, object)),
    *(
        dict,
        list,
        set,
        bytearray,
        object,
        itself,
        lambda: DEEP,
        lambda: [nested(50)],
        lambda: ([1], {}),
    ),
    lambda: OrderedDict(type="text", text="ordered"),
    lambda: UserString("not a str"),
    lambda: Blocks([{"type": "text", "text": "blocks"}]),
    lambda: {"type": "image", "source": {}},
    lambda: {"type": "tool_use", "id": "call_1", "name": "again", "input": {}},
    lambda: {"type": "tool_result", "tool_use_id": "call_9", "content": "foreign", "is_error": False},
]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key or index) in a history."""
    found: list[tuple[Any, Any]] = []
    todo = [value]
    for item in todo:
        keys = list(item) if isinstance(item, dict) else range(len(item))
        found += [(item, key) for key in keys]
        todo += [item[key] for key in keys if isinstance(item[key], (dict, list))]
    return found


@st.composite
def broken(draw: st.DrawFn) -> list[Any]:
    messages: list[Any] = draw(histories())
    container, key = draw(st.sampled_from(places(messages)))
    change = draw(st.sampled_from(["odd", "odd", "odd", "drop", "repeat", "swap", "share", "rename"]))
    if change == "odd":
        container[key] = draw(st.sampled_from(ODD))()
    elif change == "drop":
        del container[key]
    elif change == "repeat" and isinstance(container, list):
        container.insert(key, copy.deepcopy(container[key]))
    elif change == "swap" and isinstance(container, list):
        container[key], container[-1] = container[-1], container[key]
    elif change == "share":
        other, place = draw(st.sampled_from(places(messages)))
        container[key] = other[place]
    elif isinstance(container, dict):
        container[draw(st.sampled_from(["id", "tool_use_id", "role", "other"]))] = container.pop(key)
    return messages


ANY_HISTORY = histories() | broken() | st.sampled_from([None, "text", 7, {}, (), [[]], [None], object()])


# What the laws are about


def anatomy(value: Any) -> dict[int, tuple[type, list[int]]]:
    """For each container in a value, by identity: its type and the identities of what it holds, in order."""
    found: dict[int, tuple[type, list[int]]] = {}
    todo = [value]
    while todo:
        item = todo.pop()
        if id(item) in found or not isinstance(item, (*MUTABLE, tuple)):
            continue
        held = [part for pair in item.items() for part in pair] if isinstance(item, dict) else list(item)
        found[id(item)] = (type(item), [id(part) for part in held])
        todo += held
    return found


def mutable_parts(value: Any) -> set[int]:
    return {number for number, (kind, _) in anatomy(value).items() if issubclass(kind, MUTABLE)}


class FailedError(Exception):
    """What an archive or a summariser raises."""


def run(function: Callable[..., Any], messages: Any, *arguments: Any, **named: Any) -> tuple[Any, str | None]:
    """Call the function; return its result, and the code of its refusal or "failed". Checks the first law."""
    before = anatomy(messages)
    result, code, words = None, None, "returned"
    try:
        result = function(messages, *arguments, **named)
    except Refusal as refusal:
        code, words = refusal.code, str(refusal)
    except FailedError:
        code, words = "failed", "raised by a stand-in"
    assert code in {None, "failed", *CODES}
    assert 0 < len(words) < 500
    assert anatomy(messages) == before
    assert not mutable_parts(result) & before.keys()
    return result, code


def assert_sound(messages: list[dict[str, Any]]) -> None:
    """Check the pairing without the code under test."""
    assert messages[0]["role"] == "user"
    assert len(messages) % 2 == 1
    for request, response in zip(messages[1::2], messages[2::2], strict=True):
        assert (request["role"], response["role"]) == ("assistant", "user")
        assert call_ids(request)
        assert sorted(call_ids(request)) == sorted(result_ids(response))
        assert len(set(call_ids(request))) == len(call_ids(request))


def assert_only_trimmed(before: list[Any], after: list[Any], keep_recent: int) -> None:
    """Check that only texts of older results differ, and that none became longer."""
    first_recent = max(1, len(before) - 2 * keep_recent)
    assert len(after) == len(before)
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if number % 2 or number == 0 or number >= first_recent:
            assert new == old
            continue
        assert {**new, "content": None} == {**old, "content": None}
        for old_block, new_block in zip(old["content"], new["content"], strict=True):
            assert {**new_block, "content": None} == {**old_block, "content": None}
            assert len(new_block["content"]) <= len(old_block["content"])
            assert new_block["content"] == old_block["content"] or len(old_block["content"]) > 0


KEEP_RECENT = st.integers(1, 4)
ODD_NUMBERS = st.sampled_from([0, -1, 5, True, 2.0, None, "1", 10**5000, float("nan")])


# The laws


@given(histories(), KEEP_RECENT)
def test_split_of_a_sound_history(messages: list[Any], keep_recent: int) -> None:
    parts, code = run(split_history, messages, keep_recent)

    assert code is None
    whole = [parts["question"], *(message for pair in parts["older"] + parts["recent"] for message in pair)]
    assert whole == messages
    assert len(parts["recent"]) == min(keep_recent, len(messages) // 2)


@given(histories(), KEEP_RECENT, st.integers(1, 1000))
def test_trim_of_a_sound_history(messages: list[Any], keep_recent: int, max_chars: int) -> None:
    candidate, code = run(trim_results, messages, "context-000000000001.jsonl", keep_recent, max_chars)

    assert code is None
    assert_sound(candidate)
    assert_only_trimmed(messages, candidate, keep_recent)


@settings(max_examples=400)
@given(ANY_HISTORY, KEEP_RECENT | ODD_NUMBERS, st.integers(1, 1000) | ODD_NUMBERS)
def test_split_and_trim_of_anything(messages: Any, keep_recent: Any, max_chars: Any) -> None:
    parts, code = run(split_history, messages, keep_recent)
    candidate, trim_code = run(trim_results, messages, "receipt", keep_recent, max_chars)

    if code is None:
        assert_sound([parts["question"], *(m for pair in parts["older"] + parts["recent"] for m in pair)])
    if trim_code is None:
        assert code is None
        assert_sound(candidate)
        assert_only_trimmed(messages, candidate, keep_recent)
    elif type(max_chars) is int and max_chars > 0:
        assert trim_code == code


class Host:
    """Stand-ins that count their calls, try to harm what they are given, and then answer or fail."""

    def __init__(self, receipt: Any, summary: Any, summaries: int, max_summaries: int) -> None:
        self.receipt, self.summary = receipt, summary
        self.state: dict[str, Any] = {
            "archives": ["earlier"],
            "summaries": summaries,
            "max_summaries": max_summaries,
        }
        self.archived = self.summarised = 0
        self.started_at: int | None = None

    def archive(self, messages: list[Any]) -> Any:
        self.archived += 1
        self.harm(messages)
        return self.answer(self.receipt)

    def summarize(self, messages: list[Any]) -> Any:
        self.summarised += 1
        self.started_at = self.state["summaries"]
        assert len(messages) % 2 == 1
        assert_sound(messages)
        self.harm(messages)
        return self.answer(self.summary)

    @staticmethod
    def harm(messages: list[Any]) -> None:
        for message in messages:
            message["role"] = "harmed"
            if isinstance(message["content"], list):
                for block in message["content"]:
                    block.clear()
        messages.clear()

    @staticmethod
    def answer(value: Any) -> Any:
        if value is FailedError:
            raise FailedError
        return value


HOSTS = st.builds(
    Host,
    receipt=st.sampled_from(
        ["r1", "r1", "r1", "context-000000000001.jsonl", "", None, FailedError, "r\nx\ud800"]
    ),
    summary=st.sampled_from(
        ["Fine.", " Fine. ", "漢" * 400, "x" * 1000, "x" * 1001, "", " ", None, FailedError, "\ud800"]
    ),
    summaries=st.integers(0, 2),
    max_summaries=st.integers(0, 3),
)
BUDGETS = st.integers(400, 6000)
SHARES = st.none() | st.floats(0.1, 1.1)


def budget_for(messages: Any, budget: Any, share: float | None) -> Any:
    """Return a budget near the size of the history, where one can be had; the edges are there."""
    try:
        size = history_bytes(messages)
    except Refusal:
        return budget
    return budget if share is None else max(400, int(size * share))


@settings(max_examples=600)
@given(
    messages=ANY_HISTORY,
    question=st.just("What now?") | st.sampled_from(["What now?", "", " ", None, 7]),
    host=HOSTS,
    budget=BUDGETS | ODD_NUMBERS,
    share=SHARES,
    keep_recent=KEEP_RECENT,
)
def test_prepare(
    messages: Any, question: Any, host: Host, budget: Any, share: float | None, keep_recent: int
) -> None:
    budget = budget_for(messages, budget, share)
    spent, state = host.state["summaries"], host.state
    arguments = (question, state, host.archive, host.summarize, budget, keep_recent)
    candidate, code = run(prepare_context, messages, *arguments)

    # What happened is recorded, and only that.
    has_receipt = isinstance(host.receipt, str) and bool(host.receipt.strip())
    assert state["archives"] == ["earlier", *([host.receipt] if host.archived and has_receipt else [])]
    assert state["summaries"] == spent + host.summarised
    assert host.summarised <= host.archived <= 1
    assert host.started_at in (None, spent + 1)
    assert len(state) == 3

    if candidate is not None:
        assert code is None
        assert_sound(candidate)
        assert_kept_its_promise(messages, candidate, host, question, budget, keep_recent)
    elif code in BEFORE_ANYTHING:
        # Only a rebuilt history can still turn out to be none: its summary has no JSON form.
        assert host.archived == 0 or (
            code == "not_a_history" and host.summary == "\ud800" and host.summarised
        )
    else:
        possible = {
            "failed": host.receipt is FailedError or (host.summarised and host.summary is FailedError),
            "bad_receipt": not has_receipt,
            "recent_too_large": len(messages) // 2 <= keep_recent,
            "summaries_spent": spent >= state["max_summaries"] and not host.summarised,
            "bad_summary": host.summarised and not is_summary(host.summary),
            "not_smaller": host.summarised and is_summary(host.summary),
        }
        assert code is not None
        assert possible[code]
        assert host.archived == 1


def is_summary(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= 1000


def assert_kept_its_promise(
    messages: list[Any], candidate: list[Any], host: Host, question: str, budget: int, keep_recent: int
) -> None:
    size = history_bytes(messages)
    assert history_bytes(candidate) <= budget
    if size <= budget:
        assert candidate == messages
        assert host.archived == 0
    elif not host.summarised:
        assert_only_trimmed(messages, candidate, keep_recent)
        assert host.archived == 1
    else:
        assert history_bytes(candidate) < size
        assert candidate[1:] == messages[-2 * keep_recent :]
        assert candidate[0]["content"].startswith(f"{question}\n\n")
        assert f"\n{host.summary.strip()}\n" in candidate[0]["content"]
        assert repr(host.receipt) in candidate[0]["content"]


# The loop

FINAL = {"role": "assistant", "content": "That is all."}
SAME = object()  # a preparation that leaves the history as it is


class Team:
    """A model, a preparation and a tool. Each harms what it is given, then does what its plan says next.

    `last` is the history as it should be: what the last request showed, or what was prepared since then.
    """

    def __init__(self, answers: list[Any], candidates: list[Any], outputs: list[Any]) -> None:
        self.answers, self.candidates, self.outputs = iter(answers), iter(candidates), iter(outputs)
        self.asked = self.prepared = 0
        self.last: list[Any] = []
        self.foreign: list[Any] = []

    def ask(self, messages: list[Any]) -> Any:
        self.asked += 1
        assert not self.prepared or messages == self.last
        self.last = copy.deepcopy(messages)
        self.foreign.append(messages[:])
        Host.harm(messages)
        return self.answer(next(self.answers, FINAL))

    def prepare(self, messages: list[Any]) -> Any:
        self.prepared += 1
        self.last = copy.deepcopy(messages)
        candidate = next(self.candidates, SAME)
        if candidate is SAME:
            return self.answer(messages)
        Host.harm(messages)
        if isinstance(candidate, list):
            self.last = copy.deepcopy(candidate)
        return self.answer(candidate)

    def tool(self, **given: Any) -> Any:
        self.foreign += given.values()
        for value in given.values():
            if isinstance(value, list):
                value.append("harmed")
        return self.answer(next(self.outputs, "ok"))

    def answer(self, value: Any) -> Any:
        self.foreign.append(value)
        return Host.answer(value)


@st.composite
def answers(draw: st.DrawFn) -> Any:
    """What a model returns: mostly calls, sometimes a text, something malformed, or a failure."""
    kind = draw(st.sampled_from(["call"] * 6 + ["final", "odd", "fails", "spoiled"]))
    if kind == "final":
        return FINAL
    if kind == "odd":
        return draw(st.sampled_from(ODD))()
    if kind == "fails":
        return FailedError
    call = draw(exchanges())[0]
    for block in call["content"]:
        if block["type"] == "tool_use" and draw(st.integers(0, 5)) == 0:
            block["name"] = "no such tool"
    if kind == "spoiled":
        container, key = draw(st.sampled_from(places(call)))
        container[key] = draw(st.sampled_from(ODD))()
    return call


PLANS = st.tuples(
    st.lists(answers(), max_size=5),
    st.lists(
        st.just(SAME) | histories() | st.sampled_from([None, (), {}, "text", object(), FailedError]),
        max_size=5,
    ),
    st.lists(st.sampled_from(["ok", "", "half \ud800", None, 7, ["a list"], FailedError])),
)


@settings(max_examples=400)
@given(messages=histories(), plan=PLANS, limit=st.integers(1, 5), prepares=st.booleans())
def test_a_loop_leaves_a_sound_history_however_it_ends(
    messages: list[Any], plan: tuple[list[Any], list[Any], list[Any]], limit: int, prepares: bool
) -> None:
    before, team = copy.deepcopy(messages), Team(*plan)
    ended = run_loop(
        team.ask,
        {"read_file": team.tool},
        messages,
        prepare=team.prepare if prepares else None,
        max_requests=limit,
    )

    assert_sound(messages)
    history_bytes(messages)  # it can be sent and stored
    assert not mutable_parts(messages) & mutable_parts(team.foreign)
    assert prepares or messages[: len(before)] == before

    status, text = ended["status"], ended["text"]
    assert isinstance(text, str)
    assert ended["requests"] == team.asked <= limit
    assert team.prepared == (team.asked + (status == "context_error") if prepares else 0)
    if status == "max_requests":
        # The exchange of the last request is in; nothing was prepared for another.
        assert (messages[:-2], team.asked) == (team.last, limit)
    else:
        assert status in {"answered", "context_error", "model_error"}
        assert messages == team.last

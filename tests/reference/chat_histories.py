"""Generated histories in the form of OpenAI's Chat Completions, and what a smaller one must keep to.

`sound` histories have whole groups alone. `histories` may also have an open end, and exchanges that were torn
apart: results without a call, calls without a result, results of other calls, a second result.
"""

from collections import Counter
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from ctxlab.messages.diagnosis.examining import diagnose

Message = dict[str, Any]
History = list[Message]

HUGE = "0123456789" * 3000
TEXTS = st.builds(
    str.__mul__, st.sampled_from(["a", "漢", "😀", '"', "\n", "ab ", "日本語。"]), st.integers(1, 300)
)
SOME_TEXT = st.sampled_from(["Why?", "漢字", "one\ntwo", "-" * 200, "Ask before you delete anything."])
RESULTS = st.one_of(TEXTS, TEXTS, TEXTS, st.just(HUGE), st.just("漢字" * 4000))
ARGUMENTS = st.sampled_from(
    ["{}", '{"path": "notes.txt"}', '{"path": "漢.txt"}', '{"q": "' + "x" * 80 + '"}']
)
FAULTS = ("", "", "", "unanswered", "orphaned", "foreign", "twice")


@st.composite
def exchange(draw: st.DrawFn, number: int, fault: str = "") -> History:
    """An assistant's message with one to three calls and its results, with at most one fault."""
    ids = [f"call_{number}_{letter}" for letter in "abc"[: draw(st.integers(1, 3))]]
    calls = [
        {"id": one, "type": "function", "function": {"name": "read_file", "arguments": draw(ARGUMENTS)}}
        for one in ids
    ]
    content = draw(st.none() | SOME_TEXT)
    results = [
        {"role": "tool", "tool_call_id": one, "content": draw(RESULTS)} for one in draw(st.permutations(ids))
    ]
    if fault == "unanswered":
        results = results[:-1]
    if fault == "foreign":
        results[-1]["tool_call_id"] = "call_of_nobody"
    if fault == "twice":
        results.append(deepcopy(results[0]))
    if fault == "orphaned":
        return results
    return [{"role": "assistant", "content": content, "tool_calls": calls}, *results]


@st.composite
def sound(draw: st.DrawFn, most: int = 6, *, faults: tuple[str, ...] = ("",)) -> History:
    """A history of whole groups: perhaps system messages, then questions, answers and exchanges."""
    history: History = [
        {"role": "system", "content": draw(SOME_TEXT)} for _ in range(draw(st.integers(0, 2)))
    ]
    history.append({"role": "user", "content": draw(SOME_TEXT)})
    for number in range(draw(st.integers(0, most))):
        kind = draw(st.sampled_from(["exchange", "exchange", "exchange", "answer", "question"]))
        if kind == "exchange":
            history += draw(exchange(number, draw(st.sampled_from(faults))))
            continue
        role = "assistant" if kind == "answer" else "user"
        history.append({"role": role, "content": draw(SOME_TEXT)})
        if kind == "answer":
            history.append({"role": "user", "content": draw(SOME_TEXT)})
    return history


@st.composite
def histories(draw: st.DrawFn, most: int = 6) -> History:
    """A history that may be torn in places, and may end with an open exchange."""
    history = draw(sound(most, faults=FAULTS))
    if draw(st.booleans()):
        last = draw(exchange(most))
        history += last[: draw(st.integers(1, len(last)))]
    return history


def new_findings(before: History, after: History) -> Counter[tuple[str, str | None]]:
    """Return what `diagnose` finds in `after` and not in `before`, as (code, id) with how often."""
    return _found(after) - _found(before)


def _found(history: History) -> Counter[tuple[str, str | None]]:
    return Counter((finding.code, finding.id) for finding in diagnose(history, "openai-chat"))


def shares(value: Any, other: Any) -> bool:
    """Say whether two JSON values have a dict or a list in common."""
    return not _containers(value).isdisjoint(_containers(other))


def _containers(value: Any) -> set[int]:
    if isinstance(value, dict):
        return {id(value)}.union(*map(_containers, value.values()))
    if isinstance(value, list):
        return {id(value)}.union(*map(_containers, value))
    return set()

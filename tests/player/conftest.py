"""Runs that are hard to show: hostile texts, no history, an end before anything happened."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from ctxlab.reference import prepare_context, split_history
from ctxlab.scenarios import load_scenario
from ctxlab.scenarios.fields import Fact
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

# What a transcript may hold: markup, the ends of the elements that the page is made of, marks of a template,
# controls of terminals and of the direction of text, line ends of JavaScript, half a surrogate pair.
HOSTILE = (
    "<img src=x onerror=alert(1)></script></style></noscript><!--"
    "$policy ${x}\u202e\u2066\u2028\u0000\u001b[2J\ud800"
)
# A scenario's fields are read from a file in UTF-8, so a fact holds no half of a surrogate pair.
HOSTILE_FACT = HOSTILE.removesuffix("\ud800")

History = list[dict[str, Any]]


def exchange(call: str, name: str, text: str) -> History:
    return [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": call, "name": name, "input": {name: text}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": True}],
        },
    ]


def renewed(messages: History) -> History:
    copy = []
    for message in messages:
        copy.append(dict(message))
    return copy


def failing(text: str) -> None:
    raise ValueError(text)


def doubled(number: int) -> int:
    return 2 * number


def nothing() -> None:
    pass


@pytest.fixture(scope="session")
def hostile() -> str:
    return HOSTILE


@pytest.fixture(scope="session")
def hostile_trace() -> Trace:
    """A run whose every text is hostile: the ids and names, the scenario and its fact included."""
    scenario = replace(
        load_scenario("normal"),
        name=HOSTILE,
        promise=HOSTILE,
        must_survive=(Fact(kind="other", text=HOSTILE_FACT),),
    )
    messages = [{"role": HOSTILE, "content": HOSTILE}, *exchange(HOSTILE, HOSTILE, HOSTILE)]
    return trace(renewed, messages, scenario=scenario)


@pytest.fixture(scope="session")
def long_line() -> str:
    return "x" * 2_000_000


@pytest.fixture(scope="session")
def long_line_trace(long_line: str) -> Trace:
    return trace(renewed, [{"role": "user", "content": "read it"}, *exchange("call_1", "read", long_line)])


@pytest.fixture(scope="session")
def large_trace() -> Trace:
    """A history of 5,001 messages and about 5 MB."""
    history: History = [{"role": "user", "content": "read it all"}]
    for number in range(2500):
        history += exchange(f"call_{number}", "read", f"{number}: " + "a line of words " * 60)
    return trace(renewed, history)


def odd_runs() -> Iterator[Trace]:
    yield trace(split_history, None)  # refused at once
    yield trace(prepare_context, scenario="summary", step_limit=30)
    yield trace(nothing, step_limit=1)
    yield trace(nothing)
    yield trace(doubled, 4)
    yield trace(doubled, None)  # an error
    yield trace(failing, HOSTILE)
    yield trace(renewed, [])
    yield trace(
        renewed, [{"role": "user"}, {"role": 7, "content": ["a", {"type": "tool_use", "id": 3}, None]}]
    )


@pytest.fixture(scope="session", params=range(9))
def odd_trace(request: pytest.FixtureRequest) -> Trace:
    return list(odd_runs())[request.param]

"""What a function is checked on: the scenarios that its exercise names, then generated histories.

The first of several choices is the plain one, since that is where hypothesis shrinks to.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.exercises.plain import plain_value
from ctxlab.reference import history_bytes, split_history
from ctxlab.reference.history import MAX_KEEP_RECENT, MAX_SUMMARY_CHARS, MIN_BUDGET
from ctxlab.scenarios import Scenario, load_scenario
from ctxlab.scenarios.fields import Settings

History = list[dict[str, Any]]
Block = dict[str, Any]

GENERATED = "a generated input"
NO_RECEIPT = "gives no receipt"
MOST_CALLS = 100  # whose arguments are kept


class Log:
    """The calls of the stand-ins in one run: (name, what it was given), in order."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.raised = False

    def logged(self, name: str, stand_in: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return the stand-in, so that its calls are written down here."""

        def call(messages: Any) -> Any:
            # A function that never ends may call it as often; then the number of calls says enough.
            self.calls.append((name, plain_value(messages) if len(self.calls) < MOST_CALLS else None))
            try:
                return stand_in(messages)
            except Exception:
                self.raised = True
                raise

        call.__name__ = call.__qualname__ = name
        return call


@dataclass(frozen=True)
class Input:
    """One input of a check: a scenario, written or generated.

    `odd` names the setting or stand-in that an exercise need not deal with, unless its solution refuses it.
    `no_receipt`: the archive returns an empty text.
    """

    scenario: Scenario
    odd: str | None = None
    no_receipt: bool = False

    @property
    def generated(self) -> bool:
        """Whether it was generated."""
        return self.scenario.name == GENERATED

    def arguments(self, names: Container[str], log: Log) -> dict[str, Any]:
        """Return new values for these parameters. The calls of the stand-ins go into `log`."""
        offered = self.scenario.arguments()
        archive = _no_receipt if self.no_receipt else offered["archive"]
        offered["archive"] = log.logged("archive", archive)
        offered["summarize"] = log.logged("summarize", offered["summarize"])
        return {name: value for name, value in offered.items() if name in names}

    @cached_property
    def fault(self) -> str:
        """The code with which the history is refused, or "" where it is sound."""
        try:
            split_history(self.scenario.history)
        except Refusal as refusal:
            return refusal.code
        return ""


def _no_receipt(_messages: History) -> str:
    return ""


def named(scenario: str) -> Input:
    """Return the input that a scenario of this name or path makes. Raises ScenarioError."""
    return Input(load_scenario(scenario))


# Generated inputs

# What a text is made of: one character of 1 to 4 bytes, or one that JSON escapes.
PIECES = st.sampled_from(["a", "é", "漢", "😀", '"', "\n"])

# Lengths: short; about as long as the marker of a trimmed text; about the usual limit of 600; long.
LENGTHS = st.integers(0, 3) | st.integers(80, 120) | st.integers(599, 601) | st.sampled_from([1200, 2400])

TEXTS = st.builds(str.__mul__, PIECES, LENGTHS)
QUESTIONS = st.sampled_from(["a", "漢字?", "Who?\nMe.", "Check it. " * 30])
RESULTS = st.tuples(TEXTS, st.booleans())  # the text, and whether it is marked as an error

# The results of one exchange; a text block before its calls; its results in the opposite order.
EXCHANGES = st.tuples(st.lists(RESULTS, min_size=1, max_size=3), st.booleans(), st.booleans())

SUMMARIES = st.sampled_from(["a", "a" * MAX_SUMMARY_CHARS, "漢" * 50, " a\n"])

# What a function may refuse, or may trust its caller to leave.
ODD: dict[str, st.SearchStrategy[Any]] = {
    "keep_recent": st.sampled_from([0, MAX_KEEP_RECENT + 1, True]),
    "max_chars": st.sampled_from([0, True]),
    "budget": st.sampled_from([0, MIN_BUDGET - 1]),
    "receipt": st.sampled_from(["", " "]),
    "question": st.sampled_from(["", " "]),
    "archive": st.just(NO_RECEIPT),
    "summarize": st.sampled_from(["", " \n", "a" * (MAX_SUMMARY_CHARS + 1), None]),
}


def suspects(names: Container[str]) -> list[str]:
    """Return what can be wrong in an input for a function with these parameters."""
    return ["history", *(name for name in ODD if name in names)]


@st.composite
def inputs(draw: st.DrawFn, names: Container[str], wrong: str | None = None) -> Input:
    """Generate an input for a function with these parameters: a sound one, or one with `wrong` wrong in it.

    What the function does not take stays as usual.
    """
    history = draw(histories(wrong == "history"))

    def chosen(name: str, usual: Any, others: st.SearchStrategy[Any]) -> Any:
        if name == wrong:
            return draw(ODD[name])
        return draw(st.just(usual) | others) if name in names else usual

    lengths = [len(text) for text in _result_texts(history)] or [1]
    near_a_length = st.builds(_moved, st.sampled_from(lengths), st.integers(-1, 1))
    size = history_bytes(history)
    near_the_size = st.integers(-1, 1).map(lambda more: max(MIN_BUDGET, size + more))
    archive = chosen("archive", "works", st.sampled_from(["works", "works", "works", "fails"]))
    settings = Settings.model_construct(
        keep_recent=chosen("keep_recent", 1, st.integers(1, MAX_KEEP_RECENT)),
        max_chars=chosen("max_chars", 600, near_a_length | st.sampled_from([1, 100])),
        budget=chosen("budget", 3200, near_the_size | st.integers(MIN_BUDGET, max(MIN_BUDGET, size))),
        max_summaries=chosen("state", 2, st.integers(0, 1)),
    )
    scenario = Scenario(
        name=GENERATED,
        promise="",
        question=chosen("question", "a", QUESTIONS),
        settings=settings,
        must_survive=(),
        expect=None,
        history=history,
        summary=chosen("summarize", "a", SUMMARIES),
        archive_fails=archive == "fails",
        summarizer_fails="summarize" in names and draw(st.sampled_from([False, False, False, True])),
        receipt=chosen("receipt", "r", st.just("a receipt")),
    )
    return Input(scenario, wrong if wrong in ODD else None, archive == NO_RECEIPT)


def _moved(length: int, more: int) -> int:
    return max(1, length + more)


@st.composite
def histories(draw: st.DrawFn, faulty: bool = False) -> History:
    """Generate a history of 0 to 5 exchanges, with one thing wrong if it is to be faulty."""
    history: History = [{"role": "user", "content": draw(QUESTIONS)}]
    number = 0
    for results, with_text, turned in draw(st.lists(EXCHANGES, min_size=1 if faulty else 0, max_size=5)):
        ids = [f"c{number + at}" for at in range(1, len(results) + 1)]
        number += len(ids)
        calls = [{"type": "tool_use", "id": one, "name": "read", "input": {"path": "a"}} for one in ids]
        answers = [
            {"type": "tool_result", "tool_use_id": one, "content": text, "is_error": is_error}
            for one, (text, is_error) in zip(ids, results, strict=True)
        ]
        said = [{"type": "text", "text": "a"}] if with_text else []
        history.append({"role": "assistant", "content": [*said, *calls]})
        history.append({"role": "user", "content": answers[::-1] if turned else answers})
    if faulty:
        fault = draw(st.sampled_from(FAULTS))
        fault(history, draw(st.sampled_from(range(1, len(history), 2))))
    return history


# What can be wrong with the exchange that begins at a message.


def _open(history: History, _at: int) -> None:
    del history[-1]


def _foreign_id(history: History, at: int) -> None:
    history[at + 1]["content"][0]["tool_use_id"] = "other"


def _missing_result(history: History, at: int) -> None:
    del history[at + 1]["content"][0]


def _repeated_result(history: History, at: int) -> None:
    history[at + 1]["content"].append(dict(history[at + 1]["content"][0]))


def _repeated_call(history: History, at: int) -> None:
    history[at]["content"].append(dict(history[at]["content"][-1]))


def _foreign_block(history: History, at: int) -> None:
    history[at]["content"].insert(0, {"type": "image", "source": {}})


def _turned_roles(history: History, at: int) -> None:
    history[at], history[at + 1] = history[at + 1], history[at]


FAULTS = (
    _open,
    _foreign_id,
    _missing_result,
    _repeated_result,
    _repeated_call,
    _foreign_block,
    _turned_roles,
)


def _result_texts(history: History) -> list[str]:
    blocks: list[Block] = [block for message in history[1:] for block in message["content"]]
    return [block["content"] for block in blocks if block["type"] == "tool_result"]

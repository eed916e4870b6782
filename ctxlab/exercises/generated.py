"""Generated inputs: sound ones, and such with one thing or two wrong in them.

The first of several choices is the plain one, since that is where hypothesis shrinks to.
"""

from collections.abc import Container, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial, reduce
from typing import Any, NamedTuple

from hypothesis import strategies as st

from ctxlab.exercises.inputs import GENERATED, History, Input
from ctxlab.exercises.stand_ins import OUTCOMES, PREPARES
from ctxlab.reference import count_request, history_bytes, trim_results
from ctxlab.reference.counting import MAX_OUTPUT, PER_MESSAGE, WINDOW
from ctxlab.reference.history import MAX_KEEP_RECENT, MAX_SUMMARY_CHARS, MIN_BUDGET, result_marker
from ctxlab.scenarios import Scenario
from ctxlab.scenarios.fields import Settings
from ctxlab.scenarios.stand_ins import count_tokens

Block = dict[str, Any]

# What can be wrong: the name "history", a setting or a stand-in, and the fault or the value that makes it so.
Wrong = tuple[str, Any]


class MarkerLength(NamedTuple):
    """The length of the marker that may take the place of a text, and so many characters more."""

    more: int


# What a text is made of: one character of 1 to 4 bytes, or one that JSON escapes.
PIECES = st.sampled_from(["a", "é", "漢", "😀", '"', "\n"])

# Lengths: short; that of the marker and beside it; about the usual limit of 600; long.
LENGTHS = (
    st.integers(0, 3)
    | st.integers(-1, 1).map(MarkerLength)
    | st.integers(599, 601)
    | st.sampled_from([1200, 2400])
)

QUESTIONS = st.sampled_from(["a", "漢字?", "Who?\nMe.", "Check it. " * 30])
RESULTS = st.tuples(PIECES, LENGTHS, st.booleans())  # the text, and whether it is marked as an error

# The results of one exchange; a text block before its calls; its results in the opposite order.
EXCHANGES = st.tuples(st.lists(RESULTS, min_size=1, max_size=3), st.booleans(), st.booleans())

SYSTEMS = st.sampled_from(["a", "Be brief. " * 20, "漢字"])
DEFINITIONS = st.lists(
    st.sampled_from([{"name": "a"}, {"name": "read", "input_schema": {"type": "object"}}, {"name": "漢字"}]),
    max_size=2,
).map(tuple)

SUMMARIES = st.sampled_from(["a", "a" * MAX_SUMMARY_CHARS, "漢" * 50, " a\n"])

MOST_TOKENS = 100_000  # more than any of these histories has

FAILS = st.sampled_from([False, False, False, True])

# An answer without a call has a text.
CALLS = st.lists(st.sampled_from(list(OUTCOMES)), max_size=3)
ANSWERS = st.tuples(CALLS, st.integers(0, 2)).map(
    lambda drawn: (*["text"] * (drawn[1] if drawn[0] else max(drawn[1], 1)), *drawn[0])
)


@st.composite
def inputs(draw: st.DrawFn, names: Container[str], wrong: Sequence[Wrong] = ()) -> Input:
    """Generate an input for a function with these parameters: a sound one, or one with `wrong` in it.

    What the function does not take stays as usual.
    """
    broken = sum(name == "history" for name, _ in wrong)
    given = Input(
        draw(scenarios(names, broken)),
        prepare=draw(st.sampled_from(list(PREPARES))) if "prepare" in names else "",
        answer=draw(ANSWERS) if "ask" in names else Input.answer,
    )
    # With two faults in a history, the second one is in its last exchange.
    places = range(1, len(given.scenario.history) - 2 * max(broken - 1, 0), 2)
    at = draw(st.sampled_from(places)) if broken else 0
    spoilt = partial(_spoilt, at=at)
    alone = tuple(spoilt(given, each) for each in wrong) if len(wrong) > 1 else ()
    return replace(reduce(spoilt, wrong, given), alone=alone)


@st.composite
def scenarios(draw: st.DrawFn, names: Container[str], least: int = 0) -> Scenario:
    """Generate a sound scenario with at least so many exchanges."""

    def chosen(name: str, usual: Any, others: st.SearchStrategy[Any]) -> Any:
        return draw(st.just(usual) | others) if name in names else usual

    receipt = chosen("receipt", "r", st.just("a receipt"))
    history = draw(histories(least, receipt))
    lengths = [len(text) for text in _result_texts(history)] or [1]
    near_a_length = st.builds(_moved, st.sampled_from(lengths), st.integers(-1, 1))
    keep_recent = chosen("keep_recent", 1, st.integers(1, MAX_KEEP_RECENT))
    size = history_bytes(history)
    sizes = [size, history_bytes(trim_results(history, receipt, keep_recent))]
    near_a_size = st.builds(_moved, st.sampled_from(sizes), st.integers(-1, 1), st.just(MIN_BUDGET))
    # Not a number of its own: where the history gets smaller, the budget follows.
    below_the_size = st.integers(10, 99).map(lambda percent: max(MIN_BUDGET, size * percent // 100))
    system, definitions = chosen("system", "", SYSTEMS), chosen("tool_definitions", (), DEFINITIONS)
    max_output = chosen("max_output", MAX_OUTPUT, st.sampled_from([0, 1, 100]))
    per_message = chosen("per_message", PER_MESSAGE, st.integers(0, 3))
    window = WINDOW
    if "window" in names:
        request = count_request(
            history,
            count_tokens,
            system=system,
            tool_definitions=definitions,
            window=MOST_TOKENS,
            max_output=max_output,
            per_message=per_message,
        )
        filled = request["total"] + max_output
        window = draw(st.just(filled + 1000) | st.builds(_moved, st.just(filled), st.integers(-1, 1)))
    settings = Settings.model_construct(
        keep_recent=keep_recent,
        max_chars=chosen("max_chars", 600, near_a_length | st.sampled_from([1, 100])),
        budget=chosen("budget", 3200, near_a_size | near_a_size | below_the_size),
        max_summaries=chosen("state", 2, st.integers(0, 1)),
        window=window,
        max_output=max_output,
        per_message=per_message,
    )
    return Scenario(
        name=GENERATED,
        promise="",
        question=chosen("question", "a", QUESTIONS),
        settings=settings,
        must_survive=(),
        expect=None,
        history=history,
        summary=chosen("summarize", "a", SUMMARIES),
        archive_fails="archive" in names and draw(FAILS),
        summarizer_fails="summarize" in names and draw(FAILS),
        receipt=receipt,
        # Up to the limit, and past it: a limit may be lowered.
        summaries=chosen("state", 0, st.integers(0, settings.max_summaries + 1)),
        archives=chosen("state", (), st.sampled_from([("s1",), ("s1", "s2")])),
        system=system,
        tool_definitions=definitions,
    )


def _moved(number: int, more: int, least: int = 1) -> int:
    return max(least, number + more)


@st.composite
def histories(draw: st.DrawFn, least: int = 0, receipt: str = "r") -> History:
    """Generate a sound history of 0 to 5 exchanges, and of at least so many.

    `receipt` is the one that would stand in the marker of a trimmed text.
    """
    history: History = [{"role": "user", "content": draw(QUESTIONS)}]
    number = 0
    for results, with_text, turned in draw(st.lists(EXCHANGES, min_size=least, max_size=5)):
        ids = [f"c{number + at}" for at in range(1, len(results) + 1)]
        number += len(ids)
        calls = [{"type": "tool_use", "id": one, "name": "read", "input": {"path": "a"}} for one in ids]
        said = [{"type": "text", "text": "a"}] if with_text else []
        history.append({"role": "assistant", "content": [*said, *calls]})
        answered = list(zip(ids, results, strict=True))
        answers = [
            {
                "type": "tool_result",
                "tool_use_id": one,
                "content": piece * _in_characters(length, result_marker(receipt, len(history), at, one)),
                "is_error": is_error,
            }
            for at, (one, (piece, length, is_error)) in enumerate(answered[::-1] if turned else answered)
        ]
        history.append({"role": "user", "content": answers})
    return history


def _in_characters(length: int | MarkerLength, marker: str) -> int:
    return len(marker) + length.more if isinstance(length, MarkerLength) else length


def _result_texts(history: History) -> list[str]:
    blocks: list[Block] = [block for message in history[1:] for block in message["content"]]
    return [block["content"] for block in blocks if block["type"] == "tool_result"]


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


BROKEN_PAIRS = (
    _foreign_id,
    _missing_result,
    _repeated_result,
    _repeated_call,
    _foreign_block,
    _turned_roles,
)
FAULTS = (_open, *BROKEN_PAIRS)

# What a function may refuse, or may trust its caller to leave.
ODD: dict[str, tuple[Any, ...]] = {
    "history": FAULTS,
    "keep_recent": (0, MAX_KEEP_RECENT + 1, True),
    "max_chars": (0, True),
    "budget": (0, MIN_BUDGET - 1),
    "receipt": ("", " "),
    "question": ("", " "),
    "archive": ("",),
    "summarize": ("", " \n", "a" * (MAX_SUMMARY_CHARS + 1), None, b"a", 7),
}

# Of these, a task may say which comes first: a history that is bad, or what follows.
IN_ORDER = ("receipt", "archive", "summarize")


def suspects(names: Container[str]) -> list[Wrong]:
    """Return each thing that can be wrong in an input for a function with these parameters."""
    taken = [name for name in ODD if name == "history" or name in names]
    return [(name, value) for name in taken for value in ODD[name]]


def twice_wrong(names: Container[str]) -> list[st.SearchStrategy[Input]]:
    """Return strategies for inputs with a broken pair, and one more thing wrong: another in each of them."""
    others = [("history", _open), *(each for each in suspects(names) if each[0] in IN_ORDER)]
    return [_with_a_broken_pair(names, other) for other in others]


@st.composite
def _with_a_broken_pair(draw: st.DrawFn, names: Container[str], other: Wrong) -> Input:
    return draw(inputs(names, (("history", draw(st.sampled_from(BROKEN_PAIRS))), other)))


def _spoilt(given: Input, wrong: Wrong, at: int) -> Input:
    """Return an input with one more thing wrong in it; in a history, in the exchange that begins at `at`."""
    name, value = wrong
    scenario = given.scenario
    settings = scenario.settings
    if name == "history":
        history = deepcopy(scenario.history)
        value(history, at)
        return replace(given, scenario=replace(scenario, history=history))
    match name:
        case "archive":
            scenario = replace(scenario, archive_fails=False)
        case "summarize":
            # It has to be asked, and to answer.
            scenario = replace(scenario, summary=value, summarizer_fails=False, summaries=0)
            scenario = replace(scenario, settings=settings.model_copy(update={"max_summaries": 2}))
        case "receipt" | "question":
            scenario = replace(scenario, **{name: value})
        case _:
            scenario = replace(scenario, settings=settings.model_copy(update={name: value}))
    return replace(given, scenario=scenario, odd=name, no_receipt=name == "archive")

"""How a list changes: in one step, or in several, and in which lines."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.exercises.in_steps import Steps, watched
from ctxlab.exercises.plain import plain_value

Change = Callable[[list[Any]], None]


def elsewhere(values: list[Any]) -> None:
    """Two steps, in one call."""
    values.append(1)
    values.append(2)


def seen(change: Change) -> tuple[Steps, list[int]]:
    """What is seen of a change to [0], and its lines, counted from that of its def."""
    values: list[Any] = [0]
    with watched(values, globals()) as steps:
        change(values)
    assert plain_value(values) == steps.states[-1]
    return steps, [line - change.__code__.co_firstlineno for line in steps.lines]


def assigns(values: list[Any]) -> None:
    values[:] = [1, 2]


def extends(values: list[Any]) -> None:
    values += [1, 2]


def clears_and_extends(values: list[Any]) -> None:
    values.clear()
    values.extend([1, 2])


def on_one_line(values: list[Any]) -> None:
    _ = values.clear(), values.extend([1, 2])


def loops(values: list[Any]) -> None:
    for number in (1, 2, 3):
        values.append(number)


def writes_into_a_part(values: list[Any]) -> None:
    values[0] = {"a": 1}
    values[0]["a"] = 2


def calls_another(values: list[Any]) -> None:
    elsewhere(values)


@pytest.mark.parametrize("change", [assigns, extends])
def test_one_step_has_nothing_in_between(change: Change) -> None:
    steps, lines = seen(change)
    assert (steps.between, lines) == (None, [1])


@pytest.mark.parametrize(
    ("change", "between", "lines"),
    [
        (clears_and_extends, [], [1, 2]),
        (on_one_line, [], [1, 1]),
        (loops, [0, 1], [2, 2, 2]),
        (writes_into_a_part, [{"a": 1}], [1, 2]),
    ],
)
def test_several_steps(change: Change, between: Any, lines: list[int]) -> None:
    steps, found = seen(change)
    assert (steps.between, found) == (between, lines)


def test_a_function_of_the_same_file_is_watched_too() -> None:
    steps, _ = seen(calls_another)
    first = elsewhere.__code__.co_firstlineno
    assert (steps.between, steps.lines) == ([0, 1], [first + 2, first + 3])


def test_one_of_another_file_is_one_step() -> None:
    namespace: dict[str, Any] = {}
    exec("def change(values):\n    values.append(1)\n    values.append(2)\n", namespace)

    def calls(values: list[Any]) -> None:
        namespace["change"](values)

    steps, lines = seen(calls)
    assert (steps.between, lines) == (None, [1])


def test_the_trace_function_is_as_before_also_when_the_code_raises() -> None:
    before = sys.gettrace()
    with pytest.raises(KeyError), watched([], globals()):
        raise KeyError
    assert sys.gettrace() is before

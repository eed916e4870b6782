"""Slips in a function's own lines that it catches itself."""

import sys
from copy import deepcopy
from typing import Any

import pytest

from ctxlab.exercises.swallowed import slips


def noted(line: str) -> list[str]:
    """The slips of a function whose first line, line 3 of its file, is this one, in a try."""
    text = f"def function(given):\n    try:\n        {line}\n    except Exception:\n        pass\n"
    namespace: dict[str, Any] = {"deepcopy": deepcopy, "outer": outer}
    exec(text, namespace)
    with slips(namespace) as found:
        namespace["function"](7)
    return found


def outer() -> None:
    raise TypeError("an affair of outer")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("deepcopy(gven)", "NameError: name 'gven' is not defined"),
        ("given += late; late = 1", "UnboundLocalError: cannot access local variable 'late'"),
        ("given.clear()", "AttributeError: 'int' object has no attribute 'clear'"),
        ("given[0]", "TypeError: 'int' object is not subscriptable"),
        ("deepcopy()", "TypeError: deepcopy() missing 1 required positional argument: 'x'"),
        ("from copy import nothing", "ImportError: cannot import name 'nothing'"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("[gven for _ in 'a']", "NameError: name 'gven' is not defined"),
    ],
)
def test_are_noted_with_line_and_words(line: str, said: str) -> None:
    (found,) = noted(line)
    assert found.startswith(f"Line 3 raised {said}")


@pytest.mark.parametrize(
    "line",
    [
        "raise TypeError('meant')",
        "outer()",
        "deepcopy(each for each in 'a')",
        "{}['a']",
        "int('a')",
        "open('no such file')",
        "given + 1",
    ],
)
def test_what_is_meant_or_comes_from_elsewhere_is_not(line: str) -> None:
    assert noted(line) == []


def test_the_trace_function_is_as_before() -> None:
    before = sys.gettrace()
    with pytest.raises(NameError), slips(globals()):
        raise NameError
    assert sys.gettrace() is before

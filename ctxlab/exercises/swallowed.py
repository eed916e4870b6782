"""Mistakes in a function's own lines that an `except` of its own catches, so that nobody hears of them."""

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dis import opmap
from typing import Any

from ctxlab.exercises.guard import MOST_MESSAGE
from ctxlab.messages.wording import visible

# What Python raises for a slip in the code itself. No type that a learner made is among them.
SLIPS = (NameError, UnboundLocalError, AttributeError, TypeError, ImportError, ModuleNotFoundError)
RAISE = opmap["RAISE_VARARGS"]


@contextmanager
def slips(namespace: dict[str, Any]) -> Iterator[list[str]]:
    """Note each slip while code runs: "Line 4 raised NameError: ...", for the lines with these globals.

    What a called function raises is that function's affair, and what a `raise` raises is meant.
    """
    found: list[str] = []

    def look(frame: types.FrameType, event: str, value: Any) -> Any:
        if event == "exception":
            kind, error, traceback = value
            raised_here = traceback.tb_next is None and frame.f_code.co_code[traceback.tb_lasti] != RAISE
            if raised_here and kind in SLIPS:
                message = visible(str(error)[:MOST_MESSAGE])
                found.append(f"Line {traceback.tb_lineno} raised {kind.__name__}: {message}")
        return look

    def enter(frame: types.FrameType, _event: str, _value: Any) -> Any:
        return look if frame.f_globals is namespace else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield found
    finally:
        sys.settrace(before)

"""How a list changes while a function works on it: in one step, or by way of something in between."""

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from operator import is_
from typing import Any

from ctxlab.exercises.plain import plain_value, same


class Steps:
    """What a list has been, as plain values: as it was, and after each change that was seen.

    `lines` holds the line that was running at each change, as the function's file or cell numbers it.
    """

    def __init__(self, values: list[Any]) -> None:
        self._values = values
        self._items = list(values)
        self.states = [plain_value(values)]
        self.lines: list[int] = []
        self._line = 0

    @property
    def between(self) -> Any:
        """What the list was between its first change and its last one; None if that was one change."""
        return self.states[1] if len(self.states) > 2 else None

    def look(self, frame: types.FrameType, event: str, _value: Any) -> Any:
        """Look at the list, as a local trace function."""
        # Between two lines it is enough to see whether items came or went: that takes no time.
        if event != "opcode" or len(self._values) != len(self._items) or not self._same_items():
            state = plain_value(self._values)
            if not same(state, self.states[-1]):
                self.states.append(state)
                self.lines.append(self._line)
            self._items = list(self._values)
        self._line = frame.f_lineno  # what comes next; what was seen now is from before
        return self.look

    def _same_items(self) -> bool:
        return all(map(is_, self._values, self._items))


@contextmanager
def watched(values: list[Any], namespace: dict[str, Any]) -> Iterator[Steps]:
    """Watch a list while code runs. It is looked at around each operation of code with these globals."""
    steps = Steps(values)

    def enter(frame: types.FrameType, _event: str, _value: Any) -> Any:
        if frame.f_globals is not namespace:
            return None
        frame.f_trace_opcodes = True
        return steps.look

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield steps
    finally:
        sys.settrace(before)

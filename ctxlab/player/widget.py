"""The player: a widget that replays a trace, step by step, forwards and backwards."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ctxlab.errors import CtxlabError
from ctxlab.player.export import save_page
from ctxlab.player.payload import payload
from ctxlab.player.static import static_html
from ctxlab.tracer.tables import title
from ctxlab.tracer.traces import Trace

FOLDER = Path(__file__).parent


class Player(anywidget.AnyWidget):
    """Replays `trace`. `at` is the step it opens at (negative counts from the end), `breakpoints` are source lines.

    In a notebook it is live; where no kernel runs, the same trace shows as static HTML or as text.
    """

    _esm = FOLDER / "player.js"
    _css = FOLDER / "player.css"

    trace = traitlets.Dict().tag(sync=True)
    clipped = traitlets.Dict().tag(sync=True)
    cards = traitlets.List().tag(sync=True)
    encoding = traitlets.Unicode().tag(sync=True)
    heading = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    breakpoints = traitlets.List().tag(sync=True)

    def __init__(self, trace: Trace, *, at: int | None = None, breakpoints: Iterable[int] = ()) -> None:
        if not isinstance(trace, Trace):
            raise CtxlabError(f"Player needs a Trace, not {type(trace).__name__}; make one with ctxlab.trace(...)")
        super().__init__()
        self.recorded = trace
        self.show(trace, at=at, breakpoints=breakpoints)

    def show(self, trace: Trace, *, at: int | None = None, breakpoints: Iterable[int] = ()) -> None:
        """Replay another trace in the same place. Its breakpoints take the place of those set before."""
        last = len(trace.data["steps"]["place"]) - 1
        step = 0 if at is None else at if at >= 0 else last + 1 + at
        points = [_breakpoint(trace, line) for line in breakpoints]
        if not 0 <= step <= max(0, last):
            raise CtxlabError(f"at is {at}; this trace has the steps 0 to {last}")
        self.recorded = trace
        state = payload(trace)
        # The page takes the trace as the sign that everything has arrived, so it comes last.
        with self.hold_sync():
            for name in ("clipped", "cards", "encoding", "heading"):
                setattr(self, name, state[name])
            self.step = step
            self.breakpoints = points
            self.trace = state["trace"]

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page to `path` that replays the trace from this step, with no network and no kernel."""
        save_page(path, self.recorded, self.step, self.breakpoints)

    def __repr__(self) -> str:
        return f"<Player of {title(self.recorded)}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        data, metadata = super()._repr_mimebundle_(**options)
        data["text/html"] = static_html(self.recorded)
        data["text/plain"] = self.recorded.text()
        return data, metadata


def _breakpoint(trace: Trace, line: int) -> list[int]:
    """Return (source, line) of a breakpoint, given its line in the file."""
    for index, source in enumerate(trace.data["sources"]):
        if source["first_line"] <= line < source["first_line"] + len(source["text"].splitlines()):
            return [index, line]
    raise CtxlabError(f"no traced function has a line {line}")

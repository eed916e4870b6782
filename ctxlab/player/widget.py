"""The player: a widget that replays a trace, step by step, forwards and backwards."""

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ctxlab.errors import CtxlabError
from ctxlab.messages.wording import shown
from ctxlab.player.export import save_page
from ctxlab.player.module import joined_module
from ctxlab.player.payload import payload
from ctxlab.player.static import static_html
from ctxlab.tracer.tables import title
from ctxlab.tracer.traces import Trace

FOLDER = Path(__file__).parent
SURROGATE = re.compile("[\ud800-\udfff]")


class Player(anywidget.AnyWidget):
    """Replays `trace`, opened at step `at` (negative counts from the end). `breakpoints` are lines of a file.

    In a notebook it is live; where no kernel runs, the same trace shows as static HTML or as text.
    """

    _esm = joined_module()
    _css = FOLDER / "player.css"

    trace: "traitlets.Dict[str, Any]" = traitlets.Dict().tag(sync=True)
    clipped: "traitlets.Dict[str, int]" = traitlets.Dict().tag(sync=True)
    cards: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    encoding = traitlets.Unicode().tag(sync=True)
    heading: "traitlets.Dict[str, Any]" = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    breakpoints: "traitlets.List[list[int]]" = traitlets.List().tag(sync=True)

    def __init__(self, trace: Trace, *, at: int | None = None, breakpoints: Iterable[int] = ()) -> None:
        opening = _opening(trace, at, breakpoints)
        super().__init__()
        self._show(trace, *opening)

    def show(self, trace: Trace, *, at: int | None = None, breakpoints: Iterable[int] = ()) -> None:
        """Replay another trace in the same place. Its breakpoints take the place of those set before."""
        self._show(trace, *_opening(trace, at, breakpoints))

    def _show(self, trace: Trace, step: int, breakpoints: list[list[int]]) -> None:
        self.recorded = trace
        state = _sendable(payload(trace))
        # One message, so that the page never shows parts of two traces.
        with self.hold_sync():
            for name, value in state.items():
                setattr(self, name, value)
            self.step = step
            self.breakpoints = breakpoints

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page to `path` that replays the trace from this step, with no network and no kernel."""
        save_page(path, self.recorded, self.step, self.breakpoints)

    def __repr__(self) -> str:
        return f"<Player of {title(self.recorded)}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        assert bundle is not None, "only a widget without a view has none"
        data, metadata = bundle
        data["text/html"] = static_html(self.recorded)
        data["text/plain"] = self.recorded.text()
        return data, metadata


def _opening(trace: Trace, at: int | None, breakpoints: Iterable[int]) -> tuple[int, list[list[int]]]:
    """Return the step to open at, and the breakpoints as (source, line), or raise CtxlabError."""
    if not isinstance(trace, Trace):
        raise CtxlabError(
            f"Player needs a Trace, not {type(trace).__name__}; make one with ctxlab.trace(...)"
        )
    count = len(trace.data["steps"]["place"])
    if at is not None and (type(at) is not int or not -count <= at < count):
        raise CtxlabError(f"at is {shown(at)}; this trace has the steps 0 to {count - 1}, or -{count} to -1")
    if not isinstance(breakpoints, Iterable):
        raise CtxlabError(f"breakpoints is {shown(breakpoints)}; give a list of source lines")
    return range(count)[at or 0] if count else 0, [_breakpoint(trace, line) for line in breakpoints]


def _breakpoint(trace: Trace, line: Any) -> list[int]:
    """Return (source, line) of a breakpoint, given its line in the file. The entry function comes first."""
    extents = []
    for index, source in enumerate(trace.data["sources"]):
        last = source["first_line"] + len(source["text"].splitlines()) - 1
        if type(line) is int and source["first_line"] <= line <= last:
            return [index, line]
        extents.append(f"{source['name']} has {source['first_line']} to {last}")
    raise CtxlabError(f"no traced function has a line {shown(line)}; {', '.join(extents)}")


def _sendable(state: dict[str, Any]) -> dict[str, Any]:
    """Return `state` as a kernel can send it: in UTF-8, which has no lone surrogates."""
    text = json.dumps(state, ensure_ascii=False)
    if not SURROGATE.search(text):
        return state
    sendable: dict[str, Any] = json.loads(SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))
    return sendable

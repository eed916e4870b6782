"""The player: a widget that replays a trace, step by step, forwards and backwards."""

import os
from collections.abc import Iterable
from html import escape
from typing import Any

import anywidget
import traitlets

from ctxlab.errors import CtxlabError
from ctxlab.messages.wording import shown
from ctxlab.player.export import save_page
from ctxlab.player.module import joined_module
from ctxlab.player.payload import payload
from ctxlab.player.question_faces import gated_title, nothing_asked, question_html, question_text
from ctxlab.player.questions import checked_ask
from ctxlab.player.sending import sendable
from ctxlab.player.sheets import joined_sheets
from ctxlab.player.static import static_html
from ctxlab.tracer.tables import title
from ctxlab.tracer.traces import Trace


class Player(anywidget.AnyWidget):
    """Replays `trace`, opened at step `at` (negative counts from the end). `breakpoints` are lines of a file.

    `predict` has the reader predict first. With "decisions" (or True) the player stops before each decision
    of the traced function and asks for its answer; with "outcome" it asks how the run ends, with "messages"
    which messages do not come out as they are, both with a reason and before it shows anything of the run.
    `predictions` then holds the answers: ask, step, answer ("yes", "no", an option, or positions), reason,
    tries, and whether it was right.

    In a notebook it is live; where no kernel runs, the same trace shows as static HTML or as text. It shows
    every text of the run, secrets too: nothing leaves the notebook but with the notebook itself.
    """

    _esm = joined_module()
    _css = joined_sheets("player.css")

    trace: "traitlets.Dict[str, Any]" = traitlets.Dict().tag(sync=True)
    clipped: "traitlets.Dict[str, int]" = traitlets.Dict().tag(sync=True)
    cards: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    encoding = traitlets.Unicode().tag(sync=True)
    heading: "traitlets.Dict[str, Any]" = traitlets.Dict().tag(sync=True)
    maps: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    questions: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    findings: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    diagnosed: "traitlets.List[list[int]]" = traitlets.List().tag(sync=True)
    predict = traitlets.Unicode().tag(sync=True)
    predictions: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    breakpoints: "traitlets.List[list[int]]" = traitlets.List().tag(sync=True)

    def __init__(
        self,
        trace: Trace,
        *,
        at: int | None = None,
        breakpoints: Iterable[int] = (),
        predict: bool | str = False,
    ) -> None:
        opening = _opening(trace, at, breakpoints)
        ask = checked_ask(trace, predict)
        super().__init__()
        self._show(trace, *opening, ask)

    def show(
        self,
        trace: Trace,
        *,
        at: int | None = None,
        breakpoints: Iterable[int] = (),
        predict: bool | str = False,
    ) -> None:
        """Replay another trace in the same place. Breakpoints and predictions made before are dropped."""
        self._show(trace, *_opening(trace, at, breakpoints), checked_ask(trace, predict))

    def _show(self, trace: Trace, step: int, breakpoints: list[list[int]], ask: str) -> None:
        self.recorded = trace
        state = sendable(payload(trace, ask))
        # One message, so that the page never shows parts of two traces.
        with self.hold_sync():
            for name, value in state.items():
                setattr(self, name, value)
            self.predict = ask
            self.predictions = []
            self.step = step
            self.breakpoints = breakpoints

    def save_html(self, path: str | os.PathLike[str], secrets: str = "refuse") -> None:
        """Write a page to `path` that replays the trace from this step, with no network and no kernel.

        It asks what this player asks, and knows the predictions made so far. `secrets` is "refuse", "mask" or
        "keep", as for `Trace.save_html`.
        """
        save_page(path, self.recorded, self.step, self.breakpoints, self.predict, self.predictions, secrets)

    def __repr__(self) -> str:
        return f"<Player of {gated_title(self.recorded) if self.questions else title(self.recorded)}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        assert bundle is not None, "only a widget without a view has none"
        data, metadata = bundle
        if self.questions:
            data["text/html"] = question_html(self.recorded, self.questions[0])
            data["text/plain"] = question_text(self.recorded, self.questions[0])
        else:
            data["text/html"] = static_html(self.recorded)
            data["text/plain"] = self.recorded.text()
        if self.predict and not self.questions:
            said = nothing_asked(self.recorded)
            data["text/html"] = f"<p>{escape(said)}</p>{data['text/html']}"
            data["text/plain"] = f"{said}\n\n{data['text/plain']}"
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

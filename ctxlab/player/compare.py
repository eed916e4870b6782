"""Compare: a widget that shows two runs side by side, opened where they part."""

import dataclasses
import os
from typing import Any

import anywidget
import traitlets

from ctxlab.errors import CtxlabError
from ctxlab.messages.wording import shown
from ctxlab.player.comparison import Comparison
from ctxlab.player.comparison_faces import comparison_html, comparison_text, heading
from ctxlab.player.export import document, write_page
from ctxlab.player.masking import mask_for
from ctxlab.player.module import joined_module
from ctxlab.player.payload import payload
from ctxlab.player.sending import sendable
from ctxlab.player.sheets import joined_sheets
from ctxlab.tracer.tables import one_line
from ctxlab.tracer.traces import Trace

MODULE = "compare.js"
CSS = joined_sheets("player.css", "compare.css")
MOST_NAME_CHARS = 40


class Compare(anywidget.AnyWidget):
    """Shows the runs `left` and `right` side by side, opened where they part, or at the steps `at`.

    The two may be runs of one function with other settings, or of two functions. `names` are what the page
    calls them; `at` is a step of each, and a negative one counts from the end. Raises CtxlabError for what is
    no trace, no two different names, or no step. In a notebook every text shows, secrets too.
    """

    _esm = joined_module(MODULE)
    _css = CSS

    sides: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    names: "traitlets.List[str]" = traitlets.List().tag(sync=True)
    unlike: "traitlets.List[str]" = traitlets.List().tag(sync=True)
    lines: "traitlets.List[str]" = traitlets.List().tag(sync=True)
    pairs: "traitlets.List[list[int | None]]" = traitlets.List().tag(sync=True)
    verdicts: "traitlets.List[str]" = traitlets.List().tag(sync=True)
    stops: "traitlets.List[list[int]]" = traitlets.List().tag(sync=True)
    divergence: "traitlets.Dict[str, Any] | None" = traitlets.Dict(allow_none=True).tag(sync=True)
    steps: "traitlets.List[int]" = traitlets.List().tag(sync=True)

    def __init__(
        self,
        left: Trace,
        right: Trace,
        *,
        names: tuple[str, str] = ("left", "right"),
        at: tuple[int, int] | None = None,
    ) -> None:
        for trace in (left, right):
            if not isinstance(trace, Trace):
                raise CtxlabError(
                    f"Compare needs two traces, not {type(trace).__name__}; make one with ctxlab.trace(...)"
                )
        compared = Comparison(left, right, _checked_names(names))
        steps = compared.opening if at is None else _checked_steps(compared, at)
        super().__init__()
        self.compared = compared
        state = sendable(_state(compared, [payload(trace) for trace in (left, right)]))
        with self.hold_sync():
            for name, value in state.items():
                setattr(self, name, value)
            self.steps = list(steps)

    def save_html(self, path: str | os.PathLike[str], secrets: str = "refuse") -> None:
        """Write a page to `path` that shows both runs at these steps, with no network and no kernel.

        `secrets` is "refuse", "mask" or "keep", as for `Trace.save_html`.
        """
        compared = self.compared
        traces = [compared.left, compared.right]
        mask = mask_for(secrets, traces, {"names": list(compared.names)})
        sides = [payload(trace, mask=mask) for trace in traces]
        if mask is not None:
            left, right = map(mask.text, compared.names)
            compared = Comparison(mask.trace(compared.left), mask.trace(compared.right), (left, right))
        state = {**_state(compared, sides), "steps": self.steps}
        static = comparison_html(compared)
        write_page(path, document(heading(compared), static, state, joined_module(MODULE), CSS))

    def __repr__(self) -> str:
        return f"<Compare of {heading(self.compared)}: {self.compared.lines[0]}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        assert bundle is not None, "only a widget without a view has none"
        data, metadata = bundle
        data["text/html"] = comparison_html(self.compared)
        data["text/plain"] = comparison_text(self.compared)
        return data, metadata


def _state(compared: Comparison, sides: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the page needs, but for the steps. `sides` are the payloads of the two runs."""
    parted = compared.divergence
    return {
        "sides": [_side(compared, side) for side in sides],
        "names": list(compared.names),
        "unlike": compared.unlike,
        "lines": compared.lines,
        "pairs": [list(pair) for pair in compared.pairs],
        "verdicts": compared.verdicts,
        "stops": [list(stop) for stop in compared.stops],
        "divergence": parted and {**dataclasses.asdict(parted), "row": compared.first_difference},
    }


def _side(compared: Comparison, side: dict[str, Any]) -> dict[str, Any]:
    """Return the payload of a player, with a mark on each setting that differs."""
    settings = [[name, words, name in compared.settings] for name, words in side["heading"]["settings"]]
    return {**side, "heading": {**side["heading"], "promise": "", "settings": settings}}


def _checked_names(names: Any) -> tuple[str, str]:
    """Return the two names, each in one line."""
    given = list(names) if isinstance(names, (list, tuple)) else []
    if len(given) == 2 and all(isinstance(name, str) and name.strip() for name in given):
        left, right = (one_line(name, MOST_NAME_CHARS) for name in given)
        if left != right:
            return left, right
    raise CtxlabError(f"names is {shown(names)}; give two different texts, such as ('reference', 'mine')")


def _checked_steps(compared: Comparison, at: Any) -> tuple[int, int]:
    """Return the steps to open at, counted from the start."""
    counts = [len(trace.data["steps"]["place"]) for trace in (compared.left, compared.right)]
    given = list(at) if isinstance(at, (list, tuple)) else []
    if len(given) == 2 and all(
        type(step) is int and -count <= step < count for step, count in zip(given, counts, strict=True)
    ):
        left, right = (step % count for step, count in zip(given, counts, strict=True))
        return left, right
    has = (f"{name} has 0 to {count - 1}" for name, count in zip(compared.names, counts, strict=True))
    raise CtxlabError(f"at is {shown(at)}; give a step of each run, as in at=(3, 5): {', '.join(has)}")

"""What comes of a check, as text, as HTML, and in a notebook with a button that opens both runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib import import_module
from itertools import groupby
from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.tracer.traces import Trace

NAMES = ("reference", "yours")

PARAGRAPH = 'style="margin:4px 0;max-width:46em"'
BLOCK = 'style="margin:2px 0 6px;white-space:pre-wrap;overflow-wrap:break-word"'


@dataclass(frozen=True, repr=False)
class Verdict:
    """What came of a check.

    name     the exercise
    kind     passed, not_written, differs, changes_input, in_steps, lends, shares, shares_history, never_ends,
             exits, error, wrong_signature, or too_slow
    lines    the verdict in words; an indented line belongs to the one above it
    message  what is said to whoever makes this mistake, if it is a known one; else ""
    runs     the traces of solution and function on the input, if it failed and both can be traced
    """

    name: str
    kind: str
    lines: tuple[str, ...]
    message: str = ""
    runs: tuple[Trace, Trace] | None = None

    @property
    def passed(self) -> bool:
        """Whether the function does what the exercise asks for."""
        return self.kind == "passed"

    def compare(self) -> Any:
        """Return a `Compare` of both runs, opened where they part. Raises CtxlabError if there are none."""
        if self.runs is None:
            raise CtxlabError(f"{self.name}: there are no two runs to compare")
        # Looked up when it is asked for: widgets take long to import.
        return import_module("ctxlab.player.compare").Compare(*self.runs, names=NAMES)

    def text(self) -> str:
        """Return the verdict as text. Where there are two runs, it says how to see them."""
        hint = f'In a notebook, check("{self.name}", {self.name}).compare() shows both runs.'
        return "\n".join([*self.lines, hint] if self.runs else self.lines)

    def html(self) -> str:
        """Return the verdict as HTML without scripts."""
        style = f"border-left:4px solid {self._mark[1]};padding:2px 14px"
        return f'<div style="{style}">{"".join(self._parts())}</div>'

    @property
    def _mark(self) -> tuple[str, str]:
        """A sign for the verdict, and a colour that fits any theme."""
        if self.passed:
            return "✓", "#2da44e"
        return ("…", "#8c959f") if self.kind == "not_written" else ("✗", "#cf222e")

    def _parts(self) -> Iterator[str]:
        heading, *rest = self.lines
        yield f"<p {PARAGRAPH}><strong>{self._mark[0]} {escape(heading)}</strong></p>"
        for indented, lines in groupby(rest, lambda line: line.startswith(" ")):
            if indented:
                yield f"<pre {BLOCK}>{escape(chr(10).join(lines))}</pre>"
            else:
                yield from (f"<p {PARAGRAPH}>{escape(line)}</p>" for line in lines)

    def __repr__(self) -> str:
        return self.text()

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        live = self.view._repr_mimebundle_() if self.runs else {}
        return {**live, "text/html": self.html(), "text/plain": self.text()}

    @cached_property
    def view(self) -> Any:
        """The verdict with a button that shows both runs below it."""
        import ipywidgets  # type: ignore[import-untyped]

        words = ipywidgets.HTML(self.html())
        button = ipywidgets.Button(
            # The learner should know beforehand: the other run is that of a solution.
            description="Open both runs (shows a solution)",
            button_style="primary",
            layout={"width": "max-content"},
        )
        view = ipywidgets.VBox([words, button])

        def open_runs(_button: Any) -> None:
            button.disabled = True
            view.children = [words, button, self.compare()]

        button.on_click(open_runs)
        return view

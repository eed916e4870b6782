"""The controls of a lab: which function, which history, which settings."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from ctxlab.player.histories import OwnHistory
from ctxlab.player.runs import Subject
from ctxlab.player.upload import Upload

LABELS = {
    "budget": "budget (bytes)",
    "keep_recent": "keep_recent (exchanges)",
    "max_chars": "max_chars (characters)",
    "max_summaries": "summaries left",
    "window": "window (tokens)",
    "max_output": "max_output (tokens)",
    "per_message": "per_message (tokens)",
}


class Controls:
    """Buttons, an upload, a field for each setting, and words below them.

    The callables tell what the reader has chosen: a function, the name of a history, a file, a value for a
    setting, or the scenario's own settings. What the lab itself sets with `show` tells nothing.
    """

    def __init__(
        self,
        subjects: list[Subject],
        *,
        on_function: Callable[[Subject], None],
        on_history: Callable[[str], None],
        on_upload: Callable[[OwnHistory], None],
        on_setting: Callable[[str, int], None],
        on_own_settings: Callable[[], None],
    ) -> None:
        self._listening = True
        self.functions = _toggles("Function", [(each.name, each) for each in subjects])
        self.histories = _toggles("Scenario", [])
        self.upload = Upload(on_upload)
        self.fields = {name: _number(label) for name, label in LABELS.items()}
        self.own_settings = ipywidgets.Button(
            description="The scenario's own settings", layout={"width": "auto"}, disabled=True
        )
        self.row = ipywidgets.Box(layout={"flex_flow": "row wrap", "align_items": "center"})
        self.words = ipywidgets.HTML()
        self.all = [self.functions, self.histories, self.upload.view, self.row, self.words]
        self._observe(self.functions, on_function)
        self._observe(self.histories, on_history)
        self.own_settings.on_click(lambda _button: on_own_settings())
        for name, field in self.fields.items():
            self._observe(field, partial(on_setting, name))

    def _observe(self, control: Any, told: Callable[[Any], None]) -> None:
        control.observe(lambda change: told(change["new"]) if self._listening else None, names="value")

    @contextmanager
    def _own_changes(self) -> Iterator[None]:
        self._listening = False
        try:
            yield
        finally:
            self._listening = True

    def show(
        self,
        function: Subject,
        histories: dict[str, str],
        history: str,
        settings: dict[str, int],
        changed: bool,
    ) -> None:
        """Show what is chosen. `histories` maps names to promises; `changed` says that a setting was set."""
        with self._own_changes():
            self.functions.value = function
            if list(self.histories.options) != list(histories):
                self.histories.options = list(histories)
            self.histories.tooltips = list(histories.values())
            self.histories.value = history
            for name, value in settings.items():
                self.fields[name].value = value
        self.own_settings.disabled = not changed
        fields = [self.fields[name] for name in settings]
        self.row.children = [*fields, self.own_settings] if fields else []

    def say(self, lines: list[str]) -> None:
        """Show these lines as paragraphs."""
        self.words.value = paragraphs(lines)
        self.words.layout.display = "" if lines else "none"


def paragraphs(lines: list[str]) -> str:
    """Return lines as HTML, text escaped."""
    return "".join(f'<p style="margin: 0">{escape(line)}</p>' for line in lines)


def _toggles(description: str, options: list[tuple[str, Any]]) -> ipywidgets.ToggleButtons:
    return ipywidgets.ToggleButtons(
        description=description, options=options, style={"button_width": "auto", "description_width": "5em"}
    )


def _number(label: str) -> ipywidgets.IntText:
    return ipywidgets.IntText(
        description=label,
        continuous_update=False,
        style={"description_width": "initial"},
        layout={"width": "20em", "max_width": "100%"},
    )

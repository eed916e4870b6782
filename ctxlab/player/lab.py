"""The lab: scenarios and settings as controls over a player. Any change records a fresh run."""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from ctxlab.errors import CtxlabError
from ctxlab.messages.wording import shown
from ctxlab.player.payload import MOST_CHARS
from ctxlab.player.runs import PARAMETERS, SUBJECTS, Run, own_history, run, subject, suggestion
from ctxlab.player.static import static_html
from ctxlab.player.widget import Player
from ctxlab.scenarios import Scenario, load_scenario
from ctxlab.tracer.tables import title
from ctxlab.tracer.traces import Trace

LABELS = {
    "budget": "budget (bytes)",
    "keep_recent": "keep_recent (exchanges)",
    "max_chars": "max_chars (characters)",
    "max_summaries": "summaries left",
}


class Lab:
    """Runs `function` on a scenario of your choice and replays the run in a player.

    `function` is "split", "trim", "prepare" or a function of your own, whose parameters are filled by name.
    `scenario` is a name, a path or a Scenario; `messages`, in its place, is your own history: a list, or the
    path of a JSON or JSON-lines file. `settings` are budget, keep_recent, max_chars and max_summaries
    (summaries left), as far as the function takes them. Raises CtxlabError for what does not exist; what goes
    wrong in a run is shown. `snapshots` is the directory with the snapshots of the last run.
    """

    def __init__(
        self,
        function: str | Callable[..., Any] = "split",
        scenario: str | Scenario | None = None,
        *,
        messages: Any = None,
        **settings: int,
    ) -> None:
        if scenario is not None and messages is not None:
            raise CtxlabError("give a scenario or messages, not both")
        self.subject = subject(function)
        self._chosen = self._checked(settings)
        if messages is not None:
            self.scenario = own_history(messages)
        elif isinstance(scenario, Scenario):
            self.scenario = scenario
        else:
            self.scenario = load_scenario(self.subject.order[0] if scenario is None else scenario)
        self._player: Player | None = None
        self._remove_snapshots: Callable[[], Any] = lambda: None
        self._listening = True
        self._build(choice=messages is None)
        self._record()

    @property
    def trace(self) -> Trace | None:
        """The recorded run; None when the function did not run."""
        return self._run.trace

    @property
    def player(self) -> Player | None:
        """The player of the recorded run, or None."""
        return self._player if self.trace else None

    @property
    def settings(self) -> dict[str, int]:
        """The settings of the run, as far as the function takes them."""
        values = self.scenario.settings.model_dump() | self._chosen
        return {name: values[name] for name in self.subject.settings}

    def text(self) -> str:
        """Return the lab as text: what was chosen, what it left behind, and the text face of the trace."""
        lines = "\n".join([*self._heading(), *self._run.lines])
        return f"{lines}\n\n{self.trace.text()}" if self.trace else f"{lines}\n"

    def html(self) -> str:
        """Return the lab as HTML without scripts: the same as `text`, in tables."""
        face = static_html(self.trace) if self.trace else ""
        return f"<div>{_paragraphs([*self._heading(), *self._run.lines])}{face}</div>"

    def __repr__(self) -> str:
        return f"<{self._heading()[0]}>"

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        live: dict[str, Any] = self.view._repr_mimebundle_()
        return {**live, "text/html": self.html(), "text/plain": self.text()}

    def _heading(self) -> list[str]:
        settings = "".join(f", {name} {shown(value)}" for name, value in self.settings.items())
        heading = f"Lab: {self.subject.name} on {self.scenario.name}{settings}"
        return [heading, *([self.scenario.promise] if self.subject in SUBJECTS.values() else [])]

    def _checked(self, settings: dict[str, int]) -> dict[str, int]:
        for name, value in settings.items():
            if name not in PARAMETERS:
                raise CtxlabError(f"there is no setting {name!r}; {suggestion(name, list(PARAMETERS))}")
            if name not in self.subject.settings:
                takes = ", ".join(self.subject.settings) or "no setting"
                raise CtxlabError(f"{self.subject.name} does not take {name}; it takes {takes}")
            if type(value) is not int:
                raise CtxlabError(f"{name} is {shown(value)}; give a whole number")
        return settings

    # The controls. A change that the lab makes itself records nothing: then it does not listen.

    def _build(self, *, choice: bool) -> None:
        known = list(SUBJECTS.values())
        subjects = known if self.subject in known else [self.subject]
        self.function_buttons = _toggles("Function", [(each.name, each) for each in subjects])
        self.scenario_buttons = _toggles("Scenario", [])
        self._scenarios = {name: load_scenario(name) for name in self.subject.order}
        self._scenarios[self.scenario.name] = self.scenario
        self.fields = {name: _number(label) for name, label in LABELS.items()}
        self.own_settings_button = ipywidgets.Button(
            description="The scenario's own settings", layout={"width": "auto"}, disabled=True
        )
        self._fields_row = ipywidgets.Box(layout={"flex_flow": "row wrap", "align_items": "center"})
        self._words = ipywidgets.HTML()
        chooser = [self.scenario_buttons] if choice else []
        self._controls = [self.function_buttons, *chooser, self._fields_row, self._words]
        self.view = ipywidgets.VBox(self._controls)
        self.function_buttons.observe(self._on_function, names="value")
        self.scenario_buttons.observe(self._on_scenario, names="value")
        self.own_settings_button.on_click(self._on_own_settings)
        for field in self.fields.values():
            field.observe(self._on_setting, names="value")

    @contextmanager
    def _own_changes(self) -> Iterator[None]:
        self._listening = False
        try:
            yield
        finally:
            self._listening = True

    def _on_function(self, change: Any) -> None:
        if self._listening:
            self.subject = change["new"]
            self._record()

    def _on_scenario(self, change: Any) -> None:
        if self._listening:
            self.scenario = self._scenarios[change["new"]]
            self._record()

    def _on_setting(self, change: Any) -> None:
        if self._listening:
            name = next(name for name, field in self.fields.items() if field is change["owner"])
            self._chosen[name] = change["new"]
            self._record(keep_breakpoints=True)

    def _on_own_settings(self, _button: Any) -> None:
        self._chosen.clear()
        self._record(keep_breakpoints=True)

    def _show_controls(self) -> None:
        # A scenario of the learner's own stands before the others.
        own = [name for name in self._scenarios if name not in self.subject.order]
        names = own + self.subject.order
        with self._own_changes():
            self.function_buttons.value = self.subject
            if list(self.scenario_buttons.options) != names:
                self.scenario_buttons.options = names
                self.scenario_buttons.tooltips = [self._scenarios[name].promise for name in names]
            self.scenario_buttons.value = self.scenario.name
            for name, value in self.settings.items():
                self.fields[name].value = value
        self.own_settings_button.disabled = not self._chosen
        fields = [self.fields[name] for name in self.settings]
        self._fields_row.children = [*fields, self.own_settings_button] if fields else []

    # The run

    def _record(self, *, keep_breakpoints: bool = False) -> None:
        """Record a fresh run with the present choices, and show it from its start."""
        self._show_controls()
        self._empty_snapshots()
        # What holds if the run is interrupted: nothing may show the run before under the new choices.
        self._run = Run(None, ["The run was interrupted, so nothing was recorded."])
        try:
            self._run = run(self.subject, self.scenario, self.settings, self.snapshots)
        finally:
            self._show_run(keep_breakpoints)

    def _show_run(self, keep_breakpoints: bool) -> None:
        if self.trace is not None:
            self._replay(self.trace, keep_breakpoints)
        self.view.children = [*self._controls, *([self.player] if self.player else [])]
        words = [*self._ending(), *self._run.lines, *self._left_out()]
        self._words.value = _paragraphs(words)
        self._words.layout.display = "" if words else "none"

    def _ending(self) -> list[str]:
        """Say what the player leaves unsaid: at once, how a run ended that returned no history."""
        if self.trace is None:
            return [self.scenario.promise]
        returned_history = self.trace.provenance and self.trace.data["checks"]["in_place"] is None
        return [] if returned_history else [f"{title(self.trace)}."]

    def _left_out(self) -> list[str]:
        """Say what of a large history the player does not show."""
        if self.player is None:
            return []
        clipped = len(self.player.clipped)
        texts = f"Texts shown only to their first {MOST_CHARS} characters: {clipped}. The run had them whole."
        tokens = "Tokens are not counted: the history is too large."
        return [*([texts] if clipped else []), *([] if self.player.encoding else [tokens])]

    def _empty_snapshots(self) -> None:
        """Take a new directory, and remove that of the run before. The last one goes with the lab."""
        self._remove_snapshots()
        try:
            self.snapshots = Path(tempfile.mkdtemp(prefix="ctxlab-snapshots-"))
        except OSError as error:
            remedy = "set TMPDIR to a directory that you may write to, with space in it, and start again"
            raise CtxlabError(
                f"no directory can be made for snapshots ({error.strerror}); {remedy}"
            ) from error
        self._remove_snapshots = weakref.finalize(self, shutil.rmtree, self.snapshots, ignore_errors=True)

    def _replay(self, trace: Trace, keep_breakpoints: bool) -> None:
        if self._player is None:
            self._player = Player(trace)
            return
        breakpoints = self._player.breakpoints
        self._player.show(trace)
        if keep_breakpoints:
            self._player.breakpoints = breakpoints


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


def _paragraphs(lines: list[str]) -> str:
    return "".join(f'<p style="margin: 0">{escape(line)}</p>' for line in lines)

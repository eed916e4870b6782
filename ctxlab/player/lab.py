"""The lab: scenarios and settings as controls over a player. Any change records a fresh run."""

import shutil
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from ctxlab.errors import CtxlabError
from ctxlab.messages.wording import shown
from ctxlab.player.controls import Controls, paragraphs
from ctxlab.player.diagnosis import Diagnosis
from ctxlab.player.histories import KnownHistory, OwnHistory, own_history
from ctxlab.player.payload import MOST_CHARS
from ctxlab.player.runs import (
    CHOICES,
    DIAGNOSE,
    PARAMETERS,
    SUBJECTS,
    Run,
    Subject,
    run,
    subject,
    suggestion,
)
from ctxlab.player.static import static_html
from ctxlab.player.widget import Player
from ctxlab.scenarios import Scenario, load_history, scenario_names
from ctxlab.tracer.tables import title
from ctxlab.tracer.traces import Trace


class Lab:
    """Runs `function` on a scenario of your choice and replays the run in a player.

    `function` is the name of a reference function ("split", "trim", "prepare", "loop", "count", "pairs"), a
    function of your own, whose parameters are filled by name, or "diagnose", which runs nothing and shows
    what is wrong with the whole history. Without one a lab opens on "split", or on "diagnose" where
    `messages` are given.

    `scenario` is a name, a path or a Scenario. `messages`, in its place, is a history of your own: a list in
    any of the three shapes, or the path of any transcript that can be read. The reference functions get as
    much of it as they take, and the lab says what they do not get; your own function gets all of it. A
    history can also be loaded with the button "Your own history".

    `settings` are those that the function takes, such as budget or keep_recent. Raises CtxlabError for what
    does not exist; what goes wrong in a run is shown. `snapshots` is the directory with the snapshots of the
    last run, `diagnosis` the widget that shows what is wrong, or None.
    """

    def __init__(
        self,
        function: str | Callable[..., Any] | None = None,
        scenario: str | Scenario | None = None,
        *,
        messages: Any = None,
        **settings: int,
    ) -> None:
        if scenario is not None and messages is not None:
            raise CtxlabError("give a scenario or messages, not both")
        if function is None:
            function = "split" if messages is None else DIAGNOSE.name
        self.subject = subject(function)
        self._chosen = self._checked(settings)
        self._histories: dict[str, KnownHistory | OwnHistory] = {
            name: KnownHistory(load_history(name)) for name in scenario_names()
        }
        if messages is not None:
            self._add(own_history(messages))
        elif isinstance(scenario, Scenario):
            self._add(KnownHistory(scenario))
        else:
            self._add(KnownHistory(load_history(self.subject.order[0] if scenario is None else scenario)))
        self.diagnosis: Diagnosis | None = None
        self._player: Player | None = None
        self._remove_snapshots: Callable[[], Any] = lambda: None
        choices = list(CHOICES.values())
        self.controls = Controls(
            choices if self.subject in choices else [self.subject, DIAGNOSE],
            on_function=self._on_function,
            on_history=self._on_history,
            on_upload=self._on_upload,
            on_setting=self._on_setting,
            on_own_settings=self._on_own_settings,
        )
        self.view = ipywidgets.VBox(self.controls.all)
        self._record()

    @property
    def scenario(self) -> Scenario:
        """What the function runs on: a scenario, or what it gets of a history of your own."""
        return self._histories[self._name].scenario(self.subject)

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
        """Return the lab as text: what was chosen, what it left behind, and what it shows."""
        lines = "\n".join([*self._heading(), *self._run.lines, *self._on_own()])
        shown = self.trace or self.diagnosis
        face = shown.text() if shown else ""
        return f"{lines}\n\n{face}" if face else f"{lines}\n"

    def html(self) -> str:
        """Return the lab as HTML without scripts: the same as `text`, in tables."""
        face = self.diagnosis.html() if self.diagnosis else ""
        face = static_html(self.trace) if self.trace else face
        return f"<div>{paragraphs([*self._heading(), *self._run.lines, *self._on_own()])}{face}</div>"

    def __repr__(self) -> str:
        return f"<{self._heading()[0]}>"

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        live: dict[str, Any] = self.view._repr_mimebundle_()
        return {**live, "text/html": self.html(), "text/plain": self.text()}

    def _heading(self) -> list[str]:
        settings = "".join(f", {name} {shown(value)}" for name, value in self.settings.items())
        heading = f"Lab: {self.subject.name} on {self.scenario.name}{settings}"
        return [heading, *([self.scenario.promise] if self.subject in SUBJECTS.values() else [])]

    def _on_own(self) -> list[str]:
        """Say what must be known of a history of one's own. A diagnosis says it all itself."""
        return [] if self.subject is DIAGNOSE else self._histories[self._name].lines(self.subject)

    def _add(self, history: KnownHistory | OwnHistory) -> None:
        """Take a history and choose it. It replaces one of its name, but nobody's own replaces a scenario."""
        if isinstance(history, OwnHistory) and history.name in scenario_names():
            history = replace(history, name=f"{history.name} (your own)")
        self._name = history.name
        self._histories[self._name] = history

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

    # What the controls tell.

    def _on_function(self, function: Subject) -> None:
        self.subject = function
        self._record()

    def _on_history(self, name: str) -> None:
        self._name = name
        self._record()

    def _on_upload(self, history: OwnHistory) -> None:
        self._add(history)
        self._record()

    def _on_setting(self, name: str, value: int) -> None:
        self._chosen[name] = value
        self._record(keep_breakpoints=True)

    def _on_own_settings(self) -> None:
        self._chosen.clear()
        self._record(keep_breakpoints=True)

    def _show_controls(self) -> None:
        known = self.subject.order
        # What is the learner's own stands before the others.
        names = [*(name for name in self._histories if name not in known), *known]
        promises = {name: self._histories[name].promise for name in names}
        self.controls.show(self.subject, promises, self._name, self.settings, bool(self._chosen))

    # The run

    def _record(self, *, keep_breakpoints: bool = False) -> None:
        """Record a fresh run with the present choices, and show it from its start."""
        self._show_controls()
        self._empty_snapshots()
        if self.diagnosis is not None:
            self.diagnosis.close()
            self.diagnosis = None
        # What holds if the run is interrupted: nothing may show the run before under the new choices.
        self._run = Run(None, ["The run was interrupted, so nothing was recorded."])
        try:
            if self.subject is DIAGNOSE:
                self.diagnosis = Diagnosis(self._histories[self._name].report)
                self._run = Run(None, [])
            else:
                self._run = run(self.subject, self.scenario, self.settings, self.snapshots)
        finally:
            self._show_run(keep_breakpoints)

    def _show_run(self, keep_breakpoints: bool) -> None:
        if self.trace is not None:
            self._replay(self.trace, keep_breakpoints)
        shown_below = self.player or self.diagnosis
        self.view.children = [*self.controls.all, *([shown_below] if shown_below else [])]
        self.controls.say([*self._ending(), *self._run.lines, *self._on_own(), *self._cut_short()])

    def _ending(self) -> list[str]:
        """Say what the player leaves unsaid: at once, how a run ended that returned no history."""
        if self.diagnosis is not None:
            return []
        if self.trace is None:
            return [self.scenario.promise]
        returned_history = self.trace.provenance and self.trace.data["checks"]["in_place"] is None
        return [] if returned_history else [f"{title(self.trace)}."]

    def _cut_short(self) -> list[str]:
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

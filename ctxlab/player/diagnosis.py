"""Diagnosis: a widget that shows a whole history, what is wrong with it, and what to do."""

import os
from typing import Any

import anywidget
import traitlets

from ctxlab.errors import CtxlabError
from ctxlab.messages.report import Report, report_on
from ctxlab.messages.shapes import Api
from ctxlab.player.diagnosis_faces import diagnosis_html, diagnosis_text, title
from ctxlab.player.diagnosis_state import diagnosis_state, headline
from ctxlab.player.disclosing import must_mask
from ctxlab.player.export import document, write_page
from ctxlab.player.module import joined_module
from ctxlab.player.sending import sendable
from ctxlab.player.sheets import joined_sheets

MODULE = "diagnose.js"
CSS = joined_sheets("player.css", "diagnosis.css")


class Diagnosis(anywidget.AnyWidget):
    """Shows the whole history `source`, opened at the first thing that is wrong with it.

    `source` is a list of messages, the path of a transcript, or a Report. `api` is the shape to read it in,
    recognised when it is not given; `session` chooses one of a database. `report` is what was found. Raises
    HistoryError for a file that cannot be read or holds no messages, and for what is no history; refuses
    (`bad_argument`) an unknown api.

    In a notebook the texts are shown as they are, secrets too: nothing is sent anywhere. A saved page is made
    to be handed on, so `save_html` looks for them.
    """

    _esm = joined_module(MODULE)
    _css = CSS

    heading: "traitlets.Dict[str, Any]" = traitlets.Dict().tag(sync=True)
    cards: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    texts: "traitlets.List[list[Any]]" = traitlets.List().tag(sync=True)
    origins: "traitlets.List[str]" = traitlets.List().tag(sync=True)
    splits: "traitlets.List[list[Any]]" = traitlets.List().tag(sync=True)
    findings: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    # The message and the finding that are shown, each -1 for none.
    place: "traitlets.List[int]" = traitlets.List().tag(sync=True)

    def __init__(self, source: Any, *, api: Api | None = None, session: str | None = None) -> None:
        if isinstance(source, Report) and (api, session) != (None, None):
            raise CtxlabError("a Report is made already; give api and session where it is made")
        self.report = source if isinstance(source, Report) else report_on(source, api, session)
        super().__init__()
        self._state = diagnosis_state(self.report)
        with self.hold_sync():
            for name, value in sendable(self._state).items():
                setattr(self, name, value)
            self.place = _opening(self.report)

    def save_html(self, path: str | os.PathLike[str], secrets: str = "refuse") -> None:
        """Write a page to `path` that shows the diagnosis from this place, with no network and no kernel.

        `secrets` says what happens when the history holds what looks like a key or a password: "refuse"
        writes nothing and raises CtxlabError, "mask" masks each wherever it stands, "keep" shows them.
        """
        masked = must_mask(secrets, self.report.secrets)
        state = diagnosis_state(self.report, masked=True) if masked else self._state
        page = {**state, "place": self.place}
        name = title(self.report.name)
        write_page(path, document(name, diagnosis_html(state), page, joined_module(MODULE), CSS))

    def text(self) -> str:
        """Return the diagnosis as text: the headline, what was read, and the first findings."""
        return diagnosis_text(self.report)

    def html(self) -> str:
        """Return the diagnosis as HTML without scripts: the same as `text`, and the messages."""
        return diagnosis_html(self._state)

    def __repr__(self) -> str:
        return f"<{title(self.report.name)}: {headline(self.report)}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        assert bundle is not None, "only a widget without a view has none"
        data, metadata = bundle
        data["text/html"] = self.html()
        data["text/plain"] = self.text()
        return data, metadata


def _opening(report: Report) -> list[int]:
    """Return the message and the finding to open at: the first of each, where there is one."""
    if not report.findings:
        return [0 if report.transcript.messages else -1, -1]
    first = report.findings[0].message
    return [-1 if first is None else first, 0]

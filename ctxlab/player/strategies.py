"""Strategies: a widget that shows every strategy on one history, side by side."""

import os
from collections.abc import Iterable
from typing import Any

import anywidget
import traitlets

from ctxlab.errors import CtxlabError
from ctxlab.messages.report import Report, report_on
from ctxlab.messages.secrets import found_secrets
from ctxlab.messages.shapes import Api
from ctxlab.messages.wording import shown
from ctxlab.player.disclosing import must_mask
from ctxlab.player.export import document, write_page
from ctxlab.player.module import joined_module
from ctxlab.player.sending import sendable
from ctxlab.player.sheets import joined_sheets
from ctxlab.player.strategies_faces import strategies_html, title
from ctxlab.player.strategies_state import headline, strategies_state
from ctxlab.strategies.facts import Fact, fact_of, read_facts
from ctxlab.strategies.outcome import Comparison
from ctxlab.strategies.reported import compare_reported

MODULE = "strategies.js"
CSS = joined_sheets("player.css", "diagnosis.css", "strategies.css")


class Strategies(anywidget.AnyWidget):
    """Shows what every strategy does to the history `source`, request by request.

    `source` is a list of messages, the path of a transcript, or a Report. `limit` is that of a request in
    tokens, by default half of the whole history and at least 500; `names` choose among the strategies.
    `facts` are what each should keep: a list of {kind, text}, or the path of a file that holds one; by
    default some are found in the history. `api` and `session` say how to read it, as for Diagnosis.
    `comparison` has the figures. No model is asked.

    Raises HistoryError for a file that cannot be read, and CtxlabError for facts that are none; refuses
    `bad_argument`, and `not_a_history` for what has no form to compare in.

    In a notebook the texts are shown as they are, secrets too: nothing is sent anywhere. A saved page is made
    to be handed on, so `save_html` looks for them.
    """

    _esm = joined_module(MODULE)
    _css = CSS

    heading: "traitlets.Dict[str, Any]" = traitlets.Dict().tag(sync=True)
    limit: "traitlets.Int[int, int]" = traitlets.Int().tag(sync=True)
    moments: "traitlets.List[int]" = traitlets.List().tag(sync=True)
    facts: "traitlets.List[dict[str, str]]" = traitlets.List().tag(sync=True)
    strategies: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    cards: "traitlets.List[dict[str, Any]]" = traitlets.List().tag(sync=True)
    # The strategy and the request that are shown, the request -1 for none.
    place: "traitlets.List[int]" = traitlets.List().tag(sync=True)

    def __init__(
        self,
        source: Any,
        *,
        limit: int | None = None,
        names: Iterable[str] | None = None,
        facts: Any = None,
        api: Api | None = None,
        session: str | None = None,
    ) -> None:
        if isinstance(source, Report) and (api, session) != (None, None):
            raise CtxlabError("a Report is made already; give api and session where it is made")
        self.report = source if isinstance(source, Report) else report_on(source, api, session)
        self.comparison = compare_reported(self.report, limit=limit, names=names, facts=_checked_facts(facts))
        super().__init__()
        self._state = strategies_state(self.comparison, self.report)
        with self.hold_sync():
            for name, value in sendable(self._state).items():
                setattr(self, name, value)
            self.place = opening(self.comparison)

    def save_html(self, path: str | os.PathLike[str], secrets: str = "refuse") -> None:
        """Write a page to `path` that shows the comparison from this place, with no network and no kernel.

        `secrets` says what happens when the history holds what looks like a key or a password: "refuse"
        writes nothing and raises CtxlabError, "mask" masks each wherever it stands, "keep" shows them.
        """
        save_strategies(self.comparison, self.report, path, secrets, self.place)

    def text(self) -> str:
        """Return the comparison as text: a table, and what explains it."""
        return self.comparison.text()

    def html(self) -> str:
        """Return the comparison as HTML without scripts."""
        return strategies_html(self._state)

    def __repr__(self) -> str:
        return f"<{title(self.report.name)}: {headline(self.comparison)}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        assert bundle is not None, "only a widget without a view has none"
        data, metadata = bundle
        data["text/html"] = self.html()
        data["text/plain"] = self.text()
        return data, metadata


def save_strategies(
    comparison: Comparison,
    report: Report,
    path: str | os.PathLike[str],
    secrets: str = "refuse",
    place: list[int] | None = None,
) -> None:
    """Write the page of a comparison of the history that `report` is on, as `Strategies.save_html` does."""
    # A note may quote a fact that was given, and that the history does not hold.
    found = report.secrets or found_secrets({"notes": list(comparison.notes)})
    state = strategies_state(comparison, report, masked=must_mask(secrets, found))
    page = {**state, "place": place or opening(comparison)}
    html = document(title(report.name), strategies_html(state), page, joined_module(MODULE), CSS)
    write_page(path, html)


def opening(comparison: Comparison) -> list[int]:
    """Return the strategy and the request to open at: the first that lost or broke something, at its end."""
    telling = (
        number
        for number, outcome in enumerate(comparison.outcomes)
        if outcome.lost or outcome.refusals or outcome.new_findings
    )
    return [next(telling, 0), len(comparison.outcomes[0].turns) - 1]


def _checked_facts(given: Any) -> list[Fact] | None:
    """Return the facts that are given as a list or in a file, None for none."""
    if given is None:
        return None
    if isinstance(given, (str, os.PathLike)):
        return read_facts(given)
    if not isinstance(given, (list, tuple)):
        raise CtxlabError(f"facts is {shown(given)}; give a list of {{kind, text}}, or the path of a file")
    return [
        item if isinstance(item, Fact) else fact_of(item, f"fact {number}")
        for number, item in enumerate(given)
    ]

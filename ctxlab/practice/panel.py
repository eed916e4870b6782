"""The practice in a notebook: the run up to its question, two buttons, and what came of the answer.

The run has a thread of its own, since it waits in the middle. Everything that is shown is changed by the
kernel's main thread: while it waits for that thread, or when a button is clicked.
"""

import itertools
import shutil
import tempfile
import threading
import weakref
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from ctxlab.errors import CtxlabError
from ctxlab.practice.permission import PermissionRequest
from ctxlab.practice.progress import Progress
from ctxlab.practice.result import PracticeResult
from ctxlab.practice.run import BUDGET, SUMMARY_LIMIT, run_practice
from ctxlab.practice.tools import COMMAND

COLUMNS = ("who", "request", "bytes before", "bytes after", "how", "snapshot")
NUMBERS = COLUMNS[1:4]
WAITS = "The run waits. Where a kernel runs, answer with a button; no answer is a no."
ALLOW = f"Allow: {COMMAND}, one start"
DENY = "Deny: start nothing"
SILENCE = "None was given, and that is a no"
NOT_ASKED = "The run ended before anybody was asked."


class PracticePanel:
    """Runs the practice up to its question and asks it: Allow or Deny.

    `budget` is in bytes, `summary_limit` is the number of summaries that the run may spend. The constructor
    returns at the question, or at the end of a run that does not get so far. The receipts are the same in
    each run. Raises CtxlabError where no directory can be made, and refuses `bad_argument`.
    """

    def __init__(self, *, summary_limit: int = SUMMARY_LIMIT, budget: int = BUDGET) -> None:
        self._heading = f"Practice: budget {budget} bytes, summaries {summary_limit}"
        self._told: list[Progress] = []
        self._request: PermissionRequest | None = None
        self._answer = ""  # ALLOW, DENY or SILENCE, once there is one
        self._result: PracticeResult | None = None
        self._failure: BaseException | None = None
        self._stands_still = threading.Event()
        self._answered = threading.Event()
        directory = self._make_directory()
        self._thread = threading.Thread(
            target=self._run, args=(directory, summary_limit, budget), name="practice", daemon=True
        )
        self._thread.start()
        self._stands_still.wait()
        self._raise_failure()
        self._build()
        self._show()

    def finish(self) -> PracticeResult:
        """Return what came of the run. Where nobody has answered yet, the answer is no."""
        self._resume(SILENCE)
        assert self._result is not None, "a run without a failure has a result"
        return self._result

    def text(self) -> str:
        """Return the panel as text."""
        return "\n".join([self._heading, *(progress.line() for progress in self._told), *self._words()])

    def html(self) -> str:
        """Return the panel as HTML without scripts."""
        question, *outcome = self._words()
        return f"<div>{self._table()}{_heading(question)}{_paragraphs(outcome)}</div>"

    def __repr__(self) -> str:
        return f"<{self._heading}>"

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        live: dict[str, Any] = self.view._repr_mimebundle_()
        return {**live, "text/html": self.html(), "text/plain": self.text()}

    # The run, in its own thread

    def _run(self, directory: Path, summary_limit: int, budget: int) -> None:
        numbers = itertools.count(1)
        try:
            self._result = run_practice(
                directory,
                self._decide,
                budget=budget,
                summary_limit=summary_limit,
                new_id=lambda: f"{next(numbers):012x}",
                report=self._told.append,
            )
        except BaseException as error:  # noqa: BLE001 - it is raised again in the main thread
            self._failure = error
        finally:
            self._stands_still.set()

    def _decide(self, request: PermissionRequest) -> bool:
        self._request = request
        self._stands_still.set()
        self._answered.wait()
        return self._answer == ALLOW

    # The view, in the main thread

    def _build(self) -> None:
        self.allow_button = self._button(ALLOW)
        self.deny_button = self._button(DENY)
        self._rows, self._question, self._outcome = (ipywidgets.HTML() for _ in range(3))
        buttons = ipywidgets.Box(
            [self.allow_button, self.deny_button], layout={"flex_flow": "row wrap", "overflow": "visible"}
        )
        self.view = ipywidgets.VBox([self._rows, self._question, buttons, self._outcome])

    def _button(self, label: str) -> ipywidgets.Button:
        button = ipywidgets.Button(description=label, layout={"width": "auto"})
        button.on_click(lambda _: self._resume(label))
        return button

    def _resume(self, answer: str) -> None:
        """Let the run go on to its end. The first answer counts."""
        if self._request and not self._answered.is_set():
            self._answer = answer
            self._answered.set()
        self._thread.join()
        self._raise_failure()
        self._show()

    def _raise_failure(self) -> None:
        if self._failure:
            raise self._failure

    def _show(self) -> None:
        self._rows.value = self._table()
        question, *outcome = self._words()
        self._question.value = _heading(question)
        self._outcome.value = f'<div role="status">{_paragraphs(outcome)}</div>'
        for button in (self.allow_button, self.deny_button):
            # The one that was clicked stays as it is, or the keyboard would lose its place on the page.
            button.disabled = self._result is not None and self._answer != button.description

    def _words(self) -> list[str]:
        """Return the question, then what came of it so far."""
        question = self._request.question() if self._request else NOT_ASKED
        if self._result is None:
            return [question, WAITS]
        answer = [f"the person's answer: {self._answer}"] if self._answer else []
        return [question, *answer, *self._result.lines()]

    def _table(self) -> str:
        head = "".join(_cell("th", name, name) for name in COLUMNS)
        rows = "".join(
            f"<tr>{''.join(map(_cell, ['td'] * len(COLUMNS), progress.cells(), COLUMNS))}</tr>"
            for progress in self._told
        )
        # On a narrow page the table scrolls sideways, below its heading. With a width of its own it would
        # make the widget around both as wide as itself instead.
        return (
            f'{_heading(self._heading)}<div style="overflow-x: auto; width: 0; min-width: 100%">'
            f'<table aria-label="{escape(self._heading)}" style="border-collapse: collapse">'
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        )

    def _make_directory(self) -> Path:
        try:
            directory = Path(tempfile.mkdtemp(prefix="ctxlab-practice-"))
        except OSError as error:
            remedy = "set TMPDIR to a directory that you may write to, and start again"
            raise CtxlabError(f"no directory can be made for the run ({error.strerror}); {remedy}") from error
        weakref.finalize(self, shutil.rmtree, directory, ignore_errors=True)
        return directory


def _cell(tag: str, text: str, column: str) -> str:
    align = "right" if column in NUMBERS else "left"
    # Only headings may take two lines: on a narrow page there is more room for the rest.
    kind = ' scope="col"' if tag == "th" else ""
    wrap = "normal" if tag == "th" else "nowrap"
    style = f"text-align: {align}; padding: 0 0.4em; line-height: 1.5; white-space: {wrap}"
    return f'<{tag}{kind} style="{style}">{text}</{tag}>'


def _heading(line: str) -> str:
    return f'<p style="margin: 0.5em 0 0; font-weight: bold; line-height: 1.5">{escape(line)}</p>'


def _paragraphs(lines: list[str]) -> str:
    return "".join(f'<p style="margin: 0; line-height: 1.5">{escape(line)}</p>' for line in lines)

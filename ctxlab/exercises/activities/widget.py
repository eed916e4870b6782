"""What the widgets of a lesson share: their look, their faces, and that an answer is kept."""

from html import escape
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

from ctxlab.exercises.progress_file import read, record_answer
from ctxlab.player.module import joined_module
from ctxlab.player.sheets import joined_sheets

FOLDER = Path(__file__).parent
LIVE_ONLY = "This is answered where a kernel runs: open the notebook in JupyterLab and run the cell."


def module(name: str) -> str:
    """Return the JavaScript of a widget of this folder, as one module."""
    return joined_module(str(FOLDER / name))


class Activity(anywidget.AnyWidget):
    """A widget that asks something. Its answer is kept, and is there again when the lesson is opened again.

    `activity` is the answer's name in the progress file, and `kept` the traits that make it up. Where no
    kernel runs, it shows what it asks and never what is right.
    """

    _css = joined_sheets(str(FOLDER / "activities.css"))
    activity: ClassVar[str]
    kept: ClassVar[tuple[str, ...]]

    heading = traitlets.Unicode().tag(sync=True)
    notice = traitlets.Unicode().tag(sync=True)

    def __init__(self, lesson: str, **traits: Any) -> None:
        progress, notice = read()
        super().__init__(heading=f"{self.activity.title()}, lesson {lesson}", notice=notice, **traits)
        self.lesson = lesson
        answer = progress.lesson(lesson).answers.get(self.activity, {})
        if answer.keys() == set(self.kept) and self.fits(answer):
            for name, value in answer.items():
                setattr(self, name, value)
        self.observe(self._keep, names=self.kept)

    def fits(self, answer: dict[str, Any]) -> bool:
        """Say whether a kept answer is one to these questions. They may have changed since."""
        raise NotImplementedError

    def given(self) -> bool:
        """Say whether there is an answer yet, and not only the beginning of one."""
        return True

    def asked(self) -> list[tuple[str, list[str]]]:
        """Return each question with its options, as they are shown where no kernel runs."""
        raise NotImplementedError

    def _keep(self, _change: Any) -> None:
        if self.given():
            answer = {name: getattr(self, name) for name in self.kept}
            self.notice = record_answer(self.lesson, self.activity, answer)

    def text(self) -> str:
        """Return what is asked, as text."""
        lines = [self.heading]
        for question, options in self.asked():
            lines += ["", question, *(f"  - {option}" for option in options)]
        return "\n".join([*lines, "", LIVE_ONLY])

    def html(self) -> str:
        """Return what is asked, as HTML without scripts."""
        parts = [f"<p><strong>{escape(self.heading)}</strong></p>"]
        for question, options in self.asked():
            items = "".join(f"<li>{escape(option)}</li>" for option in options)
            parts.append(f"<p>{escape(question)}</p>{f'<ul>{items}</ul>' if items else ''}")
        return f"<div>{''.join(parts)}<p>{escape(LIVE_ONLY)}</p></div>"

    def __repr__(self) -> str:
        return f"<{self.heading}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        assert bundle is not None, "only a widget without a view has none"
        data, metadata = bundle
        data["text/html"] = self.html()
        data["text/plain"] = self.text()
        return data, metadata

"""What the tests of the widgets share."""

from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.exercises.activities.widget import Activity
from ctxlab.exercises.progress_file import read

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def faces() -> Callable[[Any], tuple[str, str]]:
    """faces(widget) -> (text/plain, text/html). Both are there beside the live widget."""

    def faces_(widget: Any) -> tuple[str, str]:
        data, _ = widget._repr_mimebundle_()
        assert data.keys() == {VIEW, "text/plain", "text/html"}
        return data["text/plain"], data["text/html"]

    return faces_


@pytest.fixture
def answer() -> Callable[..., Any]:
    """answer(widget, trait=value, ...): the page sets traits as one message. Returns what is kept then."""

    def answer_(widget: Activity, **traits: Any) -> Any:
        widget.set_state(traits)
        return read()[0].lesson(widget.lesson).answers.get(widget.activity)

    return answer_

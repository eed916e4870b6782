"""The control that takes a history from a file of the learner's own."""

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from ctxlab.errors import CtxlabError
from ctxlab.player.histories import OwnHistory, uploaded_history

ACCEPTED = ".json,.jsonl,.ndjson,.txt,.db,.sqlite,.sqlite3"
# What a Jupyter server takes in one message, unless it is told otherwise. It cuts the connection at more.
LIMITS = 'One file: JSON, JSON lines or a database, up to 10 MB. A larger one: Lab(messages="its path").'


class Upload:
    """A button for one file. `taken` is called with the history in it.

    A file that holds no history gives a line under the button, and nothing else happens.
    """

    def __init__(self, taken: Callable[[OwnHistory], None]) -> None:
        self._taken = taken
        self.button = ipywidgets.FileUpload(
            accept=ACCEPTED,
            multiple=False,
            description="Your own history",
            tooltip=LIMITS,
            layout={"width": "auto"},
        )
        self.words = ipywidgets.HTML(LIMITS)
        self.view = ipywidgets.Box(
            [self.button, self.words], layout={"flex_flow": "row wrap", "align_items": "center"}
        )
        self.button.observe(self._on_file, names="value")

    def _on_file(self, change: Any) -> None:
        if not change["new"]:
            return
        (file,) = change["new"]
        # Let go of the bytes. This calls the observer again, with nothing.
        self.button.value = ()
        try:
            history = uploaded_history(file["name"], bytes(file["content"]))
        except (CtxlabError, OSError) as error:
            self.words.value = f"<strong>Nothing was loaded.</strong> {escape(str(error))}"
            return
        self.words.value = LIMITS
        self._taken(history)

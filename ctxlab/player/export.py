"""A trace as one HTML file that needs nothing else: no network, no kernel."""

import base64
import hashlib
import json
import os
import tempfile
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.player.payload import payload
from ctxlab.player.static import static_html
from ctxlab.tracer.tables import title
from ctxlab.tracer.traces import Trace

FOLDER = Path(__file__).parent


def page(trace: Trace, step: int = 0, breakpoints: list[list[int]] | None = None) -> str:
    """Return the page that replays `trace`, opened at `step`."""
    state = {**payload(trace), "step": step, "breakpoints": breakpoints or []}
    loader = _read("export.js")
    digest = base64.b64encode(hashlib.sha256(loader.encode()).digest()).decode()
    # Only the loader may run, and the player's module that it makes from this very page. Nothing may be fetched.
    policy = f"default-src 'none'; script-src 'sha256-{digest}' blob:; style-src 'unsafe-inline'; img-src data:"
    return Template(_read("export.html")).substitute(
        policy=policy,
        title=escape(title(trace)),
        page_css=_read("export.css"),
        css=_read("player.css"),
        static=static_html(trace),
        state=_in_script(state),
        module=_in_script(_read("player.js")),
        loader=loader,
    )


def save_page(path: str | os.PathLike[str], trace: Trace, step: int, breakpoints: list[list[int]]) -> None:
    """Write the page to `path`: the whole file or none. Raises CtxlabError when it cannot be written."""
    target = Path(path)
    text = page(trace, step, breakpoints)
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=target.parent, delete=False) as draft:
            draft.write(text)
        Path(draft.name).chmod(0o644)
        os.replace(draft.name, target)
    except OSError as error:
        raise CtxlabError(f"{target}: the page cannot be written ({error.strerror}); name a file in a folder you own") from error


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _in_script(value: Any) -> str:
    """Return JSON that cannot end the script element it stands in, whatever the texts say."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    # A lone surrogate has no UTF-8 form; JSON can name it.
    return "".join(char if not "\ud800" <= char <= "\udfff" else f"\\u{ord(char):04x}" for char in text)

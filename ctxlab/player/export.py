"""A trace as one HTML file that needs nothing else: no network, no kernel."""

import base64
import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from html import escape
from pathlib import Path
from secrets import token_hex
from string import Template
from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.messages.wording import shown
from ctxlab.player.masking import mask_for
from ctxlab.player.module import joined_module
from ctxlab.player.payload import payload
from ctxlab.player.question_faces import gated_title, question_html
from ctxlab.player.sending import SURROGATE
from ctxlab.player.sheets import joined_sheets
from ctxlab.player.static import static_html
from ctxlab.tracer.tables import title
from ctxlab.tracer.traces import Trace

FOLDER = Path(__file__).parent


def page(
    trace: Trace,
    step: int = 0,
    breakpoints: Sequence[list[int]] = (),
    predict: str = "",
    predictions: Sequence[dict[str, Any]] = (),
    secrets: str = "refuse",
) -> str:
    """Return the page that replays `trace`, opened at `step`; it asks what `predict` says.

    `secrets` says what becomes of what looks like one, as for `mask_for`.
    """
    made: dict[str, Any] = {"predictions": list(predictions)}
    mask = mask_for(secrets, [trace], made)
    state = {
        **payload(trace, predict, mask),
        "step": step,
        "breakpoints": breakpoints,
        "predict": predict,
        **(mask.value(made) if mask else made),
    }
    trace = mask.trace(trace) if mask else trace
    asked = state["questions"]
    name = gated_title(trace) if asked else title(trace)
    static = question_html(trace, asked[0]) if asked else static_html(trace)
    return document(name, static, state, joined_module(), joined_sheets("player.css"))


def document(name: str, static: str, state: dict[str, Any], module: str, css: str) -> str:
    """Return a page that runs `module` on `state`. `static` is the HTML for readers without scripts."""
    loader = _read("export.js")
    digest = base64.b64encode(hashlib.sha256(loader.encode()).digest()).decode()
    # Only the loader may run, and the player's module, which it takes from this page. Nothing may be fetched.
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}' blob:; style-src 'unsafe-inline'; img-src data:"
    )
    return Template(_read("export.html")).substitute(
        policy=policy,
        title=escape(name),
        page_css=_read("export.css"),
        css=css,
        static=static,
        state=_in_script(state),
        module=_in_script(module),
        loader=loader,
    )


def save_page(
    path: str | os.PathLike[str],
    trace: Trace,
    step: int,
    breakpoints: Sequence[list[int]],
    predict: str = "",
    predictions: Sequence[dict[str, Any]] = (),
    secrets: str = "refuse",
) -> None:
    """Write the page that replays `trace` to `path`, as `page` and `write_page` do."""
    write_page(path, page(trace, step, breakpoints, predict, predictions, secrets))


def write_page(path: str | os.PathLike[str], text: str) -> None:
    """Write a page to `path`: the whole file or none. Raises CtxlabError when it cannot be written."""
    if not isinstance(path, (str, os.PathLike)):
        raise CtxlabError(f"a page needs a path, not {shown(path)}; give a string or a Path")
    try:
        _replace(Path(os.path.realpath(path)), text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CtxlabError(
            f"{os.fspath(path)!r}: the page cannot be written ({reason}); "
            "name a file in a folder that exists and that you may write to"
        ) from error


def _replace(target: Path, text: str) -> None:
    """Put a file with this text in the place of `target`, in one step."""
    # Anything else, such as a pipe or a device, would be gone afterwards.
    if target.exists() and not target.is_file():
        raise ValueError("it is a directory" if target.is_dir() else "it is not a regular file")
    draft = target.parent / f".ctxlab-{token_hex(8)}"
    try:
        with draft.open("x", encoding="utf-8") as file:
            file.write(text)
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _in_script(value: Any) -> str:
    """Return JSON that cannot end the script element it stands in, whatever the texts say."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    # A lone surrogate has no UTF-8 form; JSON can name it.
    return SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

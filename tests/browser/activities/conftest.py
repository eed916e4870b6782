"""A page that holds one widget of a lesson, made from the real widget's state: no kernel, no network."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from ctxlab.exercises.activities.widget import Activity

STUB_MODEL = Path(__file__).parents[2] / "js" / "support" / "stub_model.mjs"
PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>One widget alone</title>
<style>:root { color-scheme: light dark; } body { margin: 16px; }</style></head>
<body><main><h1>One widget alone</h1><div id="widget"></div></main></body>
</html>"""
OPEN = """async ({ module, stub, css, state }) => {
  const style = document.createElement("style");
  style.textContent = css;
  document.head.append(style);
  const load = (text) => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const { stubModel } = await load(stub);
  const widget = (await load(module)).default;
  window.model = stubModel(state);
  window.cleanup = widget.render({ model, el: document.querySelector("#widget") });
}"""
FROM_ANYWIDGET = {"_esm", "_css", "_anywidget_id"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner without any progress."""
    monkeypatch.setenv("CTXLAB_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def open_activity(browser: Browser) -> Iterator[Callable[..., Page]]:
    """open_activity(widget, width=..., color_scheme=..., ...) -> a page with this widget.

    Afterwards nothing may have gone wrong in the page, and it may have asked for nothing.
    """
    contexts, wrong = [], []

    def open_(widget: Activity, *, width: int = 900, height: int = 900, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
        page.on("request", lambda request: request.url.startswith("blob:") or wrong.append(request.url))
        page.set_content(PAGE)
        names = [name for name in widget.keys if name not in FROM_ANYWIDGET and not name.startswith("_")]
        files = {"module": widget._esm, "css": widget._css, "stub": STUB_MODEL.read_text(encoding="utf-8")}
        texts = {name: str(text) for name, text in files.items()}
        page.evaluate(OPEN, {**texts, "state": widget.get_state(names)})
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []

"""Chromium, and a page that holds the player alone: no kernel, no server, no network."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

from ctxlab.player.compare import CSS as COMPARE_CSS
from ctxlab.player.diagnosis import CSS as DIAGNOSIS_CSS
from ctxlab.player.module import joined_module
from ctxlab.player.sheets import joined_sheets
from ctxlab.player.strategies import CSS as STRATEGIES_CSS

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
ORIGIN = "http://localhost"


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


PAGE = read(HERE / "player_page.html")
FILES = {
    "/": (PAGE, "text/html"),
    "/compare": (PAGE.replace("/player.", "/compare."), "text/html"),
    "/compare.js": (joined_module("compare.js"), "text/javascript"),
    "/compare.css": (COMPARE_CSS, "text/css"),
    "/diagnosis": (PAGE.replace("/player.", "/diagnosis."), "text/html"),
    "/diagnosis.js": (joined_module("diagnose.js"), "text/javascript"),
    "/diagnosis.css": (DIAGNOSIS_CSS, "text/css"),
    "/player.js": (joined_module(), "text/javascript"),
    "/player.css": (joined_sheets("player.css"), "text/css"),
    "/strategies": (PAGE.replace("/player.", "/strategies."), "text/html"),
    "/strategies.js": (joined_module("strategies.js"), "text/javascript"),
    "/strategies.css": (STRATEGIES_CSS, "text/css"),
    "/stub_model.mjs": (read(ROOT / "tests/js/support/stub_model.mjs"), "text/javascript"),
}


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def player_payloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the payloads that `tests/js/support/make_payloads.py` describes."""
    folder = tmp_path_factory.mktemp("payloads")
    script = ROOT / "tests" / "js" / "support" / "make_payloads.py"
    subprocess.run([sys.executable, script, folder], check=True, timeout=120)
    return folder


@pytest.fixture
def open_player(browser: Browser, player_payloads: Path) -> Iterator[Callable[..., Page]]:
    """open_player(NAME, state changes, path=..., width=..., color_scheme=...) -> a page with one player.

    Afterwards nothing may have gone wrong in the page, and it may have asked for nothing but its own files.
    """
    contexts, wrong = [], []

    def serve(route: Route) -> None:
        address = urlsplit(route.request.url)
        if f"{address.scheme}://{address.netloc}" != ORIGIN or address.path not in FILES:
            wrong.append(f"asked for {route.request.url}")
            return route.abort()
        text, kind = FILES[address.path]
        return route.fulfill(body=text, content_type=f"{kind}; charset=utf-8")

    def open_(
        name: str,
        changes: dict[str, Any] | None = None,
        *,
        path: str = "/",
        width: int = 1300,
        height: int = 900,
        **options: Any,
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
        page.route("**/*", serve)
        page.goto(f"{ORIGIN}{path}")
        state = json.loads((player_payloads / f"{name}.json").read_text(encoding="utf-8"))
        page.evaluate("state => window.open_(state)", state | (changes or {}))
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []

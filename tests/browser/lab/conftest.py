"""A real JupyterLab (and Notebook 7) in a real Chromium, with copies of the lessons and no one's settings."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect

STARTED = 60  # seconds until a server answers, a kernel is idle, a lesson has run
LOOPBACK = {"127.0.0.1", "localhost"}

# News and update checks ask other hosts. Windowing leaves cells out of the page until one scrolls to them.
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/extensionmanager-extension:plugin": {"enabled": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}
# Notebook 7 itself sometimes says this while it starts: https://github.com/jupyter/notebook/issues/7862
NOTEBOOKS_OWN_ERROR = "Cannot read properties of undefined (reading 'schema')"
ALL_HAVE_RUN = """() => {
    const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')];
    return prompts.length > 0 && prompts.every((prompt) => /\\d/.test(prompt.textContent));
}"""


@dataclass(frozen=True)
class Server:
    """A running Jupyter server. `app` is "lab" or "notebook"; `home` holds all that it writes."""

    app: str
    port: int
    token: str
    home: Path

    def address(self, lesson: str) -> str:
        view = "lab/tree" if self.app == "lab" else "notebooks"
        # Without reset, JupyterLab opens the notebooks of the page before as well.
        return f"http://127.0.0.1:{self.port}/{view}/{lesson}?token={self.token}&reset"

    def api(self, path: str, method: str = "GET") -> Any:
        """Return the answer of the server's REST interface."""
        request = Request(
            f"http://127.0.0.1:{self.port}/api/{path}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
        )
        with urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def log(self) -> str:
        return (self.home / "log").read_text(encoding="utf-8", errors="replace")[-3000:]


@contextmanager
def serving(app: str, home: Path, lessons: Path) -> Iterator[Server]:
    """Start a server on copies of the lessons, and end it with its kernels."""
    shutil.copytree(lessons, home / "lessons", ignore=shutil.ignore_patterns("[!0-9]*"))
    overrides = home / "config" / "labconfig" / "default_setting_overrides.json"
    overrides.parent.mkdir(parents=True)
    overrides.write_text(json.dumps(SETTINGS))
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "CTXLAB_HOME": "ctxlab",
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(app, port, secrets.token_hex(16), home)
    command = [
        *(sys.executable, "-m", "jupyterlab" if app == "lab" else "notebook"),
        *("--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
        *(f"--IdentityProvider.token={server.token}", f"--ServerApp.root_dir={home / 'lessons'}"),
        "--ServerApp.terminals_enabled=False",
    ]
    environment = os.environ | {name: str(home / folder) for name, folder in folders.items()}
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        wait_for(lambda: answers(server, process), f"{app} to start", server)
        yield server
    finally:
        process.terminate()  # it shuts its kernels down
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(server: Server, process: "subprocess.Popen[bytes]") -> bool:
    assert process.poll() is None, f"the server ended:\n{server.log()}"
    try:
        server.api("status")
    except OSError:
        return False
    return True


def wait_for(happened: Callable[[], bool], what: str, server: Server) -> None:
    end = time.monotonic() + STARTED
    while not happened():
        assert time.monotonic() < end, (
            f"waited {STARTED} s for {what}; the server's log ends with:\n{server.log()}"
        )
        time.sleep(0.1)


@dataclass
class Notebook:
    """A lesson open in the browser. `wrong` collects what must not happen: errors, requests to elsewhere."""

    page: Page
    server: Server
    lesson: str
    wrong: list[str] = field(default_factory=list)

    def open(self) -> None:
        self.page.on("pageerror", self.note_error)
        self.page.on("console", self.check_console)
        self.page.on("request", lambda request: self.check_host(request.url))
        self.page.on("websocket", lambda socket: self.check_host(socket.url))
        self.page.goto(self.server.address(self.lesson))
        wait_for(self.kernel_is_ready, f"the kernel of {self.lesson}", self.server)

    def note_error(self, error: Error) -> None:
        if not (self.server.app == "notebook" and error.message == NOTEBOOKS_OWN_ERROR):
            self.wrong.append(f"error in the page: {error}")

    def check_console(self, line: ConsoleMessage) -> None:
        if line.type == "error":
            self.wrong.append(f"console: {line.text}")

    def check_host(self, url: str) -> None:
        address = urlsplit(url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.hostname not in LOOPBACK:
            self.wrong.append(f"request to {url}")

    def kernel_is_ready(self) -> bool:
        # The page says idle before a kernel exists, and a Run All sent then is lost. So the server is asked.
        kernels = [
            session["kernel"] for session in self.server.api("sessions") if session["path"] == self.lesson
        ]
        return any(kernel["execution_state"] == "idle" and kernel["connections"] > 0 for kernel in kernels)

    def run_all(self) -> None:
        """Run every cell, and wait until each has its number."""
        # The outputs that are stored must not be taken for those of this run.
        self.choose("Edit", "editmenu:clear-all")
        self.choose("Run", "runmenu:run-all")
        self.page.wait_for_function(ALL_HAVE_RUN, timeout=STARTED * 1000)

    def choose(self, menu: str, command: str) -> None:
        self.page.locator(".lm-MenuBar-item", has_text=menu).first.click()
        self.page.locator(f".lm-Menu-item[data-command='{command}']").click()

    def close(self) -> None:
        for session in self.server.api("sessions"):
            self.server.api(f"sessions/{session['id']}", "DELETE")


@pytest.fixture(scope="session")
def jupyterlab(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving("lab", tmp_path_factory.mktemp("jupyterlab"), root / "lessons") as server:
        yield server


@pytest.fixture(scope="session")
def notebook7(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving("notebook", tmp_path_factory.mktemp("notebook7"), root / "lessons") as server:
        yield server


@pytest.fixture
def open_lesson(browser: Browser) -> Iterator[Callable[[Server, str], Notebook]]:
    """open_lesson(server, file name) -> the lesson, ready to run. At the end nothing may have gone wrong."""
    opened: list[Notebook] = []

    def open_(server: Server, lesson: str) -> Notebook:
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        notebook = Notebook(context.new_page(), server, lesson)
        notebook.page.set_default_timeout(15_000)
        opened.append(notebook)
        notebook.open()
        return notebook

    yield open_
    for notebook in opened:
        notebook.close()
        notebook.page.context.close()
    assert [fault for notebook in opened for fault in notebook.wrong] == []


expect.set_options(timeout=15_000)

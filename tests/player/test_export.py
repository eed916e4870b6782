"""The page: what it is made of, that no text leaves its place, and that it is written whole or not at all."""

import base64
import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.player.export import page
from ctxlab.player.module import joined_module
from ctxlab.player.question_faces import question_html
from ctxlab.player.widget import Player
from ctxlab.reference import prepare_context
from ctxlab.tracer.run import trace
from ctxlab.tracer.tables import title
from ctxlab.tracer.traces import Trace


class Page(HTMLParser):
    """Reads a page as a browser without scripts does: its elements, and what stands in the scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.tags: list[str] = []
        self.policy = ""
        self.title = ""
        self.inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.inside = tag
        attributes = dict(attrs)
        assert not [name for name in attributes if name.startswith("on")]
        if tag == "script":
            self.scripts.append((attributes, ""))
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "script":
            attributes, text = self.scripts[-1]
            self.scripts[-1] = (attributes, text + data)
        if self.inside == "title":
            self.title += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data[:80]}")


@pytest.fixture(scope="module")
def summary() -> Trace:
    return trace(prepare_context, scenario="summary")


@pytest.fixture(params=["summary", "hostile"])
def run(request: pytest.FixtureRequest, summary: Trace, hostile_trace: Trace) -> Trace:
    return summary if request.param == "summary" else hostile_trace


def test_holds_one_state_one_module_and_one_loader(run: Trace) -> None:
    read = Page(page(run))
    assert [attributes for attributes, _ in read.scripts] == [
        {"type": "application/json", "id": "state"},
        {"type": "text/plain", "id": "module"},
        {"type": "module"},
    ]
    assert read.tags[:8] == ["html", "head", "meta", "meta", "meta", "title", "style", "body"]
    assert not {"img", "link", "iframe", "object", "embed", "base", "form"} & set(read.tags)


def test_only_the_loader_may_run_and_nothing_may_be_fetched(run: Trace) -> None:
    read = Page(page(run))
    rules = dict(rule.split(" ", 1) for rule in read.policy.split("; "))
    _, loader = read.scripts[2]
    digest = base64.b64encode(hashlib.sha256(loader.encode("utf-8")).digest()).decode()
    assert rules == {
        "default-src": "'none'",
        "script-src": f"'sha256-{digest}' blob:",
        "style-src": "'unsafe-inline'",
        "img-src": "data:",
    }


def test_carries_the_state_and_the_module_unchanged(summary: Trace) -> None:
    html = page(summary, step=12, breakpoints=[[0, 150]])
    _, state = Page(html).scripts[0]
    player = Player(summary)
    names = ["trace", "clipped", "cards", "encoding", "heading", "maps"]
    names += ["questions", "predict", "predictions", "findings", "diagnosed"]
    expected = {name: getattr(player, name) for name in names} | {"step": 12, "breakpoints": [[0, 150]]}
    assert json.loads(state) == json.loads(json.dumps(expected))
    _, module = Page(html).scripts[1]
    assert json.loads(module) == joined_module()


def test_a_gated_page_carries_the_question_and_shows_nothing_else(summary: Trace, tmp_path: Path) -> None:
    player = Player(summary, predict="outcome")
    made = {"ask": "outcome", "step": 0, "answer": "returns", "reason": "I </script> say", "tries": 1}
    player.predictions = [made | {"right": True}]
    player.save_html(tmp_path / "run.html")
    html = (tmp_path / "run.html").read_text(encoding="utf-8")
    read = Page(html)
    state = json.loads(read.scripts[0][1])
    assert state["questions"] == player.questions
    assert (state["predict"], state["predictions"]) == ("outcome", player.predictions)
    assert read.title == "prepare_context: a prediction comes first"
    outside = html.replace(read.scripts[0][1], "")
    assert question_html(summary, player.questions[0]) in outside
    assert title(summary) not in outside


def test_no_text_leaves_its_place(hostile_trace: Trace, hostile: str) -> None:
    html = page(hostile_trace)
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == 3
    assert "<" not in scripts[0] + scripts[1]
    assert hostile in json.loads(scripts[0])["trace"]["strings"], "a lone surrogate and NUL included"
    outside = html.replace(scripts[0], "").replace(scripts[1], "").replace(scripts[2], "")
    assert "<img" not in outside
    assert "\u202e" not in outside
    assert html.count("</noscript>") == html.count("<noscript>") == 1


def test_the_title_is_one_safe_line(hostile: str) -> None:
    read = Page(page(trace(failing, hostile)))
    assert read.title.startswith("failing: error ValueError: <img src=x onerror=alert(1)></script>")
    assert read.title.isprintable()


def failing(text: str) -> None:
    raise ValueError(text)


def test_odd_runs_have_a_page(odd_trace: Trace) -> None:
    state = json.loads(Page(page(odd_trace)).scripts[0][1])
    assert state["trace"]["outcome"]["kind"] == odd_trace.outcome.kind


def test_a_long_line_makes_no_long_page(long_line_trace: Trace, summary: Trace) -> None:
    assert len(page(long_line_trace)) < len(page(summary)) + 20_000


def test_is_the_same_each_time(summary: Trace) -> None:
    assert page(summary) == page(trace(prepare_context, scenario="summary"))


def test_a_player_writes_the_step_and_the_breakpoints_that_it_shows(summary: Trace, tmp_path: Path) -> None:
    line = summary.data["sources"][0]["first_line"]
    Player(summary, at=40, breakpoints=[line]).save_html(tmp_path / "run.html")
    state = json.loads(Page((tmp_path / "run.html").read_text(encoding="utf-8")).scripts[0][1])
    assert (state["step"], state["breakpoints"]) == (40, [[0, line]])


# Writing it


def test_writes_the_page_and_nothing_else(summary: Trace, tmp_path: Path) -> None:
    summary.save_html(str(tmp_path / "run.html"))
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == page(summary)
    assert names(tmp_path) == ["run.html"]


def test_a_hostile_page_can_be_written(hostile_trace: Trace, tmp_path: Path) -> None:
    hostile_trace.save_html(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_bytes().decode("utf-8") == page(hostile_trace)


def test_a_name_without_a_folder_is_in_the_current_one(
    summary: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    summary.save_html("run.html")
    assert names(tmp_path) == ["run.html"]


def test_a_new_file_has_the_usual_permissions(summary: Trace, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        summary.save_html(tmp_path / "run.html")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "run.html").stat().st_mode) == 0o640


def test_an_existing_file_keeps_its_permissions(summary: Trace, tmp_path: Path) -> None:
    private = tmp_path / "run.html"
    private.write_text("an older run")
    private.chmod(0o600)
    summary.save_html(private)
    assert private.read_text(encoding="utf-8") == page(summary)
    assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_a_link_stays_a_link(summary: Trace, tmp_path: Path) -> None:
    (tmp_path / "link.html").symlink_to("run.html")
    summary.save_html(tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == page(summary)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def read_only_folder(tmp_path: Path) -> Path:
    if os.geteuid() == 0:
        return Path("/sys")  # permissions do not bind root, but nobody creates a file there
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o500)
    return folder


def test_says_why_it_cannot_be_written_and_leaves_nothing(summary: Trace, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    before = names(tmp_path)
    reasons = {
        tmp_path / "missing" / "run.html": "No such file or directory",
        tmp_path / "file" / "run.html": "Not a directory",
        tmp_path / "folder": "it is a directory",
        tmp_path / "pipe": "it is not a regular file",
        tmp_path / ("n" * 300): "File name too long",
        tmp_path / "nul\0.html": "null byte|null character",
        Path("~") / "run.html": "No such file or directory",
        Path(): "it is a directory",
        read_only_folder(tmp_path) / "run.html": "Permission denied|not permitted|Read-only",
    }
    for path, reason in reasons.items():
        with pytest.raises(CtxlabError, match=reason) as caught:
            summary.save_html(path)
        assert str(caught.value).startswith(repr(str(path)))
        assert "name a file in a folder that exists" in str(caught.value)
    assert [name for name in names(tmp_path) if name != "read-only"] == before


@pytest.mark.parametrize("path", [None, 1, b"run.html"])
def test_what_is_no_path_is_refused(summary: Trace, path: Any) -> None:
    with pytest.raises(CtxlabError, match="a page needs a path, not "):
        summary.save_html(path)


FULL_DISK = """
import resource, sys
from ctxlab.errors import CtxlabError
from ctxlab.reference import split_history
from ctxlab.tracer.run import trace
run = trace(split_history, scenario="normal")
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    run.save_html(sys.argv[1])
except CtxlabError as error:
    print(error)
"""


def test_a_page_that_does_not_fit_leaves_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "run.html"
    target.write_text("an older run")
    command = [sys.executable, "-c", FULL_DISK, target]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "the page cannot be written (File too large)" in done.stdout
    assert target.read_text() == "an older run"
    assert names(tmp_path) == ["run.html"]

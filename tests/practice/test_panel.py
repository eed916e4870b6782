"""The panel, driven as a notebook does it: buttons are clicked, faces are compared."""

import subprocess
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import CtxlabError, Refusal
from ctxlab.practice import PracticePanel
from ctxlab.practice import panel as panel_module


@pytest.fixture(autouse=True)
def directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the panels of a test make their directories."""
    monkeypatch.setattr(panel_module.tempfile, "tempdir", str(tmp_path))
    return tmp_path


class Text(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, Any]]) -> None:
        self.tags.append((tag, dict(attributes)))


def live_text(panel: PracticePanel) -> str:
    """What the live view shows, its buttons apart."""
    return "\n".join(" ".join(Text(widget.value).parts) for widget in words(panel))


def words(panel: PracticePanel) -> list[Any]:
    return [widget for widget in panel.view.children if hasattr(widget, "value") and widget.value]


def marker(directories: Path) -> bool:
    (directory,) = directories.iterdir()
    return (directory / "ran.txt").exists()


def disabled(panel: PracticePanel) -> tuple[bool, bool]:
    return panel.allow_button.disabled, panel.deny_button.disabled


class TestQuestion:
    def test_the_run_waits_at_its_question(self, directories: Path) -> None:
        panel = PracticePanel()
        assert not marker(directories)
        assert "May python main.py be started, once?" in panel.text()
        assert panel.text().endswith(
            "The run waits. Where a kernel runs, answer with a button; no answer is a no."
        )
        assert panel.text().count("parent  ") == 6
        assert disabled(panel) == (False, False)
        assert panel.allow_button.description == "Allow: python main.py, one start"
        assert panel.deny_button.description == "Deny: start nothing"
        assert "The run waits." in live_text(panel)

    def test_allow(self, directories: Path) -> None:
        panel = PracticePanel()
        panel.allow_button.click()
        assert marker(directories)
        assert "comparison: the same" in live_text(panel)
        assert "The run waits." not in live_text(panel) + panel.text()
        result = panel.finish()
        assert (result.comparison, result.permission) == ("the same", "used")
        assert sum(result.requests.values()) == 13

    def test_deny(self, directories: Path) -> None:
        panel = PracticePanel()
        panel.deny_button.click()
        assert not marker(directories)
        assert "comparison: no basis to compare" in live_text(panel)
        assert panel.finish().permission == "denied"

    def test_silence_is_a_no(self, directories: Path) -> None:
        panel = PracticePanel()
        result = panel.finish()
        assert not marker(directories)
        assert (result.started, result.permission) == (False, "denied")
        assert "the person's answer: None was given, and that is a no" in panel.text()
        assert "None was given" in live_text(panel)
        assert disabled(panel) == (True, True)

    def test_the_first_answer_counts(self, directories: Path) -> None:
        panel = PracticePanel()
        panel.deny_button.click()
        panel.allow_button.click()
        assert panel.finish().permission == "denied"
        assert panel.finish() is panel.finish()
        assert not marker(directories)

    def test_the_button_that_was_clicked_keeps_the_keyboard(self) -> None:
        panel = PracticePanel()
        panel.deny_button.click()
        assert disabled(panel) == (True, False)

    def test_a_run_that_ends_early_asks_nobody(self) -> None:
        panel = PracticePanel(budget=1600)
        assert "The run ended before anybody was asked." in panel.text()
        assert "status: context_error" in live_text(panel)
        assert disabled(panel) == (True, True)
        assert panel.finish().requests == {"parent": 1, "sub-agent": 0, "summary": 0}
        assert "the person's answer" not in panel.text()

    def test_the_limit_of_summaries_is_that_of_the_run(self) -> None:
        assert PracticePanel(summary_limit=0).finish().text.startswith("summaries_spent: ")


class TestFaces:
    def test_are_the_same_in_each_run(self) -> None:
        first, second = PracticePanel(), PracticePanel()
        assert first.text() == second.text()
        assert first.html() == second.html()
        first.allow_button.click()
        second.allow_button.click()
        assert (first.text(), first.html()) == (second.text(), second.html())
        assert repr(first.finish()) == repr(second.finish())

    def test_hold_no_directory(self, directories: Path) -> None:
        panel = PracticePanel()
        panel.finish()
        faces = panel.text() + panel.html() + repr(panel) + repr(panel.finish())
        assert str(directories) not in faces
        assert "ctxlab-practice-" not in faces

    def test_the_bundle_has_a_live_view_and_two_static_faces(self) -> None:
        panel = PracticePanel()
        bundle = panel._repr_mimebundle_()
        assert bundle["text/plain"] == panel.text()
        assert bundle["text/html"] == panel.html()
        view = bundle["application/vnd.jupyter.widget-view+json"]
        assert view["model_id"] == panel.view.model_id
        assert repr(panel) == "<Practice: budget 3200 bytes, summaries 1>"

    def test_the_table_is_one_that_can_be_read_aloud(self) -> None:
        page = Text(PracticePanel().html())
        heads = [attributes for tag, attributes in page.tags if tag == "th"]
        assert [head["scope"] for head in heads] == ["col"] * 6
        tags = [tag for tag, _ in page.tags]
        (table,) = [attributes for tag, attributes in page.tags if tag == "table"]
        heading = "Practice: budget 3200 bytes, summaries 1"
        assert table["aria-label"] == heading
        assert PracticePanel().html().index(f">{heading}<") < PracticePanel().html().index("overflow-x")
        assert tags.count("tr") == 1 + 10
        assert tags.count("td") == 60
        assert not {"script", "button", "input"} & set(tags)
        assert "context-000000000001.jsonl" in page.parts

    def test_what_happens_stands_in_a_status_region(self) -> None:
        panel = PracticePanel()
        assert words(panel)[-1].value.startswith('<div role="status">')


class TestFailures:
    def test_limits_that_are_none_are_refused(self) -> None:
        with pytest.raises(Refusal, match="budget is 10"):
            PracticePanel(budget=10)

    def test_where_no_directory_can_be_made(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(panel_module.tempfile, "tempdir", str(tmp_path / "gone"))
        with pytest.raises(CtxlabError, match="no directory can be made for the run"):
            PracticePanel()

    def test_a_failure_after_the_answer_is_raised_where_the_answer_was_given(self, directories: Path) -> None:
        panel = PracticePanel()
        (directory,) = directories.iterdir()
        (directory / ".context").rename(directory / "gone")
        with pytest.raises(CtxlabError, match="the state cannot be written"):
            panel.finish()


def test_no_thread_is_left_once_it_is_finished() -> None:
    before = threading.active_count()
    panel = PracticePanel()
    assert threading.active_count() == before + 1
    panel.finish()
    assert threading.active_count() == before


def test_a_panel_that_nobody_answers_neither_stops_the_kernel_nor_leaves_files(directories: Path) -> None:
    script = "from ctxlab.practice import PracticePanel\npanel = PracticePanel()\nprint(panel)"
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={"TMPDIR": str(directories)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert run.stdout == "<Practice: budget 3200 bytes, summaries 1>\n"
    assert list(directories.iterdir()) == []


def test_the_package_offers_it_without_loading_widgets() -> None:
    script = "import sys, ctxlab.practice\nprint('ipywidgets' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert run.stdout == "False\n"
    with pytest.raises(ImportError):
        exec("from ctxlab.practice import Panel")

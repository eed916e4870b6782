"""The practice panel in a real JupyterLab: answered by keyboard, by mouse, and not at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CELLS = ["from ctxlab.practice import PracticePanel\n\npanel = PracticePanel()\npanel", "panel.finish()"]
ALLOW, DENY = "Allow: python main.py, one start", "Deny: start nothing"


@pytest.fixture
def page(jupyterlab: Any, open_lesson: Callable[..., Any]) -> Page:
    """A notebook with a panel in its first cell, which has run."""
    name = "practice.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, Path(jupyterlab.home) / "lessons" / name)
    page: Page = open_lesson(jupyterlab, name).page
    run(page, 0)
    expect(page.get_by_role("button", name=ALLOW)).to_be_visible()
    return page


def run(page: Page, number: int) -> Locator:
    """Run a cell, and return it."""
    cell = page.locator(".jp-CodeCell").nth(number)
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    return cell


def test_allow_by_keyboard(page: Page) -> None:
    expect(page.get_by_text("The run waits.")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(1 + 10)
    allow = page.get_by_role("button", name=ALLOW)
    allow.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="comparison: the same")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(1 + 13)
    expect(allow).to_be_focused()
    expect(page.get_by_role("button", name=DENY)).to_be_disabled()
    expect(run(page, 1).locator(".jp-OutputArea-output")).to_contain_text("comparison: the same")


def test_deny_by_mouse(page: Page) -> None:
    page.get_by_role("button", name=DENY).click()
    expect(page.get_by_role("status").filter(has_text="no process was started")).to_be_visible()
    expect(run(page, 1).locator(".jp-OutputArea-output")).to_contain_text("no basis to compare")


def test_silence_is_a_no(page: Page) -> None:
    expect(run(page, 1).locator(".jp-OutputArea-output")).to_contain_text("permission: denied")
    expect(page.get_by_text("None was given, and that is a no")).to_be_visible()
    expect(page.get_by_role("button", name=ALLOW)).to_be_disabled()


def test_a_narrow_page_cuts_off_no_heading(page: Page) -> None:
    page.keyboard.press("Control+b")  # the file browser goes
    page.set_viewport_size({"width": 400, "height": 900})
    heading = page.get_by_text("Practice: budget 3200 bytes, summaries 1").first
    table = page.get_by_role("table", name="Practice: budget")
    wide = page.locator(".jp-OutputArea-output").first.bounding_box()
    assert wide
    for part in (heading, table.locator("..")):
        box = part.bounding_box()
        assert box
        assert box["x"] + box["width"] <= wide["x"] + wide["width"]
    table.get_by_text("snapshot").scroll_into_view_if_needed()
    expect(table.get_by_text("snapshot")).to_be_in_viewport()

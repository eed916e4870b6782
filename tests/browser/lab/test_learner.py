"""A learner works through lesson 01 in JupyterLab: predicts, answers, writes, fails, compares, passes."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from ctxlab.exercises.exercise import exercise

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LESSON = "01_split.ipynb"
NAME = "safe_cut"
WRONG = "negative"


def test_a_learner_works_through_lesson_01(jupyterlab: Any, open_lesson: Callable[..., Any]) -> None:
    notebook = open_lesson(jupyterlab, LESSON)
    notebook.run_all()
    page = notebook.page

    recall = page.locator(".act-recall")
    recall.get_by_role("button", name="A call message together with the message of its results.").click()
    expect(recall).to_contain_text("Right.")

    # The player is open to the first step only, until the learner has said what will come.
    gated = page.locator(".jp-CodeCell", has_text='predict("01")').locator(".ctx-player")
    expect(gated.locator(".ctx-outcome")).to_have_count(0)
    gated.get_by_role("radio", name="returns", exact=True).check()
    gated.get_by_role("textbox").fill("Where fewer exchanges exist than are kept, none is older.")
    gated.get_by_role("button", name="Answer").click()
    expect(gated.locator(".ctx-outcome")).to_have_text("returned")
    expect(gated.locator(".ctx-question")).to_contain_text("none is older")

    explain = page.locator(".act-explain")
    explain.get_by_role("textbox").fill("A cut there would split a pair.")
    explain.get_by_role("button").first.click()
    expect(explain).to_contain_text("leaves a call without its answer")

    wanted = exercise(NAME)
    (wrong,) = [version for version in wanted.wrong if version.name == WRONG]
    cell = page.locator(".jp-CodeCell", has_text=f'check("{NAME}", {NAME})').first
    write(page, cell, f'{wrong.text}\n\ncheck("{NAME}", {NAME})')
    verdict = cell.locator(".jp-OutputArea")
    expect(verdict).to_contain_text("The smallest input found on which it fails:")
    expect(verdict).to_contain_text(wrong.message)
    verdict.get_by_role("button", name="Open both runs").click()
    expect(verdict.locator(".ctx-compare")).to_contain_text("The results first differ")

    write(page, cell, f'{wanted.solution}\n\ncheck("{NAME}", {NAME})')
    expect(verdict).to_contain_text(f"{NAME}: Passed.")

    # A look at what has been done, in a cell of one's own: the hint's cell is nearest.
    hints = page.locator(".jp-CodeCell", has_text=f'# hint("{NAME}")').first
    write(page, hints, "from ctxlab.exercises import progress\nprogress()")
    shown = page.locator(".jp-CodeCell", has_text="import progress")
    expect(shown.locator("tr", has_text="01_split")).to_contain_text("1 of 2")


def write(page: Page, cell: Locator, text: str) -> None:
    """Put a text in the place of a cell's, and run the cell."""
    editor = cell.locator(".cm-content")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    # Typed in one go, so that the editor closes no bracket and indents no line by itself.
    page.keyboard.insert_text(text)
    page.keyboard.press("Control+Enter")

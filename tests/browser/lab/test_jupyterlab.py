"""Each lesson, run and used by hand in a real JupyterLab; one of them in Notebook 7 too."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LESSONS = sorted(path.name for path in (Path(__file__).parents[3] / "lessons").glob("*.ipynb"))
SAVED_MS = 500  # by then the page has told the kernel at which step it is


@dataclass(frozen=True)
class Use:
    """What a learner does with a lesson's lab of `function`: a scenario to choose, a line to stop on."""

    function: str
    scenario: str
    line: str


USES = {
    "00_start.ipynb": Use("prepare_context", "summary", "receipt = archive("),
    "01_split.ipynb": Use("split_history", "multi", "exchanges.append("),
    "02_trim.ipynb": Use("trim_results", "error", 'block["content"] = marker'),
    "03_prepare.ipynb": Use("prepare_context", "summary", "summary = summarize("),
    "04_commit.ipynb": Use("run_loop", "summary", "messages[:] = candidate"),
    "05_count.ipynb": Use("count_request", "image", "uncounted.append("),
    "14_diagnose.ipynb": Use("check_pairs", "interrupted", '"unanswered_tool_use"'),
}


def test_every_lesson_has_its_test() -> None:
    assert LESSONS
    assert list(USES) == LESSONS


@pytest.mark.parametrize("lesson", LESSONS)
def test_lesson_in_jupyterlab(lesson: str, jupyterlab: Any, open_lesson: Callable[..., Any]) -> None:
    notebook = open_lesson(jupyterlab, lesson)
    notebook.run_all()
    use_the_lab(notebook.page, USES[lesson])


def test_lesson_in_notebook_7(notebook7: Any, open_lesson: Callable[..., Any]) -> None:
    notebook = open_lesson(notebook7, "01_split.ipynb")
    notebook.run_all()
    use_the_lab(notebook.page, USES["01_split.ipynb"])


def use_the_lab(page: Page, use: Use) -> None:
    """Toggle scenarios, step, set a breakpoint, run to it, step back; by mouse and by keyboard."""
    # A cell that failed shows its error; a widget that failed shows no player.
    expect(page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.error']")).to_have_count(0)
    labs = page.locator(".jp-OutputArea-output", has=page.locator(".widget-toggle-buttons"))
    lab = labs.filter(has=page.locator(".ctx-function", has_text=use.function)).first
    player = lab.locator(".ctx-player")
    expect(player).to_be_visible()
    at(player, 0)

    # A scenario, chosen with the keyboard, records a fresh run.
    button = lab.locator(".widget-toggle-button", has_text=re.compile(f"^{use.scenario}$")).last
    button.focus()
    page.keyboard.press("Space")
    expect(player.locator(".ctx-setting", has_text="scenario")).to_have_text(f"scenario {use.scenario}")
    at(player, 0)

    player.get_by_role("button", name="Step", exact=True).click()
    at(player, 1)

    line = player.locator(".ctx-line", has_text=use.line).first
    mark = line.get_by_role("button", name=re.compile("Breakpoint"))
    mark.click()
    expect(mark).to_have_attribute("aria-pressed", "true")
    player.get_by_role("button", name="Run to breakpoint", exact=True).click()
    expect(line).to_have_attribute("aria-current", "step")
    reached = step_of(player)
    assert reached > 1

    page.keyboard.press("ArrowLeft")
    at(player, reached - 1)

    page.wait_for_timeout(SAVED_MS)

    # Another scenario clears the breakpoint: it belonged to the other run.
    lab.locator(".widget-toggle-button", has_text=re.compile("^normal$")).last.click()
    expect(player.locator(".ctx-setting", has_text="scenario")).to_have_text("scenario normal")
    expect(player.locator(".ctx-gutter[aria-pressed='true']")).to_have_count(0)
    at(player, 0)


def step_of(player: Locator) -> int:
    found = re.search(r"step (\d+) of", player.locator(".ctx-position").inner_text())
    assert found, "the player does not say at which step it is"
    return int(found[1])


def at(player: Locator, step: int) -> None:
    expect(player.locator(".ctx-position")).to_contain_text(f"step {step} of ")

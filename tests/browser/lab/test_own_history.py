"""A learner loads a transcript into a lab in JupyterLab, sees what is wrong, and tries split on it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SAMPLE = Path(__file__).parents[2] / "data" / "transcripts" / "chat_request.json"
# At this width of the window 400 px are left for the lab, beside the file browser.
NARROW = {"width": 832, "height": 900}


def test_a_history_of_ones_own(jupyterlab: Any, open_lesson: Callable[..., Any], tmp_path: Path) -> None:
    notebook = open_lesson(jupyterlab, "01_split.ipynb")
    notebook.run_all()
    page = notebook.page
    lab = page.locator(".jp-OutputArea-output", has=page.locator(".widget-upload")).first
    expect(lab).to_contain_text("up to 10 MB")

    # What holds no history is named, and the run stays.
    broken = tmp_path / "<b>broken.json"
    broken.write_text('[{"role": "user",}]')
    load(lab, broken)
    expect(lab).to_contain_text("Nothing was loaded. <b>broken.json, line 1, column 18: not JSON")
    expect(lab.locator(".ctx-function")).to_have_text("split_history")

    # Diagnosis first, as a person whose request was rejected would look.
    choose(lab, "diagnose")
    expect(lab.locator(".ctx-function")).to_have_count(0)
    mine = tmp_path / "<i>mine.json"
    mine.write_text(SAMPLE.read_text("utf-8").replace('"tool_call_id": "', '"tool_call_id": "lost-', 1))
    load(lab, mine)
    expect(button(lab, "<i>mine.json")).to_have_class(re.compile("mod-active"))
    diagnosis = lab.locator(".ctx-diagnosis")
    expect(diagnosis).to_contain_text("orphan tool message")
    expect(diagnosis).to_contain_text("<i>mine.json")

    choose(lab, "split")
    expect(lab.locator(".ctx-function")).to_have_text("split_history")
    expect(lab.locator(".ctx-setting", has_text="scenario")).to_have_text("scenario <i>mine.json")
    expect(lab).to_contain_text("system texts: 1 (message 0)")
    expect(lab).to_contain_text("calls without a result: 1 (message 2)")

    # The same file can be loaded once more, and a scenario is still one click away.
    load(lab, mine)
    button(lab, "mismatch").click()
    expect(lab.locator(".ctx-outcome")).to_contain_text("mismatch")

    # Nothing is wider than a narrow notebook.
    page.set_viewport_size(NARROW)
    expect(lab.locator(".ctx-function")).to_be_visible()
    assert 380 < lab.evaluate("lab => lab.clientWidth") < 420
    wider = (
        "lab => [...lab.querySelectorAll('button')].filter((one) => one.offsetWidth > lab.clientWidth).length"
    )
    assert lab.evaluate(wider) == 0


def load(lab: Locator, path: Path) -> None:
    with lab.page.expect_file_chooser() as chooser:
        lab.locator(".widget-upload").click()
    chooser.value.set_files(path)


def choose(lab: Locator, function: str) -> None:
    button(lab, function).click()


def button(lab: Locator, name: str) -> Locator:
    return lab.locator(".widget-toggle-button").get_by_text(name, exact=True)

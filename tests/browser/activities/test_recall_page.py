"""Recall in a real browser: every option says why, by keyboard too, and no text becomes markup."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ctxlab.exercises.activities.lesson import Option, Question
from ctxlab.exercises.activities.recall import Recall

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
HOSTILE = "<img src=x onerror='window.hacked = 1'>\u202e"
OpenActivity = Callable[..., Page]


def widget() -> Recall:
    def question(name: str) -> Question:
        return Question(
            question=f"{name}: where may a history be cut?",
            options=[
                Option(text=f"{name} before a call", right=True, says="Both halves stay together."),
                Option(text=f"{name} after a call", right=False, says="Its result would answer nothing."),
                Option(text=f"{name} {HOSTILE}", right=False, says=f"No: {HOSTILE}"),
            ],
        )

    return Recall("01", [question("First"), question("Second")])


def said(page: Page) -> str:
    return page.get_by_role("status").text_content() or ""


def test_nothing_is_told_before_an_answer(open_activity: OpenActivity) -> None:
    page = open_activity(widget())
    expect(page.get_by_role("button", pressed=False)).to_have_count(6)
    assert "stay together" not in page.locator("#widget").inner_text()
    expect(page.locator(".act-verdict")).to_have_count(0)


def test_each_option_says_below_it_why_it_is_right_or_wrong(open_activity: OpenActivity) -> None:
    page = open_activity(widget())
    wrong = page.get_by_role("button", name="First after a call")
    wrong.click()
    expect(wrong).to_have_accessible_description("Wrong. Its result would answer nothing.")
    assert said(page) == "Wrong. Its result would answer nothing."
    page.get_by_role("button", name="Second before a call").click()
    assert said(page) == "Right. Both halves stay together."
    expect(page.get_by_role("button", pressed=True)).to_have_count(2)
    assert page.evaluate("model.get('chosen')") == [[1], [0]]
    wrong.click()
    assert page.evaluate("[model.get('chosen'), model.saves]") == [[[1], [0]], 2]
    assert said(page) == "Wrong. Its result would answer nothing.", "it is said again"


def test_answered_by_keyboard_alone(open_activity: OpenActivity) -> None:
    page = open_activity(widget())
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert said(page) == "Right. Both halves stay together."
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.evaluate("model.get('chosen')") == [[0, 1], []]
    assert page.evaluate("document.activeElement.dataset.lmSuppressShortcuts") == "true"


def test_an_answer_that_was_kept_is_there_again(open_activity: OpenActivity) -> None:
    first = widget()
    first.set_state({"chosen": [[1], []]})
    page = open_activity(widget())
    expect(page.get_by_role("button", pressed=True)).to_have_accessible_name("First after a call")
    expect(page.locator(".act-verdict")).to_contain_text("Its result would answer nothing.")
    assert said(page) == "", "nothing is said that was not asked for"


def test_hostile_text_does_nothing(open_activity: OpenActivity) -> None:
    page = open_activity(widget())
    page.get_by_role("button", name="First <img").click()
    assert page.locator("#widget img").count() == 0
    assert page.evaluate("window.hacked") is None
    expect(page.locator(".act-verdict .ctx-unseen")).to_have_text("U+202E")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [900, 400])
def test_axe_finds_nothing(open_activity: OpenActivity, theme: str, width: int) -> None:
    page = open_activity(widget(), width=width, color_scheme=theme)
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    for number in range(3):
        page.get_by_role("button").nth(number).click()
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        assert [(rule["id"], rule["nodes"][0]["html"][:160]) for rule in found["violations"]] == []
        assert len(found["passes"]) > 10
    assert page.evaluate("document.documentElement.scrollWidth") <= width

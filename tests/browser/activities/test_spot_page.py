"""Spot in a real browser: two tries at each history, what is told then, keyboard, themes, narrow pages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from ctxlab.exercises import spot
from ctxlab.exercises.activities.spot import Spot, SpotFile

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
HOSTILE = "<img src=x onerror='window.hacked = 1'>\u202e"
OpenActivity = Callable[..., Page]


@pytest.fixture
def page(open_activity: OpenActivity) -> Page:
    return open_activity(spot("14"))


def said(page: Page) -> str:
    return page.get_by_role("status").text_content() or ""


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def choose(page: Page, message: int, kind: str) -> None:
    page.get_by_role("group", name="The message to blame").get_by_role("radio").nth(message).check()
    page.get_by_role("group", name="What is wrong with it").get_by_role("radio", name=kind).check()
    button(page, "Check").click()


def test_a_right_try_shows_what_diagnose_finds(page: Page) -> None:
    history = spot("14").histories[0]
    assert "whose call is gone" in page.locator("#widget").inner_text(), "a kind to choose from"
    for told in (history["code"], history["text"], history["fix"], history["story"], history["source"]):
        assert told not in page.locator("#widget").inner_text()
    choose(page, 1, "A result whose call is gone")
    assert said(page) == "Found. It is message 1: a result whose call is gone."
    for told in (history["code"], history["text"], history["fix"], history["story"], history["source"]):
        assert told in page.locator("#widget").inner_text()
    expect(page.get_by_role("radio", disabled=True)).to_have_count(6 + 8)
    expect(page.locator(".act-spot-mark:visible")).to_have_count(2)
    expect(page.get_by_text("1 of 8 looked at, 1 found")).to_be_visible()
    assert page.evaluate("model.get('tried')")[0] == [[1, 0]]
    expect(button(page, "Next history")).to_be_focused()


@pytest.mark.parametrize(
    ("message", "kind", "told"),
    [
        (1, "A second result for one call", "The message is right. What is wrong with it is something else."),
        (
            0,
            "A result whose call is gone",
            "Such a fault is in this history, but another message is to blame.",
        ),
        (0, "A second result for one call", "Neither the message nor the kind."),
    ],
)
def test_after_two_wrong_tries_it_is_told(page: Page, message: int, kind: str, told: str) -> None:
    choose(page, message, kind)
    assert said(page) == f"Not yet. {told} One more try."
    expect(page.locator(".act-spot-told")).to_be_hidden()
    choose(page, 5, "Arguments that are no JSON")
    assert said(page) == "Not found. It is message 1: a result whose call is gone."
    expect(page.locator(".act-spot-told")).to_contain_text("orphan_tool_result")
    expect(page.get_by_text("1 of 8 looked at, 0 found")).to_be_visible()
    button(page, "Try this one again").click()
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    expect(page.locator(".act-spot-told")).to_be_hidden()
    assert page.evaluate("model.get('tried')")[0] == []


def test_half_an_answer_is_no_try(page: Page) -> None:
    button(page, "Check").click()
    assert said(page) == "Not checked. Choose a message, and what is wrong with it."
    page.get_by_role("radio", name="Arguments that are no JSON").check()
    button(page, "Check").click()
    assert page.evaluate("model.saves") == 0
    expect(page.locator(".act-verdict")).to_be_visible()


def test_answered_by_keyboard_alone(page: Page) -> None:
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert said(page) == "Found. It is message 1: a result whose call is gone."
    page.keyboard.press("Enter")
    assert said(page) == "History 2 of 8, Anthropic Messages"
    focused = "document.activeElement.dataset.lmSuppressShortcuts + document.activeElement.type"
    assert page.evaluate(focused) == "trueradio"


def test_goes_through_all_histories_and_stops_at_the_ends(page: Page) -> None:
    expect(button(page, "Previous history")).to_be_hidden()
    for number in range(2, 9):
        button(page, "Next history").click()
        expect(page.locator(".act-spot-title")).to_contain_text(f"History {number} of 8")
    expect(button(page, "Next history")).to_be_hidden()
    choose(page, 1, "Arguments that are no JSON")
    expect(button(page, "Try this one again")).to_be_focused()
    button(page, "Previous history").click()
    expect(page.locator(".act-spot-title")).to_contain_text("History 7 of 8")
    assert page.evaluate("model.saves") == 1


def test_opens_on_the_first_history_that_is_not_done(open_activity: OpenActivity) -> None:
    first = spot("14")
    first.set_state({"tried": [[[1, 0]], [[0, 0]], *([] for _ in first.histories[2:])]})
    page = open_activity(spot("14"))
    expect(page.locator(".act-spot-title")).to_contain_text("History 2 of 8")
    expect(page.locator(".act-verdict")).to_contain_text("Not yet.")
    assert said(page) == "", "nothing is said that was not asked for"


def test_hostile_text_does_nothing(open_activity: OpenActivity) -> None:
    result = {"type": "tool_result", "tool_use_id": HOSTILE, "content": HOSTILE}
    history = {"api": "anthropic-messages", "source": HOSTILE, "story": HOSTILE}
    messages = [{"role": "user", "content": HOSTILE}, {"role": "user", "content": [result]}]
    kinds = [{"text": HOSTILE, "codes": ["orphan_tool_result"]}, {"text": "other", "codes": ["none"]}]
    file = SpotFile.model_validate({"kinds": kinds, "histories": [{**history, "messages": messages}]})
    page = open_activity(Spot("14", file))
    choose(page, 1, "<img")
    assert said(page).startswith("Found.")
    assert page.locator("#widget img").count() == 0
    assert page.evaluate("window.hacked") is None
    assert page.locator(".ctx-unseen").count() > 3


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [900, 400])
def test_axe_finds_nothing(open_activity: OpenActivity, theme: str, width: int) -> None:
    page = open_activity(spot("14"), width=width, color_scheme=theme)
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    for message, kind in ((0, "A second result"), (1, "A result whose call is gone")):
        choose(page, message, kind)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        assert [(rule["id"], rule["nodes"][0]["html"][:160]) for rule in found["violations"]] == []
        assert len(found["passes"]) > 10
    for _ in range(8):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if button(page, "Next history").is_visible():
            button(page, "Next history").click()

"""Predicting in a real browser: by keyboard alone, the future hidden, in both themes, in a narrow window."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

AXE = Path(__file__).parent.parent / "js" / "node_modules" / "axe-core" / "axe.min.js"
OpenPlayer = Callable[..., Page]
ASKED = ("ask-decisions", "ask-outcome", "ask-messages")


def to_question(page: Page) -> None:
    page.locator(".ctx-player").focus()
    page.keyboard.press("End")
    expect(page.locator(".ctx-fields")).to_be_focused()


def predictions(page: Page) -> list[dict[str, object]]:
    made: list[dict[str, object]] = page.evaluate("players[0].model.get('predictions')")
    return made


def test_a_decision_is_predicted_by_keyboard_alone(open_player: OpenPlayer) -> None:
    page = open_player("ask-decisions")
    to_question(page)
    # Held too long, an arrow key steps; it must not choose.
    page.keyboard.press("ArrowRight")
    expect(page.locator(".ctx-option input:checked")).to_have_count(0)
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name="yes")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="no")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.locator(".ctx-said")).to_have_text("Right. You said no.")
    expect(page.locator(".ctx-player")).to_be_focused()
    page.keyboard.press("n")
    expect(page.locator(".ctx-fields")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".ctx-form")).to_be_hidden()
    assert [made["answer"] for made in predictions(page)] == ["no"]


def test_an_outcome_is_predicted_by_keyboard_alone(open_player: OpenPlayer) -> None:
    page = open_player("ask-outcome")
    to_question(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("nothing is wrong? n, p and ? are letters here")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".ctx-feedback")).to_contain_text("Not so. One more try. Look at line")
    expect(page.locator(".ctx-fields")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("radio", name="refuses: pending")).to_be_checked()
    page.keyboard.press("Enter")
    said = page.locator(".ctx-question")
    expect(said).to_have_text(
        "Right. You said: refuses: pending, because “nothing is wrong? n, p and ? are letters here”. "
        "The run: refuses: pending."
    )
    expect(page.locator(".ctx-player")).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator(".ctx-position")).to_have_text("step 8 of 8")
    expect(said).to_be_visible()


def test_messages_are_predicted_by_keyboard_alone(open_player: OpenPlayer) -> None:
    page = open_player("ask-messages")
    to_question(page)
    for position in range(7):
        page.keyboard.press("Tab")
        if position in (2, 4):
            page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("old and long")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator(".ctx-question")).to_contain_text("Right. You said: messages 2, 4 change or go")
    assert predictions(page)[0]["answer"] == [2, 4]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ask-decisions", ["3351 <= 1600", "over budget by", "scenario", "returned\n", "summarised\n"]),
        ("ask-outcome", ["refused: pending", "no result", "The newest call", "scenario", "message 3 has"]),
        ("ask-messages", ["trimmed", "marker, and", "Not a result: the text of message", "scenario"]),
    ],
)
def test_the_answer_is_nowhere_in_the_page_while_it_is_asked(
    open_player: OpenPlayer, name: str, words: list[str]
) -> None:
    page = open_player(name)
    to_question(page)
    panels = page.locator(".ctx-panels .ctx-tab")
    for number in range(panels.count()):
        panels.nth(number).click()
        shown = page.locator("body").inner_text()
        for word in words:
            assert word not in shown, f"panel {number}: {word}"
    # What one reasons from is there.
    expect(page.locator(".ctx-code .ctx-now")).to_be_visible()
    expect(page.locator(".ctx-card").first).to_be_visible()


def test_the_slider_stops_at_the_question(open_player: OpenPlayer) -> None:
    page = open_player("ask-decisions")
    slider = page.get_by_role("slider")
    stop = page.evaluate("players[0].model.get('questions')[0].step")
    slider.focus()
    page.keyboard.press("End")
    assert page.evaluate("players[0].model.get('step')") == stop
    expect(page.locator(".ctx-fields")).to_be_focused()
    assert "of" not in (slider.get_attribute("aria-valuetext") or "").split(",")[0]


def test_a_click_answers_and_the_keys_go_on_stepping(open_player: OpenPlayer) -> None:
    page = open_player("ask-decisions")
    page.get_by_role("button", name="End").click()
    page.get_by_label("yes").check()
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".ctx-said")).to_have_text("Not so. You said yes.")
    at = page.evaluate("players[0].model.get('step')")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("players[0].model.get('step')") == at - 1


def test_the_question_is_a_named_group_of_choices(open_player: OpenPlayer) -> None:
    page = open_player("ask-messages")
    group = page.get_by_role("group", name=re.compile("Which messages of the input will not come out"))
    expect(group.get_by_role("checkbox")).to_have_count(7)
    expect(group.get_by_role("checkbox", name="2 user result call_1, 1,303 bytes")).to_be_visible()
    expect(page.get_by_role("textbox", name="Because")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ASKED)
def test_axe_finds_nothing(open_player: OpenPlayer, name: str, theme: str) -> None:
    page = open_player(name, color_scheme=theme)
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    to_question(page)

    def violations() -> list[str]:
        found: list[str] = page.evaluate(
            "async () => (await axe.run()).violations.map((v) => `${v.id}: ${v.nodes[0].html}`)"
        )
        return found

    assert violations() == []
    reason = page.locator(".ctx-reason")
    page.locator(".ctx-option input").first.check()
    if reason.count():
        reason.fill("because")
    page.get_by_role("button", name="Answer").click()
    page.wait_for_timeout(150)  # for the colours of the button to settle
    assert violations() == []


@pytest.mark.parametrize("name", ASKED)
def test_fits_a_narrow_window(open_player: OpenPlayer, name: str) -> None:
    page = open_player(name, width=400)
    to_question(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    wide = page.evaluate(
        """() => [...document.querySelectorAll('.ctx-question *')]
                  .filter((node) => node.getBoundingClientRect().right > 400).length"""
    )
    assert wide == 0


def test_many_messages_scroll_in_their_own_list(open_player: OpenPlayer) -> None:
    options = [f"{number} user text, 10 bytes" for number in range(1001)]
    page = open_player("ask-messages")
    question = page.evaluate("players[0].model.get('questions')[0]")
    page = open_player("ask-messages", {"questions": [question | {"options": options}]})
    expect(page.get_by_role("checkbox")).to_have_count(1001)
    box = page.locator(".ctx-question").bounding_box()
    assert box
    assert box["height"] < 450

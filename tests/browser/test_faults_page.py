"""What is wrong with a history, in a real browser: marked in both themes and in a narrow window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

AXE = Path(__file__).parent.parent / "js" / "node_modules" / "axe-core" / "axe.min.js"
OpenPlayer = Callable[..., Page]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1300), ("dark", 1300), ("dark", 400)])
def test_a_fault_is_marked_by_shape_and_word_and_told_in_full(
    scheme: str, width: int, open_player: OpenPlayer
) -> None:
    page = open_player("faulty", width=width, color_scheme=scheme)
    page.get_by_role("tab", name="Checks").click()
    cards = page.locator('.ctx-card[data-which="0"]')
    mark = cards.nth(5).locator(".ctx-mark")
    expect(mark).to_have_text("duplicate tool use id")
    expect(mark.locator("svg")).to_be_visible()
    words = mark.locator("span").evaluate("node => [node.scrollWidth, node.clientWidth]")
    assert words[0] <= words[1], "the words are not cut off"
    card, inside = cards.nth(5).bounding_box(), mark.bounding_box()
    assert card
    assert inside
    assert inside["x"] + inside["width"] <= card["x"] + card["width"]
    cards.nth(5).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".ctx-fault")).to_have_count(2)
    expect(page.locator(".ctx-fault").first).to_contain_text("Give the later call a new id")
    expect(page.locator("[aria-live]").first).to_contain_text("duplicate tool use id")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    assert [violation["id"] for violation in found["violations"]] == []

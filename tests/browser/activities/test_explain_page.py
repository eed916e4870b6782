"""Explain in a real browser: a sentence first, then the model answer beside it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ctxlab.exercises.activities.explain import Explain
from ctxlab.exercises.activities.lesson import Explanation

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
HOSTILE = "<img src=x onerror='window.hacked = 1'></textarea><script>window.hacked = 1</script>"
OpenActivity = Callable[..., Page]


def widget() -> Explain:
    return Explain(
        "01", Explanation(question="Why is a copy made first?", model_answer=f"Because. {HOSTILE}")
    )


def compare(page: Page) -> None:
    page.get_by_role("button", name="Compare with a model answer").click()


@pytest.mark.parametrize("blank", ["", "  \n "])
def test_without_a_sentence_nothing_opens(open_activity: OpenActivity, blank: str) -> None:
    page = open_activity(widget())
    field = page.get_by_role("textbox", name="Your sentence")
    field.fill(blank)
    compare(page)
    expect(page.get_by_role("group", name="A model answer")).to_be_hidden()
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description("Write a sentence of your own first.")
    assert page.get_by_role("status").text_content() == "Write a sentence of your own first."
    assert page.evaluate("[model.saves, model.get('opened')]") == [0, False]
    field.press("x")
    expect(field).to_have_accessible_description("")


def test_a_sentence_opens_the_model_answer(open_activity: OpenActivity) -> None:
    page = open_activity(widget())
    page.keyboard.press("Tab")
    page.keyboard.type(HOSTILE)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="A model answer")).to_contain_text(f"Because. {HOSTILE}")
    assert page.get_by_role("status").text_content() == f"A model answer: Because. {HOSTILE}"
    expect(page.get_by_role("textbox")).to_be_focused()
    expect(page.get_by_role("button")).to_have_count(0)
    assert page.evaluate("[model.get('sentence'), model.get('opened')]") == [HOSTILE, True]
    assert page.evaluate("window.hacked") is None
    assert page.locator("#widget img").count() == 0


def test_a_sentence_can_be_bettered(open_activity: OpenActivity) -> None:
    page = open_activity(widget())
    page.get_by_role("textbox").fill("First.")
    compare(page)
    page.get_by_role("textbox").fill("Second.")
    page.get_by_role("textbox").blur()
    assert page.evaluate("model.get('sentence')") == "Second."
    page.get_by_role("textbox").fill(" ")
    page.get_by_role("textbox").blur()
    assert page.evaluate("model.get('sentence')") == "Second.", "there is always a sentence"


def test_a_sentence_that_was_kept_is_there_again(open_activity: OpenActivity) -> None:
    first = widget()
    first.set_state({"sentence": "Mine.", "opened": True})
    page = open_activity(widget())
    expect(page.get_by_role("textbox")).to_have_value("Mine.")
    expect(page.get_by_role("group", name="A model answer")).to_be_visible()


def test_both_stand_side_by_side_where_there_is_room(open_activity: OpenActivity) -> None:
    for width, beside in ((900, True), (400, False)):
        page = open_activity(widget(), width=width)
        page.get_by_role("textbox").fill("Mine.")
        compare(page)
        field = page.get_by_role("textbox").bounding_box()
        answer = page.get_by_role("group", name="A model answer").bounding_box()
        assert field
        assert answer
        assert (answer["x"] >= field["x"] + field["width"]) == beside
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_field_keeps_the_keys_of_the_notebook_away(open_activity: OpenActivity) -> None:
    page = open_activity(widget())
    assert page.locator("#widget :is(button, textarea)").count() == 2
    assert page.locator("#widget :is(button, textarea):not([data-lm-suppress-shortcuts=true])").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [900, 400])
def test_axe_finds_nothing(open_activity: OpenActivity, theme: str, width: int) -> None:
    page = open_activity(widget(), width=width, color_scheme=theme)
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    for sentence in ("", "Mine."):
        page.get_by_role("textbox").fill(sentence)
        compare(page)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        assert [(rule["id"], rule["nodes"][0]["html"][:160]) for rule in found["violations"]] == []
        assert len(found["passes"]) > 10

"""Order in a real browser: keyboard, buttons, dragging, what is said, themes, narrow pages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ctxlab.exercises.activities.order import Order
from ctxlab.exercises.activities.steps import steps_of
from ctxlab.reference import prepare_context, split_history

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
STEPS = [step.text for step in steps_of(split_history)]
START = [3, 2, 0, 1]
OpenActivity = Callable[..., Page]


@pytest.fixture
def page(open_activity: OpenActivity) -> Page:
    return open_activity(Order("01", split_history))


def places(page: Page) -> list[int]:
    """The arrangement on the page, which must be the one that the model holds."""
    texts = page.locator(".act-step-text").all_text_contents()
    shown = [STEPS.index(text) for text in texts]
    assert shown == page.evaluate("model.get('places')")
    assert page.locator(".act-place").all_text_contents() == [str(at + 1) for at in range(len(shown))]
    return shown


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.getAttribute('aria-label')"))


def said(page: Page) -> str:
    return page.get_by_role("status").text_content() or ""


def check(page: Page) -> None:
    page.get_by_role("button", name="Check", exact=True).click()


def set_places(page: Page, arrangement: list[int]) -> None:
    page.evaluate("places => model.set('places', places)", arrangement)


def test_up_and_down_move_the_focus_and_stop_at_the_ends(page: Page) -> None:
    page.keyboard.press("Tab")
    assert focused(page) == f"Place 1 of 4: {STEPS[3]}"
    for key, place in (("ArrowUp", 1), ("ArrowDown", 2), ("End", 4), ("ArrowDown", 4), ("Home", 1)):
        page.keyboard.press(key)
        assert focused(page).startswith(f"Place {place} of 4: "), key
    assert places(page) == START
    assert page.evaluate("model.saves") == 0


def test_alt_moves_the_step_and_the_focus_stays_with_it(page: Page) -> None:
    page.keyboard.press("Tab")
    page.keyboard.press("Alt+ArrowDown")
    assert places(page) == [2, 3, 0, 1]
    assert focused(page) == f"Place 2 of 4: {STEPS[3]}"
    assert said(page) == f"{STEPS[3]} moved to place 2 of 4."
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Alt+ArrowDown")
    assert places(page) == [2, 0, 1, 3]
    assert focused(page) == f"Place 4 of 4: {STEPS[3]}"
    page.keyboard.press("Alt+ArrowUp")
    assert places(page) == [2, 0, 3, 1]
    assert focused(page) == f"Place 3 of 4: {STEPS[3]}"
    assert said(page) == f"{STEPS[3]} moved to place 3 of 4."


def test_solved_by_keyboard_alone(page: Page) -> None:
    page.keyboard.press("Tab")
    for key in (*["Alt+ArrowDown"] * 3, "Home", *["Alt+ArrowDown"] * 2):
        page.keyboard.press(key)
    assert places(page) == [0, 1, 2, 3]
    for _ in range(3):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"
    page.keyboard.press("Enter")
    assert said(page) == "Right. Each step stands after what it needs."
    assert page.evaluate("document.activeElement.textContent") == "Start again"
    assert page.evaluate("[model.get('checked'), model.get('tries')]") == [True, 0]
    page.keyboard.press("Enter")
    assert places(page) == START
    assert focused(page).startswith("Place 1 of 4: ")


def test_buttons_move_a_step_and_keep_the_focus(page: Page) -> None:
    down = page.get_by_role("button", name=f"Move down: {STEPS[3]}")
    down.click()
    assert places(page) == [2, 3, 0, 1]
    assert focused(page) == f"Move down: {STEPS[3]}"
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    assert places(page) == [2, 0, 1, 3]
    assert said(page) == f"{STEPS[3]} moved to place 4 of 4."
    expect(down).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    assert places(page) == [2, 0, 1, 3]


def test_a_step_is_dragged(page: Page) -> None:
    boxes = page.locator(".act-step")
    first, last = boxes.nth(0).bounding_box(), boxes.nth(3).bounding_box()
    assert first
    assert last
    page.mouse.move(first["x"] + 100, first["y"] + 10)
    page.mouse.down()
    page.mouse.move(first["x"] + 100, first["y"] + 12)
    assert page.locator(".act-dragged").count() == 0, "that is a click so far"
    page.mouse.move(last["x"] + 100, last["y"] - 5, steps=6)
    assert page.evaluate("model.saves") == 0
    assert page.locator(".act-dragged .act-step-text").all_text_contents() == [STEPS[3]]
    page.mouse.up()
    assert places(page) == [2, 0, 3, 1]
    assert page.locator(".act-dragged").count() == 0
    assert said(page) == f"{STEPS[3]} moved to place 3 of 4."
    assert page.evaluate("model.saves") == 1
    page.mouse.move(first["x"] + 100, first["y"] + 10)
    assert places(page) == [2, 0, 3, 1], "nothing is dragged any more"


def test_a_drag_that_the_browser_ends_puts_the_step_back(page: Page) -> None:
    box = page.locator(".act-step").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + 100, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 120, steps=4)
    assert places(page) != START
    page.evaluate("document.querySelector('.act-steps').dispatchEvent(new PointerEvent('pointercancel'))")
    assert places(page) == START
    page.mouse.up()
    assert said(page) == ""


def test_check_names_the_first_wrong_step_and_what_it_needs(page: Page) -> None:
    set_places(page, [0, 1, 3, 2])
    check(page)
    assert said(page) == (
        f"Not yet. At place 3, “{STEPS[3]}” comes too early. “{STEPS[2]}” comes before it. "
        "It makes exchanges, which this step uses."
    )
    wrong = page.locator(".act-stands-wrong")
    assert wrong.locator(".act-step-text").all_text_contents() == [STEPS[3]]
    page.locator(".act-step").last.focus()
    page.keyboard.press("Alt+ArrowUp")
    assert wrong.count() == 0
    expect(page.locator(".act-verdict")).to_be_hidden()


def test_a_step_that_stands_already_is_not_named_as_missing(open_activity: OpenActivity) -> None:
    steps = steps_of(prepare_context)
    page = open_activity(Order("03", prepare_context))
    set_places(page, [0, 1, 4, 2, 3, 5, 6, 7, 8])
    check(page)
    assert [need.step for need in steps[4].needs][:2] == [1, 0], "what it uses is there"
    assert said(page).endswith(
        f"“{steps[3].text}” comes before it. The run can end there, and then this step must not run."
    )


def test_check_tells_no_more_of_the_order_than_one_step(open_activity: OpenActivity) -> None:
    page = open_activity(Order("03", prepare_context))
    check(page)
    texts = [step.text for step in steps_of(prepare_context)]
    assert sum(f"“{text}”" in said(page) for text in texts) == 2


def test_the_order_is_shown_after_two_wrong_tries(page: Page) -> None:
    show = page.get_by_role("button", name="Show the order")
    check(page)
    expect(show).to_be_hidden()
    check(page)
    show.click()
    assert places(page) == [0, 1, 2, 3]
    assert said(page) == "Shown. This is the order."
    assert page.evaluate("[model.get('given_up'), model.get('tries')]") == [True, 2]
    expect(page.get_by_role("button", name="Check", exact=True)).to_be_hidden()
    page.locator(".act-step").first.focus()
    page.keyboard.press("Alt+ArrowDown")
    assert places(page) == [0, 1, 2, 3], "it stays as it was shown"


def test_an_arrangement_that_was_kept_opens_as_it_was_left(open_activity: OpenActivity) -> None:
    widget = Order("01", split_history)
    widget.set_state({"places": [0, 1, 3, 2], "checked": True, "tries": 2})
    page = open_activity(Order("01", split_history))
    assert places(page) == [0, 1, 3, 2]
    expect(page.locator(".act-verdict")).to_contain_text("Not yet. At place 3")
    expect(page.get_by_role("button", name="Show the order")).to_be_visible()


def test_everything_with_focus_keeps_the_keys_of_the_notebook_away(page: Page) -> None:
    page.locator(".act-step").first.focus()
    unmarked = page.locator("#widget :is(button, [tabindex]):not([data-lm-suppress-shortcuts=true])")
    assert unmarked.count() == 0
    assert page.locator("#widget :is(button, [tabindex])").count() > 10


def test_tab_stops_at_one_step_its_buttons_and_check(page: Page) -> None:
    page.locator(".act-step").nth(2).click(position={"x": 60, "y": 10})
    stops = [focused(page)]
    for _ in range(3):
        page.keyboard.press("Tab")
        stops.append(
            str(page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent"))
        )
    text = STEPS[START[2]]
    assert stops == [f"Place 3 of 4: {text}", f"Move up: {text}", f"Move down: {text}", "Check"]


def test_a_line_about_progress_is_shown(open_activity: OpenActivity, home: Path) -> None:
    home.mkdir()
    (home / "progress.json").write_text("{")
    page = open_activity(Order("01", split_history))
    expect(page.locator(".act-notice")).to_contain_text("It was set aside as progress.damaged-1.json")


def test_cleanup_leaves_nothing(page: Page) -> None:
    page.evaluate("cleanup()")
    assert page.locator("#widget *").count() == 0
    assert page.evaluate("model.listening()") == 0


def test_narrow_and_large_pages_never_scroll_sideways(open_activity: OpenActivity) -> None:
    for width, ratio in ((400, 1), (320, 2)):
        page = open_activity(Order("03", prepare_context), width=width, device_scale_factor=ratio)
        check(page)
        check(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_role("button", name="Show the order").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_moves_by_itself(page: Page) -> None:
    moving = """() => [...document.querySelectorAll('.act-widget, .act-widget *')]
        .map((node) => getComputedStyle(node))
        .filter((style) => style.transitionDuration !== '0s' || style.animationName !== 'none').length"""
    assert page.evaluate(moving) == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [900, 400])
def test_axe_finds_nothing(open_activity: OpenActivity, theme: str, width: int) -> None:
    page = open_activity(Order("03", prepare_context), width=width, color_scheme=theme)
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    for act in (hover, check, check, show_the_order):
        act(page)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        assert [
            (rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found["violations"]
        ] == []
        assert len(found["passes"]) > 10


def hover(page: Page) -> None:
    page.locator(".act-step").first.hover()


def show_the_order(page: Page) -> None:
    page.get_by_role("button", name="Show the order").click()


def test_jupyterlab_theme_wins_over_the_preference(open_activity: OpenActivity) -> None:
    page = open_activity(Order("01", split_history), color_scheme="light")
    ground = "getComputedStyle(document.querySelector('.act-widget')).backgroundColor"
    light = page.evaluate(ground)
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert page.evaluate(ground) != light
    page.evaluate("document.body.style.setProperty('--jp-layout-color1', 'rgb(1, 2, 3)')")
    assert page.evaluate(ground) == "rgb(1, 2, 3)"

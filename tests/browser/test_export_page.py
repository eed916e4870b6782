"""The exported page, opened from the disk with the network off."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from ctxlab.player.widget import Player
from ctxlab.reference import prepare_context, split_history
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=\"document.title='run'\"></script><!--\u202e\u2028\u0000\ud800"
OpenFile = Callable[..., Page]


def renewed(messages: list[Any]) -> list[Any]:
    copy = []
    for message in messages:
        copy.append(dict(message))
    return copy


@pytest.fixture
def open_file(browser: Browser, tmp_path: Path) -> Iterator[OpenFile]:
    """open_file(player, ...) saves the page and opens it. It may ask for nothing, and nothing may fail."""
    contexts, wrong, asked = [], [], []

    def open_(player: Player | Trace, secrets: str = "refuse", **options: Any) -> Page:
        file = tmp_path / "run.html"
        player.save_html(file, secrets=secrets)
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        if options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready=yes]")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []
    file = (tmp_path / "run.html").as_uri()
    # The module is a Blob made from the page itself: an address that never leaves the browser.
    assert [url for url in asked if url != file and not url.startswith("blob:")] == []


def current_line(page: Page) -> int:
    return int(page.locator(".ctx-line.ctx-now .ctx-gutter").inner_text())


def test_the_map_is_in_it(open_file: OpenFile) -> None:
    page = open_file(trace(split_history, scenario="normal"))
    page.get_by_role("tab", name="Map", exact=True).click()
    page.locator(".ctx-node", has_text="len(messages) % 2 == 0").click()
    expect(page.locator('.ctx-node[aria-current="step"]')).to_contain_text("Is the last call still waiting")
    expect(page.locator(".ctx-says")).to_contain_text("Is the last call still waiting")
    assert page.locator(".ctx-map .ctx-lines-taken .ctx-flow-line").count() >= 2


def test_keys_drive_it(open_file: OpenFile) -> None:
    run = trace(prepare_context, scenario="summary")
    page = open_file(Player(run))
    slider = page.get_by_role("slider")
    expect(slider).to_have_value("0")
    page.locator(".ctx-player").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("2")
    assert current_line(page) == run.steps[2].line
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_value("1")
    page.keyboard.press("n")
    expect(slider).to_have_value(str(next(each.step for each in run.decisions if each.step > 1)))
    page.keyboard.press("End")
    expect(slider).to_have_value(str(len(run.steps) - 1))
    expect(page.locator(".ctx-card").first).to_be_visible()
    page.keyboard.press("Home")
    expect(slider).to_have_value("0")


def test_opens_where_it_was_saved_and_runs_to_its_breakpoint(open_file: OpenFile) -> None:
    run = trace(prepare_context, scenario="summary")
    entry = [number for number, step in enumerate(run.steps) if step.depth == 0 and step.event == "line"]
    start, stop = entry[2], entry[-1]
    page = open_file(Player(run, at=start, breakpoints=[run.steps[stop].line]))
    slider = page.get_by_role("slider")
    expect(slider).to_have_value(str(start))
    page.locator(".ctx-player").focus()
    page.keyboard.press("Shift+ArrowRight")
    assert current_line(page) == run.steps[stop].line
    expect(page.locator(".ctx-gutter[aria-pressed=true]")).to_have_count(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_follows_the_theme(open_file: OpenFile, theme: str) -> None:
    page = open_file(trace(split_history, scenario="multi"), color_scheme=theme)
    lightness = """selector => {
      const colours = getComputedStyle(document.querySelector(selector)).color.match(/[\\d.]+/g);
      return colours.slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765;
    }"""
    assert (page.evaluate(lightness, "body") > 0.5) == (theme == "dark")
    assert (page.evaluate(lightness, ".ctx-player") > 0.5) == (theme == "dark")


def test_hostile_text_does_nothing(open_file: OpenFile) -> None:
    call = {"type": "tool_use", "id": HOSTILE, "name": HOSTILE, "input": {HOSTILE: HOSTILE}}
    result = {"type": "tool_result", "tool_use_id": HOSTILE, "content": HOSTILE * 20_000, "is_error": True}
    history = [
        {"role": "user", "content": HOSTILE},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    page = open_file(Player(trace(renewed, history), at=-1))
    assert page.locator("img").count() == 0
    assert page.title() == "renewed: returned 3 messages, " + page.title().rsplit(", ", 1)[1]
    expect(page.locator(".ctx-card").first).to_contain_text("<img src=x onerror")


def test_a_masked_page_plays_and_shows_the_masks(open_file: OpenFile) -> None:
    key = "sk-ant-api03-a1B2c3D4e5F6g7H8i9J0k1L2m3"
    call = {"type": "tool_use", "id": key, "name": "login", "input": {"password": "tr0ub4dor&3", key: key}}
    result = {"type": "tool_result", "tool_use_id": key, "content": f"{key} and tr0ub4dor&3"}
    history = [
        {"role": "user", "content": f"log in with {key}"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    run = trace(renewed, history)
    page = open_file(Player(run, at=-1), secrets="mask")
    cards = page.locator(".ctx-card")
    expect(cards.first).to_contain_text("log in with [Anthropic key masked, 39 characters]")
    cards.nth(1).click()
    expect(page.locator(".ctx-player")).to_contain_text("[named secret masked, 11 characters]")
    page.locator(".ctx-player").focus()
    page.keyboard.press("Home")
    for _ in run.steps:
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("slider")).to_have_value(str(len(run.steps) - 1))
    size = next(card["bytes"] for card in Player(run).cards)
    expect(cards.first).to_contain_text(f"{size} B")
    shown = page.content() + page.locator("body").inner_text()
    assert key not in shown
    assert "tr0ub4dor" not in shown


def failing(text: str) -> None:
    raise ValueError(text)


@pytest.mark.parametrize(
    "run",
    [
        lambda: trace(split_history, None),
        lambda: trace(prepare_context, scenario="summary", step_limit=30),
        lambda: trace(failing, HOSTILE),
        lambda: trace(failing, HOSTILE, step_limit=1),
        lambda: trace(renewed, []),
    ],
    ids=["refused at once", "step limit", "error", "one step", "no history"],
)
def test_odd_runs_can_be_stepped_through(open_file: OpenFile, run: Callable[[], Trace]) -> None:
    recorded = run()
    page = open_file(recorded)
    page.locator(".ctx-player").focus()
    for _ in recorded.steps:
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("slider")).to_have_value(str(len(recorded.steps) - 1))


def test_says_what_was_run_where_scripts_are_off(open_file: OpenFile) -> None:
    page = open_file(trace(prepare_context, scenario="summary"), java_script_enabled=False)
    expect(page.locator("noscript table")).to_have_count(3)
    expect(page.locator("noscript strong")).to_have_text(
        "prepare_context on summary: returned 3 messages, 626 bytes"
    )
    expect(page.locator("noscript table").last).to_be_visible()


def test_a_prediction_comes_first_there_too(open_file: OpenFile) -> None:
    page = open_file(Player(trace(split_history, scenario="pending"), predict="outcome"))
    assert page.title() == "split_history: a prediction comes first"
    expect(page.locator(".ctx-outcome")).to_have_count(0)
    page.get_by_label("refuses: pending").check()
    page.get_by_label("Because").fill("the last call has no result")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".ctx-question")).to_contain_text("Right. You said: refuses: pending")
    expect(page.locator(".ctx-outcome")).to_have_text("refused: pending")


def test_shows_the_question_alone_where_scripts_are_off(open_file: OpenFile) -> None:
    player = Player(trace(split_history, scenario="pending"), predict="outcome")
    page = open_file(player, java_script_enabled=False)
    expect(page.locator("noscript li")).to_have_count(6)
    expect(page.locator("noscript p").last).to_have_text("How will this run end?")
    expect(page.locator("noscript > div")).not_to_contain_text("refused")


def test_stays_within_a_narrow_window(open_file: OpenFile) -> None:
    page = open_file(trace(prepare_context, scenario="summary"), viewport={"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400

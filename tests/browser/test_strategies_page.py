"""Every strategy on one history in a real browser: layout, chart, keys, themes, accessibility, its page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ctxlab.player.strategies import Strategies

pytestmark = pytest.mark.browser

AXE = Path(__file__).parent.parent / "js" / "node_modules" / "axe-core" / "axe.min.js"
TRANSCRIPTS = Path(__file__).parent.parent / "data" / "transcripts"
WIDTHS = (1300, 900, 400)
OpenStrategies = Callable[..., Page]


@pytest.fixture
def open_strategies(open_player: Callable[..., Page]) -> OpenStrategies:
    """open_strategies(NAME, ...) -> a page with one comparison, see `open_player`."""

    def open_(name: str, **options: object) -> Page:
        return open_player(f"strategies/{name}", path="/strategies", **options)

    return open_


def place(page: Page) -> list[int]:
    found: list[int] = page.evaluate("players[0].model.get('place')")
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page_or_cut_off(open_strategies: OpenStrategies, width: int) -> None:
    for name in ("steady", "tight", "hostile", "long", "single", "no-request"):
        page = open_strategies(name, width=width)
        wide = page.evaluate("""() => [
            document.documentElement,
            ...document.querySelectorAll('.ctx-strategies, .ctx-strategies :is(td, th, p, li, caption)'),
          ].filter((node) => node.scrollWidth > node.clientWidth + 1 && node.clientWidth)
          .map((node) => `${node.className} ${node.textContent.slice(0, 40)}`)""")
        assert wide == [], name
        outside = page.evaluate("""() => {
          const chart = document.querySelector('.ctx-plot');
          if (!chart.checkVisibility()) return [];
          const box = chart.getBoundingClientRect();
          return [...chart.querySelectorAll('text')].filter((text) => {
            const own = text.getBoundingClientRect();
            const beside = own.left < box.left || own.right > box.right;
            return beside || own.top < box.top || own.bottom > box.bottom;
          }).map((text) => text.textContent);
        }""")
        assert outside == [], name


def test_names_and_figures_of_the_chart_do_not_cover_each_other(open_strategies: OpenStrategies) -> None:
    for name, width in (("steady", 1300), ("long", 400), ("single", 900)):
        page = open_strategies(name, width=width)
        covered = page.evaluate("""() => ['.ctx-name', '.ctx-tick'].flatMap((kind) => {
          const nodes = [...document.querySelectorAll(`.ctx-plot ${kind}`)];
          const boxes = nodes.map((node) => node.getBoundingClientRect());
          return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
            a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom));
        }).length""")
        assert covered == 0, name


def test_pointing_at_the_chart_tells_a_request_and_a_click_stays_there(
    open_strategies: OpenStrategies,
) -> None:
    page = open_strategies("steady", height=1400)
    box = page.locator(".ctx-plot").bounding_box()
    assert box
    caption = page.locator(".ctx-reading caption")
    expect(caption).to_have_text("Request 43 of 43, after 86 messages")
    # 58 pixels before the first request, 78 behind the last, and 42 steps between the two.
    middle = box["x"] + 58 + (box["width"] - 136) * 20 / 42
    page.mouse.move(middle, box["y"] + 100)
    expect(caption).to_contain_text("Request 21 of 43")
    assert place(page) == [2, 42]
    page.mouse.move(middle, box["y"] - 200)
    expect(caption).to_contain_text("Request 43 of 43")
    page.mouse.click(middle, box["y"] + 100)
    page.mouse.move(0, 0)
    expect(caption).to_contain_text("Request 21 of 43")
    assert place(page) == [2, 20]


def test_everything_is_reached_by_keyboard(open_strategies: OpenStrategies) -> None:
    page = open_strategies("steady")
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.className || document.activeElement.tagName"))
    assert {
        "ctx-strategy-name",
        "SUMMARY",
        "ctx-slider",
        "ctx-tab",
        "ctx-strategy-said",
        "ctx-cards",
    } <= reached
    bare = page.evaluate("""() =>
        [...document.querySelectorAll('.ctx-strategies :is(button, input, summary, [tabindex])')]
        .filter((node) => node.dataset.lmSuppressShortcuts !== 'true').length""")
    assert bare == 0
    page.get_by_role("button", name="fold", exact=True).focus()
    page.keyboard.press("Enter")
    assert place(page) == [6, 42]
    page.get_by_role("slider", name="Request").focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "n"):
        page.keyboard.press(key)
    assert place(page) == [7, 2]
    page.get_by_role("tab", name="policy").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="state")).to_be_focused()
    assert place(page) == [8, 2]
    page.get_by_text("The same figures as a table").focus()
    page.keyboard.press("Enter")
    expect(
        page.get_by_role("region", name="Tokens of each request as a table").get_by_role("row")
    ).to_have_count(44)
    # Laid out in another way where it is narrow, it says of itself that it is a table still.
    for role, count in (("row", 10), ("columnheader", 8), ("rowheader", 9), ("cell", 63)):
        expect(page.locator(f".ctx-strategy-table [role={role}]")).to_have_count(count)


def test_the_thumb_of_the_slider_stands_below_its_request(open_strategies: OpenStrategies) -> None:
    for width in WIDTHS:
        page = open_strategies("steady", width=width)
        for turn in (0, 21, 42):
            page.evaluate("turn => players[0].model.set('place', [2, turn])", turn)
            cursor, track = (
                page.locator(".ctx-cursor").bounding_box(),
                page.locator(".ctx-slider").bounding_box(),
            )
            assert cursor
            assert track
            # A thumb of 16 pixels runs from edge to edge.
            thumb = track["x"] + 8 + (track["width"] - 16) * turn / 42
            assert abs(cursor["x"] + cursor["width"] / 2 - thumb) < 2, f"{turn} at {width}"


def test_hostile_texts_run_nothing(open_strategies: OpenStrategies) -> None:
    page = open_strategies("hostile")
    page.locator(".ctx-strategies").focus()
    for key in "pppnnnnnnnnn":
        page.keyboard.press(key)
    assert page.evaluate("window.hacked") is None
    expect(page.locator(".ctx-unseen").first).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("name", "width"), [("steady", 1300), ("tight", 400), ("no-request", 900)])
def test_axe_finds_nothing(open_strategies: OpenStrategies, theme: str, name: str, width: int) -> None:
    page = open_strategies(name, width=width, color_scheme=theme)
    for summary in page.locator("summary:visible").all():
        summary.click()
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    violations = [
        (rule["id"], [node["html"][:160] for node in rule["nodes"][:3]]) for rule in found["violations"]
    ]
    assert violations == []
    assert len(found["passes"]) > 10


def test_a_long_comparison_stays_small_in_the_page(open_strategies: OpenStrategies) -> None:
    page = open_strategies("long")
    expect(page.locator(".ctx-report-facts")).to_contain_text("200 requests")
    assert page.locator(".ctx-strategies *").count() < 1200
    seconds = page.evaluate("""() => {
      const root = document.querySelector('.ctx-strategies');
      const begun = performance.now();
      for (let i = 0; i < 50; i++)
        root.dispatchEvent(new KeyboardEvent('keydown', { key: i % 2 ? 'ArrowLeft' : 'n', bubbles: true }));
      return (performance.now() - begun) / 1000;
    }""")
    assert seconds < 5


def test_the_saved_page_needs_nothing_else(browser: Browser, tmp_path: Path) -> None:
    Strategies(TRANSCRIPTS / "codex.jsonl", limit=40).save_html(tmp_path / "page.html")
    context = browser.new_context(offline=True)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    expect(page.locator(".ctx-report-head")).to_contain_text("every request within 40 tokens")
    page.get_by_role("button", name="window", exact=True).click()
    expect(page.get_by_role("tabpanel")).to_contain_text("the oldest groups go to an archive")
    context.close()
    assert wrong == []

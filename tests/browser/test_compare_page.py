"""Two runs side by side in a real browser: layout, focus, scrolling, themes, accessibility, and its cost."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from ctxlab.player.compare import Compare
from ctxlab.reference import prepare_context
from ctxlab.tracer.run import trace

pytestmark = pytest.mark.browser

AXE = Path(__file__).parent.parent / "js" / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = (1300, 950, 400)
OpenCompare = Callable[..., Page]


@pytest.fixture
def open_compare(open_player: Callable[..., Page]) -> OpenCompare:
    """open_compare(NAME, ...) -> a page with one comparison, see `open_player`."""

    def open_(name: str, **options: object) -> Page:
        return open_player(f"compare/{name}", path="/compare", **options)

    return open_


def steps(page: Page) -> list[int]:
    found: list[int] = page.evaluate("players[0].model.get('steps')")
    return found


def stops(page: Page) -> list[list[int]]:
    found: list[list[int]] = page.evaluate("players[0].model.get('stops')")
    return found


def side(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def shared(page: Page, name: str) -> Locator:
    return page.get_by_role("toolbar", name="Stepping both").get_by_role("button", name=name, exact=True)


def shows_whole(page: Page, inner: str, outer: str) -> bool:
    """Whether the whole of every `inner` shows in the `outer` that holds it."""
    return bool(
        page.evaluate(
            """([inner, outer]) => [...document.querySelectorAll(inner)]
              .filter((node) => node.checkVisibility())
              .every((node) => {
                const a = node.getBoundingClientRect();
                const b = node.closest(outer).getBoundingClientRect();
                return a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
              })""",
            [inner, outer],
        )
    )


@pytest.mark.parametrize(("width", "height"), [(1300, 700), (950, 800), (400, 900)])
def test_what_they_decide_otherwise_is_on_the_first_screen(
    open_compare: OpenCompare, width: int, height: int
) -> None:
    page = open_compare("slip", width=width, height=height)
    for text in ("reference, line 17: Are there enough? 1 >= 1 is yes.", "yours, line 31: Are there enough?"):
        expect(page.locator(".ctx-parting")).to_contain_text(text)
    row = page.get_by_role("button", name="first difference")
    box = row.bounding_box()
    assert box
    assert box["y"] + box["height"] <= height


@pytest.mark.parametrize("width", WIDTHS)
def test_the_current_lines_and_the_row_are_in_view(open_compare: OpenCompare, width: int) -> None:
    page = open_compare("budget", width=width)
    page.locator(".ctx-compare").focus()
    for key in ["Home", *"nnnnndDnnnnp", "End", "p"]:
        page.keyboard.press(key)
        assert shows_whole(page, ".ctx-code .ctx-now", ".ctx-code"), f"{key} at {steps(page)}"
        assert shows_whole(page, ".ctx-pair-list [aria-current]", ".ctx-scroller"), f"{key} at {steps(page)}"


def test_of_many_functions_the_current_one_is_in_view(open_compare: OpenCompare) -> None:
    for width in WIDTHS:
        page = open_compare("loop", width=width)
        shared(page, "Start").click()
        for _ in range(25):
            page.keyboard.press("n")
            cut = page.evaluate(
                """() => [...document.querySelectorAll('[aria-label=Sources] [aria-selected=true]')]
                  .filter((tab) => tab.checkVisibility())
                  .filter((tab) => {
                    const [a, b] = [tab, tab.parentNode].map((node) => node.getBoundingClientRect());
                    return a.left < b.left - 1 || a.right > b.right + 1;
                  }).length"""
            )
            assert cut == 0, f"{steps(page)} at {width} px"


# Sentences of two and of four lines move the source below them.
@pytest.mark.parametrize(
    ("name", "parts"), [("budget", (".ctx-says", ".ctx-code")), ("loop", (".ctx-says",))]
)
def test_both_sides_stand_beside_each_other(
    open_compare: OpenCompare, name: str, parts: tuple[str, ...]
) -> None:
    for width in (1300, 950):
        page = open_compare(name, width=width)
        for part in parts:
            tops = page.locator(part).evaluate_all(
                "nodes => nodes.map((node) => node.getBoundingClientRect().top)"
            )
            assert len(tops) == 2
            assert abs(tops[0] - tops[1]) < 2, f"{part} at {width} px"


def test_a_click_then_keys_move_both(open_compare: OpenCompare) -> None:
    page = open_compare("budget")
    shared(page, "Start").click()
    assert steps(page) == [0, 0]
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert steps(page) == stops(page)[1]
    page.keyboard.press("d")
    assert steps(page) == stops(page)[18]


def test_keys_in_a_side_move_that_side(open_compare: OpenCompare) -> None:
    page = open_compare("budget")
    left, right = steps(page)
    side(page, "large budget").get_by_role("button", name="Step back", exact=True).click()
    page.keyboard.press("ArrowLeft")
    assert steps(page) == [left, right - 2]
    page.get_by_role("button", name="Together again").click()
    assert steps(page) == stops(page)[17]
    page.keyboard.press("ArrowRight")
    assert steps(page) == [step + 1 for step in stops(page)[17]]


def test_the_table_is_worked_by_keyboard(open_compare: OpenCompare) -> None:
    page = open_compare("budget")
    page.get_by_role("button", name="first difference").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert steps(page) == stops(page)[16]
    assert page.evaluate("document.activeElement.closest('[data-row]').dataset.row") == "16"


def test_tab_reaches_each_region_once(open_compare: OpenCompare) -> None:
    page = open_compare("slip")
    reached = []
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.classList[0]"))
    assert reached == [
        "ctx-button",
        "ctx-row",
        "ctx-button",
        "ctx-tab",
        "ctx-tab",
        "ctx-gutter",
        "ctx-card",
        "ctx-leaf",
    ]


def test_a_row_says_both_sentences_and_whose_they_are(open_compare: OpenCompare) -> None:
    page = open_compare("slip")
    name = "other answer first difference reference line 17 Are there enough? 1 >= 1 is yes"
    expect(page.get_by_role("button", name=name)).to_be_visible()


def test_narrow_shows_one_side_and_never_scrolls_sideways(open_compare: OpenCompare) -> None:
    page = open_compare("budget", width=400)
    expect(side(page, "large budget")).to_be_visible()
    expect(side(page, "small budget")).to_be_hidden()
    expect(page.get_by_role("button", name="first difference")).to_contain_text("small budget line 152")
    page.get_by_role("button", name="small budget", exact=True).click()
    expect(side(page, "small budget")).to_be_visible()
    expect(side(page, "large budget")).to_be_hidden()
    assert shows_whole(page, ".ctx-code .ctx-now", ".ctx-code")
    for move in ("Start", "Next decision", "Next difference", "End"):
        shared(page, move).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 400, move


def test_large_text_stays_usable(open_compare: OpenCompare) -> None:
    """200 % zoom halves the width in CSS pixels and doubles the ratio."""
    page = open_compare("budget", width=650, height=450, device_scale_factor=2)
    shared(page, "Next decision").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 650
    assert shows_whole(page, ".ctx-code .ctx-now", ".ctx-code")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("name", "width"), [("budget", 1300), ("alone", 950), ("no-decision", 400)])
def test_axe_finds_nothing(open_compare: OpenCompare, theme: str, name: str, width: int) -> None:
    page = open_compare(name, width=width, color_scheme=theme)
    page.locator(".ctx-side .ctx-toolbar >> visible=true").first.locator("[data-move=back]").click()
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    violations = [
        (rule["id"], [node["html"][:160] for node in rule["nodes"][:3]]) for rule in found["violations"]
    ]
    assert violations == []
    assert len(found["passes"]) > 10


def test_reduced_motion_moves_nothing(open_compare: OpenCompare) -> None:
    moving = """() => [...document.querySelectorAll('.ctx-compare *')]
        .flatMap((node) => [null, '::after'].map((pseudo) => getComputedStyle(node, pseudo)))
        .filter((style) => style.transitionDuration !== '0s').length"""
    assert open_compare("slip", reduced_motion="no-preference").evaluate(moving) > 0
    assert open_compare("slip", reduced_motion="reduce").evaluate(moving) == 0


def test_hostile_text_does_nothing(open_compare: OpenCompare) -> None:
    page = open_compare("hostile")
    page.locator(".ctx-compare").focus()
    for key in ("Home", "n", "n", "End"):
        page.keyboard.press(key)
    assert page.evaluate("window.hacked") is None
    assert page.locator(".ctx-compare :is(img, script, iframe)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1300


def test_a_page_hidden_for_a_while_keeps_its_place(open_compare: OpenCompare) -> None:
    """JupyterLab hides a notebook behind another tab, and a hidden scroller forgets where it was."""
    page = open_compare("long")
    page.locator(".ctx-compare").focus()
    page.keyboard.press("End")
    top = "document.querySelector('.ctx-pairs-view .ctx-scroller').scrollTop"
    before = page.evaluate(top)
    assert before > 0
    for display in ("none", ""):
        page.evaluate("display => { document.querySelector('#players').style.display = display; }", display)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_function(f"before => {top} === before", arg=before)


# What moves to and fro change in the page, counted, and how large the page is.
WORK_OF_MOVES = """(moves) => {
  const root = document.querySelector('.ctx-compare');
  const observer = new MutationObserver(() => {});
  observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  let changes = 0;
  for (let i = 0; i < moves; i++) {
    const key = Math.floor(i / 8) % 2 ? 'p' : 'n';
    root.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    changes += observer.takeRecords().length;
  }
  return { changes, elements: root.querySelectorAll('*').length };
}"""


def test_a_move_changes_as_little_in_long_runs(open_compare: OpenCompare) -> None:
    short, long = (open_compare(name).evaluate(WORK_OF_MOVES, 48) for name in ("slip", "long"))
    assert short["changes"] > 48
    assert long["changes"] <= 3 * short["changes"]
    assert long["elements"] <= 3 * short["elements"]


def test_the_saved_page_opens_where_they_part_and_is_stepped(browser: Browser, tmp_path: Path) -> None:
    runs = (trace(prepare_context, scenario="summary", budget=budget) for budget in (1600, 4000))
    Compare(*runs, names=("small", "large")).save_html(tmp_path / "runs.html")
    context = browser.new_context(offline=True)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.goto((tmp_path / "runs.html").as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    expect(page.locator(".ctx-parting-head")).to_have_text(
        "They part here: the same question, another answer."
    )
    expect(page.locator(".ctx-side-1 .ctx-position")).to_have_text("step 88 of 90")
    shared(page, "End").click()
    expect(page.locator(".ctx-side-0 .ctx-position")).to_have_text("step 243 of 243")
    context.close()
    assert wrong == []


@pytest.mark.parametrize("width", WIDTHS)
def test_histories_that_alone_differ_are_reached_by_the_difference(
    open_compare: OpenCompare, width: int
) -> None:
    page = open_compare("in-place", width=width)
    opened = steps(page)
    parting = page.locator(".ctx-parting")
    expect(parting).to_contain_text("the histories differ at the end")
    expect(parting).to_contain_text("reference first changed its history at step")
    page.locator(".ctx-compare").focus()
    page.keyboard.press("Home")
    button = shared(page, "Next difference")
    expect(button).not_to_have_attribute("aria-disabled", "true")
    button.click()
    assert steps(page) == opened != [0, 0]
    expect(button).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("ArrowRight")
    assert steps(page)[0] == opened[0] + 1, "one line on, the history is another"
    page.keyboard.press("D")
    assert steps(page) == opened

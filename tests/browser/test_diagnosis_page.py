"""A diagnosis in a real browser: what is seen first, focus, scrolling, themes, accessibility, its cost."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ctxlab.player.diagnosis import Diagnosis

pytestmark = pytest.mark.browser

AXE = Path(__file__).parent.parent / "js" / "node_modules" / "axe-core" / "axe.min.js"
TRANSCRIPTS = Path(__file__).parent.parent / "data" / "transcripts"
WIDTHS = (1300, 950, 400)
OpenDiagnosis = Callable[..., Page]


@pytest.fixture
def open_diagnosis(open_player: Callable[..., Page]) -> OpenDiagnosis:
    """open_diagnosis(NAME, ...) -> a page with one diagnosis, see `open_player`."""

    def open_(name: str, **options: object) -> Page:
        return open_player(f"diagnosis/{name}", path="/diagnosis", **options)

    return open_


def place(page: Page) -> list[int]:
    found: list[int] = page.evaluate("players[0].model.get('place')")
    return found


def is_whole(page: Page, inner: str, outer: str) -> bool:
    """Whether the whole of every `inner` shows in the `outer` that holds it."""
    return bool(
        page.evaluate(
            """([inner, outer]) => [...document.querySelectorAll(inner)].every((node) => {
                const a = node.getBoundingClientRect();
                const b = node.closest(outer).getBoundingClientRect();
                return a.height > 0 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
              })""",
            [inner, outer],
        )
    )


@pytest.mark.parametrize("name", ["one", "twenty", "chat", "hostile"])
@pytest.mark.parametrize(("width", "height"), [(1300, 700), (950, 700), (400, 700)])
def test_whom_to_blame_why_and_what_to_do_is_on_the_first_screen(
    open_diagnosis: OpenDiagnosis, name: str, width: int, height: int
) -> None:
    box = open_diagnosis(name, width=width, height=height).locator(".ctx-finding-body").bounding_box()
    assert box
    assert box["y"] + box["height"] <= height


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page(open_diagnosis: OpenDiagnosis, width: int) -> None:
    for name in ("twenty", "hostile", "file", "chat"):
        page = open_diagnosis(name, width=width)
        wide = page.evaluate("""() =>
            [...document.querySelectorAll('.ctx-diagnosis, .ctx-chosen, .ctx-cards')]
            .filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.className)""")
        assert wide == [], name
        marks = page.locator(".ctx-card.ctx-blamed .ctx-chip")
        for number in range(marks.count()):
            box, card = marks.nth(number).bounding_box(), page.locator(".ctx-card").first.bounding_box()
            assert box
            assert card
            assert box["x"] + box["width"] <= card["x"] + card["width"], f"mark {number} of {name}"


@pytest.mark.parametrize("width", WIDTHS)
def test_the_finding_and_its_card_are_in_view(open_diagnosis: OpenDiagnosis, width: int) -> None:
    for name in ("twenty", "long"):
        page = open_diagnosis(name, width=width)
        page.locator(".ctx-diagnosis").focus()
        for key in ["n"] * 19 + ["p", "p", "Home", "n", "End", "p"]:
            page.keyboard.press(key)
            assert is_whole(page, ".ctx-card.ctx-asked", ".ctx-cards"), f"{key} at {place(page)}"
            assert is_whole(page, ".ctx-finding-list [aria-current]", ".ctx-scroller"), place(page)


def test_a_long_history_is_jumped_through(open_diagnosis: OpenDiagnosis) -> None:
    page = open_diagnosis("long")
    expect(page.locator(".ctx-report-facts")).to_contain_text("10,001 messages")
    last = page.get_by_role("list", name="Findings").get_by_role("button").last
    page.locator(".ctx-diagnosis").focus()
    for _ in range(19):
        page.keyboard.press("n")
    expect(last).to_have_attribute("aria-current", "true")
    expect(page.locator(".ctx-card.ctx-asked .ctx-number")).to_have_text("9002")
    assert page.locator(".ctx-diagnosis *").count() < 1500


def test_the_lists_are_worked_by_keyboard(open_diagnosis: OpenDiagnosis) -> None:
    page = open_diagnosis("twenty")
    page.get_by_role("list", name="Findings").get_by_role("button").first.focus()
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert place(page) == [10, 4]
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert place(page)[1] == -1
    expect(page.locator(".ctx-card.ctx-asked")).to_be_focused()


def test_what_takes_the_focus_keeps_the_keys_from_the_notebook(open_diagnosis: OpenDiagnosis) -> None:
    page = open_diagnosis("twenty")
    page.locator(".ctx-finding-switch").first.wait_for()
    bare = page.evaluate("""() => [...document.querySelectorAll('.ctx-diagnosis :is(button, [tabindex])')]
        .filter((node) => node.dataset.lmSuppressShortcuts !== 'true').length""")
    assert bare == 0


def test_a_click_then_keys_move(open_diagnosis: OpenDiagnosis) -> None:
    page = open_diagnosis("twenty")
    page.get_by_role("button", name="Next finding", exact=True).click()
    page.keyboard.press("n")
    assert place(page) == [6, 2]


def test_hostile_texts_run_nothing(open_diagnosis: OpenDiagnosis) -> None:
    page = open_diagnosis("hostile")
    page.locator(".ctx-diagnosis").focus()
    for key in ["Home", *["ArrowRight"] * 5, *"ppppp"]:
        page.keyboard.press(key)
    assert page.evaluate("window.hacked") is None
    expect(page.locator(".ctx-unseen").first).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "width"), [("twenty", 1300), ("twenty", 400), ("file", 950), ("chat", 1300)]
)
def test_axe_finds_nothing(open_diagnosis: OpenDiagnosis, theme: str, name: str, width: int) -> None:
    page = open_diagnosis(name, width=width, color_scheme=theme)
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    violations = [
        (rule["id"], [node["html"][:160] for node in rule["nodes"][:3]]) for rule in found["violations"]
    ]
    assert violations == []
    assert len(found["passes"]) > 10


WORK_OF_MOVES = """(moves) => {
  const root = document.querySelector('.ctx-diagnosis');
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


def test_a_move_changes_about_as_little_in_a_long_history(open_diagnosis: OpenDiagnosis) -> None:
    short, long = (open_diagnosis(name).evaluate(WORK_OF_MOVES, 32) for name in ("twenty", "long"))
    assert short["changes"] > 32
    assert long["changes"] <= 5 * short["changes"]
    assert long["elements"] <= 2 * short["elements"]


def test_the_saved_page_needs_nothing_else(browser: Browser, tmp_path: Path) -> None:
    Diagnosis(TRANSCRIPTS / "codex.jsonl").save_html(tmp_path / "page.html")
    context = browser.new_context(offline=True)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    expect(page.locator(".ctx-report-head")).to_have_text("No findings in 10 messages.")
    page.get_by_role("button", name="Next message", exact=True).click()
    expect(page.locator(".ctx-chosen-head")).to_contain_text("Message 1")
    context.close()
    assert wrong == []

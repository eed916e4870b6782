"""The player in a real browser: layout, focus, scrolling, themes, accessibility, and how fast a step is."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

AXE = Path(__file__).parent.parent / "js" / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = (1300, 760, 400)
PANELS = ("Decisions", "Variables", "Calls", "Checks", "Input and call")
OpenPlayer = Callable[..., Page]


def step(page: Page) -> int:
    return int(page.evaluate("players[0].model.get('step')"))


def go(page: Page, to: int) -> None:
    page.evaluate("to => players[0].model.set('step', to)", to)


def last(page: Page) -> int:
    return int(page.evaluate("players[0].model.get('trace').steps.place.length - 1"))


def is_inside(page: Page, inner: str, outer: str) -> bool:
    """Whether the whole of an element shows in the scroller that holds it."""
    return bool(
        page.evaluate(
            """([inner, outer]) => {
              const a = document.querySelector(inner).getBoundingClientRect();
              const b = document.querySelector(outer).getBoundingClientRect();
              return a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
            }""",
            [inner, outer],
        )
    )


def panel(page: Page, name: str) -> Locator:
    page.get_by_role("tab", name=re.compile(name)).click()
    return page.locator(".ctx-panel")


def test_current_line_is_always_in_view(open_player: OpenPlayer) -> None:
    for width in WIDTHS:
        page = open_player("prepare-summary", width=width)
        for at in [*range(0, last(page) + 1, 9), last(page)]:
            go(page, at)
            assert is_inside(page, ".ctx-code .ctx-now", ".ctx-code"), f"step {at} at {width} px"


def test_current_line_stays_in_view_when_a_card_is_asked_about(open_player: OpenPlayer) -> None:
    page = open_player("prepare-trim")
    go(page, last(page))
    page.locator(".ctx-card", has_text="trimmed").first.click()
    expect(page.locator(".ctx-answer")).to_contain_text("trimmed at step")
    assert is_inside(page, ".ctx-code .ctx-now", ".ctx-code")


def test_a_line_far_away_comes_with_what_follows_it(open_player: OpenPlayer) -> None:
    page = open_player("prepare-trim")
    go(page, last(page))
    place = page.evaluate(
        """() => {
          const line = document.querySelector('.ctx-code .ctx-now').getBoundingClientRect();
          const code = document.querySelector('.ctx-code').getBoundingClientRect();
          return (line.top - code.top) / code.height;
        }"""
    )
    assert place < 0.5


def test_the_mark_of_the_budget_stays_in_its_place(open_player: OpenPlayer) -> None:
    page = open_player("prepare-summary")
    lefts = set()
    for at in range(0, last(page) + 1, 27):
        go(page, at)
        lefts.add(page.evaluate("document.querySelector('.ctx-budget').getBoundingClientRect().left"))
    assert len(lefts) == 1


def test_the_sentence_is_on_the_first_screen(open_player: OpenPlayer) -> None:
    for width, height in ((1300, 700), (760, 700), (400, 800)):
        page = open_player("prepare-summary", width=width, height=height)
        box = page.locator(".ctx-sentence").bounding_box()
        assert box
        assert box["y"] + box["height"] <= height, f"{width} px"


def test_an_earlier_outcome_is_hidden_while_the_condition_is_to_come(open_player: OpenPlayer) -> None:
    page = open_player("trim-trim")
    stops = page.evaluate(
        """() => {
          const { places, steps } = players[0].model.get('trace');
          const decided = steps.place.flatMap((at, step) => places[at][0] === 'decision' ? [step] : []);
          const line = (step) => places[steps.place[step]].slice(1, 3).join();
          return decided.filter((step, i) => decided.slice(0, i).some((other) => line(other) === line(step)));
        }"""
    )
    assert stops
    outcome = page.locator(".ctx-now .ctx-saw-one")
    go(page, stops[0] - 1)
    expect(outcome).to_be_hidden()
    go(page, stops[0])
    expect(outcome).to_be_visible()


def test_no_word_on_a_card_is_cut_off(open_player: OpenPlayer) -> None:
    for width, name in [
        (width, f"{kind}-summary") for width in (1300, 1000, 760) for kind in ("prepare", "loop")
    ]:
        page = open_player(name, width=width)
        go(page, last(page))
        expect(page.get_by_text("holds 8")).to_be_visible()
        cut = page.evaluate(
            """() => [...document.querySelectorAll('.ctx-chip')].filter((chip) => {
                 const card = chip.closest('.ctx-card');
                 return card && chip.getBoundingClientRect().right > card.getBoundingClientRect().right;
               }).length"""
        )
        assert cut == 0, f"{name} at {width} px"


def test_a_commit_empties_the_candidate_and_marks_what_it_changed(open_player: OpenPlayer) -> None:
    page = open_player("loop-trim")
    commit = page.evaluate("players[0].model.get('trace').commits[0]")
    active, candidate = (page.get_by_role("list", name=name) for name in ("Active history", "Candidate"))
    go(page, commit)
    expect(candidate.locator(".ctx-card")).to_have_count(7)
    expect(page.locator(".ctx-ribbon.ctx-is-trimmed")).to_have_count(2)
    page.locator(".ctx-player").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(f"Committed at step {commit}: the candidate has become")).to_be_visible()
    expect(candidate.locator(".ctx-card")).to_have_count(0)
    expect(active.locator(".ctx-fresh")).to_have_count(2)
    for card in active.locator(".ctx-fresh").all():
        expect(card).to_contain_text("Not a result")
    expect(page.locator(".ctx-ribbon")).to_have_count(0)


def test_many_functions_leave_room_for_the_source(open_player: OpenPlayer) -> None:
    for width in WIDTHS:
        page = open_player("loop-summary", width=width)
        for at in range(0, last(page) + 1, 23):
            go(page, at)
            assert is_inside(
                page, ".ctx-source [aria-label=Sources] [aria-selected=true]", "[aria-label=Sources]"
            )
            assert is_inside(page, ".ctx-code .ctx-now", ".ctx-code"), f"step {at} at {width} px"
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        box = page.locator(".ctx-code").bounding_box()
        assert box
        assert box["height"] >= 200, f"{width} px"


def test_click_then_keys(open_player: OpenPlayer) -> None:
    page = open_player("prepare-summary")
    page.get_by_role("button", name="Step", exact=True).click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert step(page) == 3
    page.keyboard.press("b")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    assert step(page) == 3
    page.keyboard.press("End")
    assert step(page) == last(page)
    page.keyboard.press("?")
    expect(page.get_by_role("region", name="Keys and signs")).to_be_visible()


def test_keys_do_nothing_outside(open_player: OpenPlayer) -> None:
    page = open_player("prepare-summary")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("n")
    assert step(page) == 0


def test_slider_is_dragged_and_stepped(open_player: OpenPlayer) -> None:
    page = open_player("prepare-summary")
    slider = page.get_by_role("slider", name="Step of the run")
    box = slider.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    middle = step(page)
    assert abs(middle - last(page) / 2) < 5
    page.keyboard.press("ArrowRight")
    assert step(page) == middle + 1
    expect(slider).to_have_attribute(
        "aria-valuetext", re.compile(rf"^step {middle + 1} of {last(page)}, line \d+")
    )


def test_tab_reaches_each_region_once(open_player: OpenPlayer) -> None:
    page = open_player("prepare-trim")
    go(page, last(page))
    reached = []
    for _ in range(10):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.classList[0]"))
    one_each = [
        "ctx-button",
        "ctx-slider",
        "ctx-tab",
        "ctx-tab",
        "ctx-gutter",
        "ctx-card",
        "ctx-card",
        "ctx-tab",
        "ctx-row",
        None,
    ]
    assert reached == one_each


def test_matching_cards_stand_side_by_side(open_player: OpenPlayer) -> None:
    page = open_player("prepare-trim")
    go(page, last(page))
    tops = page.evaluate(
        """() => [0, 1].map((which) => [...document.querySelectorAll(`[data-which="${which}"]`)]
             .map((card) => Math.round(card.getBoundingClientRect().top)))"""
    )
    assert len(tops[0]) == 7
    assert tops[0] == tops[1]


def test_a_changed_card_comes_into_view(open_player: OpenPlayer) -> None:
    page = open_player("trim-1001")
    trimmed = [
        fate
        for fate in page.evaluate("players[0].model.get('trace').provenance")
        if fate["fate"] == "trimmed"
    ]
    fate = trimmed[len(trimmed) // 2]
    go(page, fate["step"] + 1)
    assert is_inside(page, f'[data-which="1"][data-position="{fate["to"]}"]', ".ctx-cards")
    expect(page.locator(f'[data-which="1"][data-position="{fate["to"]}"]')).to_contain_text("trimmed")


def test_a_jump_over_changes_leads_to_the_latest(open_player: OpenPlayer) -> None:
    page = open_player("trim-1001")
    fates = page.evaluate("players[0].model.get('trace').provenance.filter(({ fate }) => fate === 'trimmed')")
    fate = fates[len(fates) // 2]
    go(page, fate["step"] + 2)
    assert is_inside(page, f'[data-which="1"][data-position="{fate["to"]}"]', ".ctx-cards")


def test_nothing_of_a_long_history_leaves_its_column(open_player: OpenPlayer) -> None:
    page = open_player("trim-1001")
    go(page, last(page))
    page.evaluate("document.querySelector('.ctx-cards').scrollTop = 30000")
    tops = page.evaluate(
        "[...document.querySelectorAll('.ctx-column-head')].map((head) => head.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1, "the ribbons pass below the heads"
    parts = ".ctx-card-top > .ctx-number, .ctx-ruler"
    wide = page.locator(parts).evaluate_all(
        "(nodes) => nodes.filter((node) => node.scrollWidth > node.clientWidth + 1).length"
    )
    assert wide == 0


def test_long_lists_scroll_to_their_end(open_player: OpenPlayer) -> None:
    page = open_player("prepare-1001")
    go(page, last(page))
    page.evaluate("document.querySelector('.ctx-cards').scrollTop = 1e9")
    expect(page.locator('[data-which="0"][data-position="1000"]')).to_be_visible()
    assert page.locator(".ctx-card").count() < 80
    page.evaluate("document.querySelector('.ctx-scroller').scrollTop = 1e9")
    total = page.evaluate("players[0].model.get('trace').decisions.outcome.length")
    expect(page.locator(f'.ctx-item[aria-posinset="{total}"] .ctx-row')).to_be_visible()


@pytest.mark.parametrize("width", [1300, 400])
def test_a_list_that_is_opened_late_shows_where_the_run_is(open_player: OpenPlayer, width: int) -> None:
    page = open_player("loop-trim", width=width)
    go(page, page.evaluate("players[0].model.get('trace').commits[0]"))
    panel(page, "Calls")
    last_call = ".ctx-item:has(.ctx-when-past):not(:has(+ .ctx-item .ctx-when-past))"
    assert is_inside(page, last_call, ".ctx-scroller")


def test_a_player_hidden_for_a_while_keeps_its_place(open_player: OpenPlayer) -> None:
    """JupyterLab hides a notebook behind another tab, and a hidden scroller forgets where it was."""
    page = open_player("prepare-1001")
    go(page, last(page))
    tops = "['.ctx-code', '.ctx-scroller'].map((name) => document.querySelector(name).scrollTop)"
    before = page.evaluate(tops)
    assert min(before) > 0
    for display in ("none", ""):
        page.evaluate("display => { document.querySelector('#players').style.display = display; }", display)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_function(f"() => {tops}.every((top, i) => top === {before}[i])")
    assert is_inside(page, ".ctx-decisions [aria-current], .ctx-decisions .ctx-when-latest", ".ctx-scroller")


def test_narrow_shows_one_column_at_a_time_and_never_scrolls_sideways(open_player: OpenPlayer) -> None:
    page = open_player("prepare-trim", width=400)
    go(page, last(page))
    expect(page.get_by_role("list", name="Active history")).to_be_visible()
    expect(page.get_by_role("list", name="Candidate")).to_be_hidden()
    page.get_by_role("button", name="Candidate", exact=True).click()
    expect(page.get_by_role("list", name="Candidate")).to_be_visible()
    expect(page.locator('[data-which="1"]', has_text="trimmed").first).to_be_visible()
    for at in (0, last(page) // 2, last(page)):
        go(page, at)
        for name in PANELS:
            panel(page, name)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400, f"step {at}, {name}"


def test_large_text_stays_usable(open_player: OpenPlayer) -> None:
    """200 % zoom halves the width in CSS pixels and doubles the ratio."""
    page = open_player("prepare-summary", width=650, height=450, device_scale_factor=2)
    go(page, 60)
    assert page.evaluate("document.documentElement.scrollWidth") <= 650
    assert is_inside(page, ".ctx-code .ctx-now", ".ctx-code")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 400])
@pytest.mark.parametrize(
    ("name", "at", "tabs"),
    [
        ("prepare-summary", None, PANELS),
        ("prepare-summary", 60, PANELS[:1]),
        ("prepare-pending", None, PANELS[:1]),
        ("loop-summary", None, PANELS[3:4]),
    ],
)
def test_axe_finds_nothing(
    open_player: OpenPlayer, theme: str, width: int, name: str, at: int | None, tabs: tuple[str, ...]
) -> None:
    page = open_player(name, width=width, color_scheme=theme)
    go(page, last(page) if at is None else at)
    page.locator(".ctx-card").first.click()
    page.keyboard.press("?")
    page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    for tab in tabs:
        panel(page, tab)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        violations = [
            (rule["id"], [node["html"][:160] for node in rule["nodes"][:3]]) for rule in found["violations"]
        ]
        assert violations == [], tab
        assert len(found["passes"]) > 10


def test_jupyterlab_theme_wins_over_the_preference(open_player: OpenPlayer) -> None:
    page = open_player("split-fit", color_scheme="light")
    ground = "getComputedStyle(document.querySelector('.ctx-player')).backgroundColor"
    light = page.evaluate(ground)
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert page.evaluate(ground) != light
    page.evaluate("document.body.style.setProperty('--jp-layout-color1', 'rgb(1, 2, 3)')")
    assert page.evaluate(ground) == "rgb(1, 2, 3)"


def test_reduced_motion_moves_nothing(open_player: OpenPlayer) -> None:
    moving = """() => [...document.querySelectorAll('.ctx-player *')]
        .flatMap((node) => [null, '::after'].map((pseudo) => getComputedStyle(node, pseudo)))
        .map((style) => style.transitionDuration)
        .filter((duration) => duration !== '0s').length"""
    assert open_player("split-fit", reduced_motion="no-preference").evaluate(moving) > 0
    assert open_player("split-fit", reduced_motion="reduce").evaluate(moving) == 0


def test_forced_colours_keep_the_current_line_apart(open_player: OpenPlayer) -> None:
    page = open_player("split-fit", forced_colors="active")
    go(page, 3)
    assert page.evaluate("getComputedStyle(document.querySelector('.ctx-now')).outlineStyle") == "solid"


def test_hostile_text_does_nothing(open_player: OpenPlayer) -> None:
    page = open_player("hostile")
    go(page, last(page))
    for position in (2, 4):
        page.locator(f'[data-which="0"][data-position="{position}"]').click()
        page.locator(".ctx-details summary").first.click()
    assert page.evaluate("window.hacked") is None
    assert page.locator(".ctx-player :is(img, script, iframe)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1300


def test_two_players_keep_apart(open_player: OpenPlayer) -> None:
    page = open_player("prepare-summary")
    page.evaluate("window.open_({ ...players[0].model.state, step: 5 })")
    page.locator(".ctx-player").nth(1).get_by_role("button", name="Step", exact=True).click()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("players.map(({ model }) => model.get('step'))") == [0, 7]
    ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map((node) => node.id)")
    assert len(ids) == len(set(ids))
    page.evaluate("players.forEach(({ cleanup }) => cleanup())")
    assert page.locator(".ctx-player").count() == 0


# What steps to and fro change in the page, counted, and how large the page is. `make bench` has their time.
WORK_OF_STEPS = """async (steps) => {
  const root = document.querySelector('.ctx-player');
  let changes = 0;
  const count = (records) => { changes += records.length; };
  const observer = new MutationObserver(count);
  observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  root.focus();
  for (let i = 0; i < steps; i++) {
    const key = Math.floor(i / 8) % 2 ? 'ArrowLeft' : 'ArrowRight';
    root.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
  count(observer.takeRecords());
  return { changes, elements: root.querySelectorAll('*').length };
}"""
PHASES = {
    "checking": ("prepare", "trace.steps.place.length >> 1"),
    "growing": ("trim", "trace.histories.find((row) => row[1] === 1)[0]"),
    "trimming": ("trim", "trace.provenance.find((fate) => fate.fate === 'trimmed').step"),
}


@pytest.mark.parametrize("phase", PHASES)
def test_a_step_changes_as_little_in_a_long_history(open_player: OpenPlayer, phase: str) -> None:
    function, start = PHASES[phase]
    work = {}
    for messages in (9, 1001):
        page = open_player(f"{function}-{messages}")
        go(page, page.evaluate(f"() => {{ const trace = players[0].model.get('trace'); return {start}; }}"))
        work[messages] = page.evaluate(WORK_OF_STEPS, 48)
    assert work[1001]["changes"] <= 2 * work[9]["changes"]
    assert work[1001]["elements"] <= 2 * work[9]["elements"]

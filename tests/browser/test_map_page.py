"""The map in a real browser: where nodes and lines stand, keyboard, scrolling, themes, and work per step."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

AXE = Path(__file__).parent.parent / "js" / "node_modules" / "axe-core" / "axe.min.js"
OpenPlayer = Callable[..., Page]
MAPS = (
    ("split-normal", "split_history"),
    ("trim-trim", "trim_results"),
    ("prepare-summary", "prepare_context"),
    ("tangled", "tangled"),
    ("checks-4", "long_function"),
)

# The boxes of the nodes; of each line its nodes, its start, where its head points, and points on the way.
GEOMETRY = """() => {
  const shape = (node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return { left, top, right, bottom };
  };
  const at = (path, length) => {
    const { x, y } = path.getPointAtLength(length).matrixTransform(path.getScreenCTM());
    return [x, y];
  };
  const lines = [...document.querySelectorAll('.ctx-flow [data-from]')].map((group) => {
    const [line, head] = group.querySelectorAll('path');
    const length = line.getTotalLength();
    const way = Array.from({ length: Math.ceil(length / 4) }, (_, i) => at(line, i * 4));
    return { from: +group.dataset.from, to: +group.dataset.to, start: at(line, 0), end: at(head, 0), way };
  });
  return { boxes: [...document.querySelectorAll('.ctx-node')].map(shape), lines };
}"""


def step(page: Page) -> int:
    return int(page.evaluate("players[0].model.get('step')"))


def go(page: Page, to: int) -> None:
    page.evaluate("to => players[0].model.set('step', to)", to)


def last(page: Page) -> int:
    return int(page.evaluate("players[0].model.get('trace').steps.place.length - 1"))


def open_map(page: Page, source: str = "") -> Page:
    page.get_by_role("tab", name="Map", exact=True).click()
    if source:
        page.get_by_role("tab", name=source, exact=True).click()
    return page


def node(page: Page, name: str) -> Locator:
    return page.locator(".ctx-map").get_by_role(
        "button", name=re.compile(rf"^[A-Z][a-z]+, line \d+ ?: {name}")
    )


def is_on_edge(point: list[float], box: dict[str, float]) -> bool:
    """Whether a point lies on the outline of a box, give or take what a pointed side leaves free."""
    x, y = point
    within = box["left"] - 1 <= x <= box["right"] + 1 and box["top"] - 1 <= y <= box["bottom"] + 1
    sides = (x - box["left"], box["right"] - x, y - box["top"], box["bottom"] - y)
    return within and min(abs(side) for side in sides) <= 1


@pytest.mark.parametrize("width", [1300, 950, 400])
@pytest.mark.parametrize(("name", "source"), MAPS)
def test_nodes_keep_apart_and_lines_join_them(
    open_player: OpenPlayer, name: str, source: str, width: int
) -> None:
    page = open_map(open_player(name, width=width), source)
    for at in (0, last(page)):
        go(page, at)
        page.get_by_role("tab", name=source, exact=True).click()
        seen: dict[str, Any] = page.evaluate(GEOMETRY)
        boxes = seen["boxes"]
        assert len(boxes) > 5
        for number, one in enumerate(boxes):
            for other in boxes[:number]:
                beside = one["left"] >= other["right"] + 8 or other["left"] >= one["right"] + 8
                assert beside or one["top"] >= other["bottom"] + 8 or other["top"] >= one["bottom"] + 8
        assert len(seen["lines"]) >= len(boxes) - 1
        for line in seen["lines"]:
            assert is_on_edge(line["start"], boxes[line["from"]]), (at, line["from"], line["to"])
            assert is_on_edge(line["end"], boxes[line["to"]]), (at, line["from"], line["to"])
            for number, box in enumerate(boxes):
                through = [
                    (x, y)
                    for x, y in line["way"]
                    if box["left"] + 2 < x < box["right"] - 2 and box["top"] + 2 < y < box["bottom"] - 2
                ]
                assert not through, f"{line['from']} to {line['to']} runs through {number}"


@pytest.mark.parametrize("width", [1300, 400])
@pytest.mark.parametrize("name", ["trim-trim", "checks-4"])
def test_lines_follow_nodes_to_another_size(open_player: OpenPlayer, name: str, width: int) -> None:
    """Also of a player that was hidden meanwhile, as in a notebook behind another tab."""
    page = open_map(open_player(name, width=width))
    page.evaluate("document.querySelector('#players').style.display = 'none'")
    page.set_viewport_size({"width": 700 if width == 1300 else 1200, "height": 900})
    page.evaluate("document.querySelector('#players').style.display = ''")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    seen = page.evaluate(GEOMETRY)
    assert len(seen["lines"]) > 5
    for line in seen["lines"]:
        assert is_on_edge(line["start"], seen["boxes"][line["from"]])
        assert is_on_edge(line["end"], seen["boxes"][line["to"]])


def test_map_sentence_and_transport_are_on_one_screen(open_player: OpenPlayer) -> None:
    page = open_map(open_player("prepare-summary", height=900))
    go(page, 60)
    for part in (".ctx-toolbar", ".ctx-sentence", ".ctx-map", ".ctx-cards"):
        box = page.locator(part).bounding_box()
        assert box, part
        assert box["y"] >= 0, part
        assert box["y"] + box["height"] <= 900, part


def test_the_current_node_is_in_view_in_the_map_alone(open_player: OpenPlayer) -> None:
    for width in (1300, 400):
        page = open_map(open_player("prepare-summary", width=width))
        page.evaluate("window.scrollTo(0, 120)")
        before = page.evaluate("window.scrollY")
        for at in [*range(0, last(page) + 1, 9), last(page)]:
            go(page, at)
            hidden = page.evaluate(
                """() => {
                  const [node, map] = ['.ctx-node[aria-current="step"]', '.ctx-map']
                    .map((name) => document.querySelector(name).getBoundingClientRect());
                  return Math.max(map.top - node.top, node.bottom - map.bottom, map.left - node.left);
                }"""
            )
            assert hidden <= 0, f"step {at} at {width} px"
        assert page.evaluate("window.scrollY") == before


def test_the_keyboard_reaches_every_node(open_player: OpenPlayer) -> None:
    page = open_map(open_player("split-normal"))
    page.get_by_role("tab", name="Map", exact=True).focus()
    page.keyboard.press("Tab")
    expect(node(page, "split_history")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(node(page, "Is the last call still waiting")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(node(page, "refuses: pending")).to_be_focused()
    page.keyboard.press("ArrowRight")
    assert step(page) == 0
    page.keyboard.press("Enter")
    expect(page.locator(".ctx-live")).to_have_text("This run does not reach it.")
    expect(page.locator(".ctx-map-notice")).to_have_text("This run does not reach it.")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    assert step(page) > 0
    decision = node(page, "Is the last call still waiting")
    expect(decision).to_be_focused()
    expect(decision).to_have_attribute("aria-current", "step")
    told = re.compile(
        r"^Decision, line \d+ ?: Is the last call still waiting for its results\? "
        r"len\(messages\) % 2 == 0 ?\. Taken\. Answer: no\. Yes leads to: refuses: pending\."
    )
    expect(decision).to_have_accessible_name(told)
    expect(page.locator(".ctx-live")).to_have_text(re.compile("^Step .*Is the last call still waiting"))
    page.keyboard.press("Tab")
    assert page.evaluate("!document.activeElement.closest('.ctx-map')"), "one tab stop"


def test_a_click_leaves_the_arrow_keys_stepping(open_player: OpenPlayer) -> None:
    page = open_map(open_player("split-normal"))
    node(page, "Is the last call still waiting").click()
    at = step(page)
    assert at > 0
    page.keyboard.press("ArrowRight")
    assert step(page) == at + 1
    page.keyboard.press("m")
    expect(page.locator(".ctx-code .ctx-now")).to_be_visible()


# Each point of an outline by where it lies: on which edge of its box, in the middle of one, or in between.
SHAPES = """() => {
  const shapes = {};
  const outlines = [...document.querySelectorAll('.ctx-outline')];
  [...document.querySelectorAll('.ctx-node')].forEach((node, i) => {
    const { x, y, width, height } = outlines[i].getBBox();
    const place = (at, from, size) => {
      const share = (at - from) / size;
      const known = { 0: 'first', 0.5: 'middle', 1: 'last' };
      return known[Number(share.toFixed(2))] ?? 'between';
    };
    const points = outlines[i].getAttribute('d').match(/-?[0-9.]+,-?[0-9.]+/g).map((pair) => pair.split(','));
    const kind = outlines[i].getAttribute('d').replace(/[^A-Z]/g, '');
    const places = points.map(([a, b]) => place(a, x, width) + place(b, y, height));
    shapes[node.dataset.kind] = kind.includes('A') ? 'round' : `${kind} ${places}`;
  });
  return shapes;
}"""


def test_kinds_and_states_differ_without_colour(open_player: OpenPlayer) -> None:
    page = open_map(open_player("tangled-early"))
    go(page, last(page))
    shapes = page.evaluate(SHAPES)
    page.get_by_role("tab", name="Map", exact=True).click()
    lines = page.evaluate(
        """() => ['taken', 'never']
          .map((state) => document.querySelector(`.ctx-map .ctx-lines-${state} .ctx-flow-line`))
          .map(getComputedStyle)
          .map((style) => `${style.strokeWidth} ${style.strokeDasharray}`)"""
    )
    assert lines == ["3px none", "1.25px 4px, 4px"]
    shapes |= open_map(open_player("split-normal")).evaluate(SHAPES)
    assert shapes["start"] == shapes["return"] == "round"
    kinds = ("start", "decision", "loop", "call", "step", "refusal")
    assert len({shapes[kind] for kind in kinds}) == len(kinds)


@pytest.mark.parametrize("width", [650, 400])
def test_narrow_scrolls_the_map_and_not_the_page(open_player: OpenPlayer, width: int) -> None:
    page = open_map(open_player("trim-trim", width=width, device_scale_factor=2), "trim_results")
    for at in (0, last(page)):
        go(page, at)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    for part in (".ctx-looks", ".ctx-map-foot"):
        box = page.locator(part).bounding_box()
        assert box
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 400])
def test_axe_finds_nothing(open_player: OpenPlayer, theme: str, width: int) -> None:
    for name, source in MAPS[:4]:
        page = open_map(open_player(name, width=width, color_scheme=theme), source)
        page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
        for at in (last(page) // 2, last(page)):
            go(page, at)
            page.get_by_role("tab", name=source, exact=True).click()
            found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
            violations = [
                (rule["id"], [part["html"][:160] for part in rule["nodes"][:3]])
                for rule in found["violations"]
            ]
            assert violations == [], (name, at)
            assert len(found["passes"]) > 10


# The words on the lines are SVG, whose contrast axe does not judge.
CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = light(getComputedStyle(document.querySelector('.ctx-player')).backgroundColor);
  const against = (colour) => {
    const [more, less] = [light(colour), ground].sort((a, b) => b - a);
    return (more + 0.05) / (less + 0.05);
  };
  const of = (selector, property) => [...document.querySelectorAll(`.ctx-map ${selector}`)]
    .map((node) => against(getComputedStyle(node)[property]));
  const [words, lines] = [of('.ctx-flow-word', 'fill'), of('.ctx-flow-line', 'stroke')];
  return { words: Math.min(...words), lines: Math.min(...lines) };
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_and_lines_stand_out_enough(open_player: OpenPlayer, theme: str) -> None:
    page = open_map(open_player("trim-trim", color_scheme=theme), "trim_results")
    go(page, last(page) // 2)
    page.get_by_role("tab", name="trim_results", exact=True).click()
    contrast = page.evaluate(CONTRAST)
    assert contrast["words"] >= 4.5
    assert contrast["lines"] >= 3


def test_nothing_moves(open_player: OpenPlayer) -> None:
    page = open_map(open_player("split-normal"))
    moving = """() => [...document.querySelectorAll('.ctx-map, .ctx-map *')].map(getComputedStyle)
        .filter((style) => style.transitionDuration !== '0s' || style.animationName !== 'none').length"""
    assert page.evaluate("getComputedStyle(document.querySelector('.ctx-map')).scrollBehavior") == "auto"
    assert page.evaluate(moving) == 0


def test_forced_colours_keep_the_current_node_apart(open_player: OpenPlayer) -> None:
    page = open_map(open_player("split-normal", forced_colors="active"))
    go(page, last(page))
    strokes = page.locator(".ctx-map .ctx-outline").evaluate_all(
        "(outlines) => outlines.map((outline) => [outline.classList.contains('ctx-outline-now'), "
        "getComputedStyle(outline).stroke])"
    )
    now = {stroke for is_now, stroke in strokes if is_now}
    others = {stroke for is_now, stroke in strokes if not is_now}
    assert len(now) == 1
    assert not now & others


# How many changes of the page a step to and fro makes, on the average.
WORK_OF_STEPS = """(steps) => {
  const root = document.querySelector('.ctx-map');
  const observer = new MutationObserver(() => {});
  observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  const player = document.querySelector('.ctx-player');
  for (let i = 0; i < steps; i++) {
    const key = Math.floor(i / 8) % 2 ? 'ArrowLeft' : 'ArrowRight';
    player.dispatchEvent(new KeyboardEvent('keydown', { key }));
  }
  return observer.takeRecords().length;
}"""


def test_a_step_changes_as_little_in_a_map_of_two_hundred_nodes(open_player: OpenPlayer) -> None:
    work = {}
    for checks in (4, 100):
        page = open_map(open_player(f"checks-{checks}"))
        assert page.locator(".ctx-node").count() == 2 * checks + 2
        work[checks] = page.evaluate(WORK_OF_STEPS, 32)
    assert work[4] > 0
    assert work[100] <= work[4]

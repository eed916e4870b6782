"""One step of the player in a real browser."""

import os
import shutil
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from ctxlab.player.export import page
from ctxlab.reference import prepare_context
from ctxlab.tracer.run import trace

from .report import Row
from .timing import ROUNDS
from .workload import Work

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
STEPS = 50
SMALL, LARGE = 9, 1001
NAME = f"player: one step at {LARGE:,} messages / at {SMALL}"

# One step is the handler of its key and the layout that it forces; the frames in between are not measured.
MEASURE = """async (steps) => {
  const root = document.querySelector('.ctx-player');
  const times = [];
  root.focus();
  for (let step = 0; step < steps; step++) {
    const key = Math.floor(step / 10) % 2 ? 'ArrowLeft' : 'ArrowRight';
    const start = performance.now();
    root.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    root.getBoundingClientRect();
    times.push(performance.now() - start);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
  return times.sort((one, other) => one - other)[Math.floor(steps / 2)];
}"""


def rows() -> list[Row]:
    """Measure the player, or say that there is no browser to measure it in."""
    chromium = find_chromium()
    if chromium is None:
        print("  no Chromium found: the player is not measured (name one in CTXLAB_CHROMIUM)")
        return []
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        pages = {size: opened(browser, Path(folder), size) for size in (SMALL, LARGE)}
        times: dict[int, list[float]] = {size: [] for size in pages}
        for _ in range(ROUNDS):
            for size, shown in pages.items():
                times[size].append(shown.evaluate(MEASURE, STEPS))
        browser.close()
    ratio = median(large / small for large, small in zip(times[LARGE], times[SMALL], strict=True))
    small, large = median(times[SMALL]), median(times[LARGE])
    took = f"{small:.1f} ms at {SMALL}, {large:.1f} ms at {LARGE:,} (aim: under 16 ms)"
    return [Row(NAME, ratio, 2.0, details=[took])]


def opened(browser: Any, folder: Path, size: int) -> Any:
    """Open the exported page of a recorded run in the middle of that run."""
    found = trace(prepare_context, *Work(size).arguments(), step_limit=10**9)
    path = folder / f"{size}.html"
    path.write_text(page(found, len(found.steps) // 2), encoding="utf-8")
    shown = browser.new_page()
    shown.goto(path.as_uri())
    shown.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    return shown


def find_chromium() -> str | None:
    names = (os.environ.get("CTXLAB_CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if name and (path := shutil.which(name))), None)

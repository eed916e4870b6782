"""What every test shares: where Chromium is, a home of its own, and deterministic hypothesis runs."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on each run and machine: a red run can be repeated.
settings.register_profile("ctxlab", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("ctxlab")

CHROMIUM = pytest.StashKey[str | None]()
NO_CHROMIUM = "no Chromium found: browser tests are left out (install one, or name it in CTXLAB_CHROMIUM)"


def find_chromium() -> str | None:
    """The Chromium to test with: CTXLAB_CHROMIUM, else the first usual name on PATH."""
    chosen = os.environ.get("CTXLAB_CHROMIUM")
    if chosen:
        path = shutil.which(chosen)
        if path is None:
            raise pytest.UsageError(f"CTXLAB_CHROMIUM is {chosen!r}, which is no program")
        return path
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files again")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[CHROMIUM] = find_chromium()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect browser tests where there is no browser, and name them in the report where there is one.

    Deselected, not skipped: a run without Chromium is complete for its machine. CI counts the property.
    """
    in_browser = [item for item in items if item.get_closest_marker("browser")]
    for item in in_browser:
        item.user_properties.append(("browser", "yes"))
    if in_browser and config.stash[CHROMIUM] is None:
        config.hook.pytest_deselected(items=in_browser)
        items[:] = [item for item in items if item not in in_browser]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.stash[CHROMIUM] is None:
        terminalreporter.write_line(NO_CHROMIUM)


@pytest.fixture(scope="session")
def chromium(pytestconfig: pytest.Config) -> str:
    """The path of the Chromium that browser tests start."""
    return pytestconfig.stash[CHROMIUM]


@pytest.fixture(scope="session", autouse=True)
def nobodys_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test, nor a program that it starts, finds the progress of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CTXLAB_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's own folder."""
    return Path(__file__).resolve().parent.parent

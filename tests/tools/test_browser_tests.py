"""CI's proof that a browser really ran: counted from what pytest reports, not from what was collected."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import pytest

@pytest.mark.browser
def test_in_browser():
    {body}

def test_elsewhere():
    pass
"""


@pytest.mark.parametrize(
    ("body", "chromium", "count"),
    [("pass", "sh", 1), ("pytest.skip()", "sh", 0)],
    ids=["ran", "skipped"],
)
def test_counts_what_ran(root: Path, tmp_path: Path, body: str, chromium: str, count: int) -> None:
    (tmp_path / "conftest.py").write_text((root / "tests" / "conftest.py").read_text())
    (tmp_path / "test_some.py").write_text(TESTS.format(body=body))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    browser: in a browser\n")
    report = tmp_path / "report.xml"
    pytest_run = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", tmp_path]
    environment = {"PATH": "/usr/bin:/bin", "CTXLAB_CHROMIUM": chromium}
    subprocess.run(pytest_run, cwd=tmp_path, env=environment, capture_output=True, check=True)
    counted = subprocess.run(
        [sys.executable, root / "tools" / "browser_tests.py", report],
        capture_output=True,
        text=True,
        check=False,
    )
    assert counted.stdout == f"{count} browser tests ran\n"
    assert counted.returncode == (0 if count else 1)


def test_without_chromium_browser_tests_are_left_out_with_a_plain_line(root: Path, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((root / "tests" / "conftest.py").read_text())
    (tmp_path / "test_some.py").write_text(TESTS.format(body="raise AssertionError"))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    browser: in a browser\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    run = subprocess.run(
        [sys.executable, "-m", "pytest", tmp_path],
        cwd=tmp_path,
        env={"PATH": str(empty)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert "1 passed, 1 deselected" in run.stdout
    assert "no Chromium found: browser tests are left out" in run.stdout


def test_a_missing_report_fails(root: Path, tmp_path: Path) -> None:
    tool = [sys.executable, root / "tools" / "browser_tests.py", tmp_path / "none.xml"]
    run = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "missing" in run.stdout

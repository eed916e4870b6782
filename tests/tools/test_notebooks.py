"""Executing a lesson again: what stays, what goes, and that a lesson which would change is named."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def notebooks(root: Path, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, root / "tools" / "notebooks.py", *arguments]
    return subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True, check=False, timeout=120
    )


def lesson(path: Path, *sources: str, tags: tuple[str, ...] = ()) -> Path:
    cells = [
        new_code_cell(source, id=f"cell-{n}", metadata={"tags": list(tags)} if tags else {})
        for n, source in enumerate(sources)
    ]
    nbformat.write(new_notebook(cells=cells), path)
    return path


@pytest.fixture
def executed(root: Path, tmp_path: Path) -> nbformat.NotebookNode:
    path = lesson(
        tmp_path / "00_widget.ipynb",
        "import ipywidgets\nipywidgets.IntSlider(value=3, description='step')",
        "print('one')\nprint('two')",
    )
    run = notebooks(root, path)
    assert run.returncode == 0, run.stdout + run.stderr
    return nbformat.read(path, as_version=4)


def test_keeps_outputs_and_counts(executed: nbformat.NotebookNode) -> None:
    widget, text = executed.cells
    assert [widget.execution_count, text.execution_count] == [1, 2]
    assert text.outputs[0].text == "one\ntwo\n"
    assert widget.outputs[0].data["text/plain"] == "IntSlider(value=3, description='step')"


def test_drops_what_belongs_to_one_run(executed: nbformat.NotebookNode) -> None:
    assert "widgets" not in executed.metadata
    assert "version" not in executed.metadata.language_info
    assert WIDGET_VIEW not in executed.cells[0].outputs[0].data
    assert all("execution" not in cell.metadata for cell in executed.cells)


def test_a_wanted_exception_is_stored_without_paths(root: Path, tmp_path: Path) -> None:
    path = lesson(tmp_path / "refusal.ipynb", "raise ValueError('too large')", tags=("raises-exception",))
    assert notebooks(root, path).returncode == 0
    (output,) = nbformat.read(path, as_version=4).cells[0].outputs
    assert output.traceback == ["ValueError: too large"]


def test_check_passes_on_a_stored_lesson_and_names_one_that_would_change(root: Path, tmp_path: Path) -> None:
    path = lesson(tmp_path / "sum.ipynb", "1 + 1")
    notebooks(root, path)
    assert notebooks(root, "--check", path).returncode == 0
    stale = path.read_text().replace('"2"', '"3"')
    path.write_text(stale)
    check = notebooks(root, "--check", path)
    assert check.returncode == 1
    assert "sum.ipynb: running it changes it" in check.stdout
    assert '-       "3"' in check.stdout
    assert path.read_text() == stale


IMAGE = "import base64; from IPython.display import display; display({}, raw=True)"
PNG = "iVBORw0KGgo="


def with_image(path: Path, text: str) -> Path:
    """A lesson whose first cell shows an image, with a text beside it."""
    bundle = {"image/png": PNG, "text/plain": text}
    return lesson(path, IMAGE.format(bundle))


def test_a_stored_image_stays_while_the_text_beside_it_is_the_same(root: Path, tmp_path: Path) -> None:
    path = with_image(tmp_path / "chart.ipynb", "a table")
    notebooks(root, path)
    # As if another machine had drawn it.
    path.write_text(path.read_text().replace(f'"image/png": "{PNG}', '"image/png": "iVBORw0KAAA='))
    assert "iVBORw0KAAA=" in path.read_text()
    assert notebooks(root, "--check", path).returncode == 0

    # Another text beside it has another image.
    path.write_text(path.read_text().replace('"a table"', '"an old table"'))
    assert notebooks(root, path).returncode == 0
    (output,) = nbformat.read(path, as_version=4).cells[0].outputs
    assert output.data == {"image/png": PNG, "text/plain": "a table"}


def test_a_failing_cell_fails_and_leaves_the_file_alone(root: Path, tmp_path: Path) -> None:
    path = lesson(tmp_path / "broken.ipynb", "1 / 0")
    before = path.read_text()
    run = notebooks(root, path)
    assert run.returncode == 1
    assert "broken.ipynb" in run.stdout
    assert "ZeroDivisionError" in run.stdout
    assert path.read_text() == before


@pytest.mark.parametrize("text", [None, "not a notebook"])
def test_what_is_no_notebook_is_named(root: Path, tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "none.ipynb"
    if text is not None:
        path.write_text(text)
    run = notebooks(root, path)
    assert run.returncode == 1
    assert "none.ipynb" in run.stdout
    assert "Traceback" not in run.stderr


def test_a_lesson_sees_a_home_of_its_own(root: Path, tmp_path: Path) -> None:
    path = lesson(tmp_path / "home.ipynb", "import os\nos.environ['CTXLAB_HOME'] == 'mine'")
    assert notebooks(root, path, CTXLAB_HOME="mine").returncode == 0
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].data["text/plain"] == "False"

"""Execute lessons on a fresh kernel and store them in one normal form.

python tools/notebooks.py [--check] NOTEBOOK...

Outputs and execution counts stay. What differs from machine to machine goes: widget state and the widget-view
MIME type (the static faces beside it stay), the Python version, and a traceback's frames (its last line
stays). The bytes of an image differ, too: a stored image stays, as long as the output around it comes out as
it is stored. To have it drawn again, remove the outputs of its cell.

With --check nothing is written: a lesson that would change is named with its differences, and the exit status
is 1.
"""

import difflib
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.reader import NotJSONError

CELL_TIMEOUT = 60  # seconds, as for nbval
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
IMAGE = "image/png"


def execute(path: Path) -> NotebookNode:
    """The notebook, run top to bottom, without the settings or progress of the person who runs it."""
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"CTXLAB_HOME": f"{home}/ctxlab", "IPYTHONDIR": f"{home}/ipython"}
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=CELL_TIMEOUT,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(path.parent)}},
        )
        client.execute(env=environment)
    return notebook


def normalise(notebook: NotebookNode) -> NotebookNode:
    """Take out, in place, what would differ on another machine."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    notebook.metadata.kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)
            output.get("metadata", {}).pop(WIDGET_VIEW, None)
            if output.output_type == "error":
                output.traceback = [f"{output.ename}: {output.evalue}"]
    return notebook


def keep_images(notebook: NotebookNode, stored: NotebookNode) -> NotebookNode:
    """Put the stored images back, in place, where all else in an output is as it is stored."""
    for cell, before in zip(notebook.cells, stored.cells, strict=True):
        for output, other in zip(cell.get("outputs", []), before.get("outputs", []), strict=False):
            drawn, kept = output.get("data", {}), other.get("data", {})
            if IMAGE in drawn and IMAGE in kept and {**drawn, IMAGE: kept[IMAGE]} == kept:
                drawn[IMAGE] = kept[IMAGE]
    return notebook


def as_text(notebook: NotebookNode) -> str:
    text: str = nbformat.writes(notebook)
    return text.rstrip("\n") + "\n"


def main(arguments: list[str]) -> int:
    check = arguments[:1] == ["--check"]
    paths = [Path(argument) for argument in arguments[check:]]
    if not paths:
        print(__doc__)
        return 2
    failures = 0
    for path in paths:
        try:
            before = path.read_text(encoding="utf-8")
            stored: NotebookNode = nbformat.reads(before, as_version=4)
            after = as_text(keep_images(normalise(execute(path)), stored))
        except (OSError, NotJSONError, CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            print(f"{path}: {error}")
            failures += 1
            continue
        if after == before:
            print(f"{path}: unchanged")
        elif check:
            print(f"{path}: running it changes it; run `make lessons` and look at the difference:")
            sys.stdout.writelines(
                difflib.unified_diff(
                    before.splitlines(True), after.splitlines(True), "stored", "run again", n=1
                )
            )
            failures += 1
        else:
            path.write_text(after, encoding="utf-8")
            print(f"{path}: written")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

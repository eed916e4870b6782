"""What every lesson keeps to: its sections, its stored outputs, and what it may not use."""

import base64
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from ctxlab import reference
from ctxlab.exercises.exercise import exercise, exercise_names
from ctxlab.player.charts import BAR, DPI, MARGIN, WIDTH

LESSONS = Path(__file__).parents[2] / "lessons"
PATHS = sorted(LESSONS.glob("*.ipynb"))
NUMBERED = re.compile(r"\*\*(\d+\. .+?)\*\*")
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

# The opening cell is section 1 of a lesson; the other nine have a heading each, in this order.
SECTIONS = [
    "Recall",
    "Something breaks",
    "Watch it done right",
    "Your prediction",
    "Look again",
    "In your own words",
    "In order",
    "Change it",
    "What was lost",
]
# The activity that belongs to a section: the first cell of code in it.
ACTIVITIES = {
    "Recall": "recall",
    "Your prediction": "predict",
    "In your own words": "explain",
    "In order": "order",
}

# Outputs of these differ from run to run, or cannot be compared.
FORBIDDEN = [
    *(r"\btime\b", r"\bdatetime\b", r"\bhash\(", r"\bid\(", r"\brandom\b", r"\bsecrets\.", r"\buuid\b"),
    *(r"\binteract\b", r"\bclear_output\b", r"\bOutput\(", r"^\s*with out\b", r"^\s*[%!]"),
    *(r"\bopen\(", r"\bimport requests\b", r"\burllib\b", r"\bos\.environ\b"),
]

# What a learner may import. The stubs of the exercises name the rest.
PUBLIC = {
    *(
        "ctxlab",
        "ctxlab.errors",
        "ctxlab.exercises",
        "ctxlab.models",
        "ctxlab.practice",
        "ctxlab.practice.script",
    ),
    *(
        "ctxlab.messages.blocks",
        "ctxlab.messages.counting",
        "ctxlab.messages.spoken",
        "ctxlab.messages.texts",
    ),
    *("ctxlab.player.charts", "ctxlab.reference", "ctxlab.reference.counting"),
    *("ctxlab.reference.history", "ctxlab.reference.loop", "ctxlab.reference.pairs"),
    *("contextlib", "copy", "json", "pathlib", "tempfile"),
}

every_lesson = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def code(path: Path) -> list[NotebookNode]:
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose(path: Path) -> str:
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def cells_of(path: Path, section: str) -> list[NotebookNode]:
    """The cells of one section, its heading included."""
    found: list[NotebookNode] = []
    for cell in read(path).cells:
        if cell.cell_type == "markdown" and (
            heading := re.search(r"^## (.+)$", cell.source, flags=re.MULTILINE)
        ):
            inside = heading[1] == section
        elif not found:
            inside = False
        if inside:
            found.append(cell)
        elif found:
            return found
    return found


def labels() -> set[str]:
    """The numbered comments of the code under study."""
    modules = sorted(Path(reference.__file__).parent.glob("*.py"))
    source = "".join(module.read_text(encoding="utf-8") for module in modules)
    return set(re.findall(r"^ *# (\d+\. .+)$", source, flags=re.MULTILINE))


def test_the_lessons_are_there_in_order() -> None:
    assert [path.stem for path in PATHS] == [
        *("00_start", "01_split", "02_trim", "03_prepare", "04_commit"),
        *("05_count", "14_diagnose"),
    ]


@every_lesson
def test_opens_with_a_promise_that_one_can_check(path: Path) -> None:
    opening = read(path).cells[0].source
    assert re.match(rf"# {path.stem[:2]} \w+: ", opening)
    assert re.search(r"\*\*\d+ minutes and two exercises\. Before this: ", opening)
    assert len(re.findall(r"^\d\. ", opening, flags=re.MULTILINE)) == 3


@every_lesson
def test_has_its_sections_in_order(path: Path) -> None:
    headings = re.findall(r"^## (.+)$", prose(path), flags=re.MULTILINE)
    # The first lesson shows the learner's progress, too.
    assert headings == [*SECTIONS, *(["Where you are"] if path == PATHS[0] else [])]


@every_lesson
def test_each_activity_stands_in_its_section(path: Path) -> None:
    for section, activity in ACTIVITIES.items():
        first = next(cell for cell in cells_of(path, section) if cell.cell_type == "code")
        assert first.source.splitlines()[-1] == f'{activity}("{path.stem[:2]}")'
        (output,) = first.outputs
        assert set(output.data) == {"text/plain", "text/html"}


@every_lesson
def test_each_exercise_of_the_lesson_is_there_with_its_task_its_stub_and_its_solution(path: Path) -> None:
    names = exercise_names(path.stem[:2])
    assert len(names) >= 2
    cells = cells_of(path, "Change it")
    checks = [place for place, cell in enumerate(cells) if 'check("' in cell.source]
    assert len(checks) == len(names)
    for name, place in zip(names, checks, strict=True):
        wanted = exercise(name)
        task, stub, _, hints, solution = cells[place - 1 : place + 4]
        said = task.source.replace("`", "").replace("**", "").split("\n\n", 1)[1]
        assert said.split() == wanted.task.split()
        assert stub.source == f'{wanted.stub.strip()}\n\n\ncheck("{name}", {wanted.function})'
        assert stub.outputs[0].data["text/plain"] == f"{name}: Not written yet."
        # A hint is taken by who wants one, not by "Run all".
        assert hints.source == f'# hint("{name}")'
        assert solution.source.startswith("<details>")
        assert f"```python\n{wanted.solution.strip()}\n```" in solution.source


@every_lesson
def test_labels_its_steps_as_the_source_does(path: Path) -> None:
    said = NUMBERED.findall(prose(path))
    assert len(said) >= 2
    assert set(said) <= labels()


@every_lesson
def test_every_cell_has_run_and_keeps_its_outputs(path: Path) -> None:
    cells = code(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert any("Lab(" in cell.source for cell in cells)
    for cell in cells:
        assert not cell.metadata.get("tags"), "a tag could switch the comparison of a cell off"
        assert not re.search("nbval", cell.source, flags=re.IGNORECASE)
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr"


@every_lesson
def test_a_lab_shows_where_no_kernel_runs(path: Path) -> None:
    for cell in code(path):
        if re.match(r"lab$|Lab\(", cell.source.splitlines()[-1]):
            (output,) = cell.outputs
            assert set(output.data) == {"text/plain", "text/html"}
            assert "<table>" in output.data["text/html"]
            assert "Decisions" in output.data["text/plain"]


def test_a_chart_is_the_picture_of_the_table_above_it() -> None:
    """The bytes of a picture differ from machine to machine, so nothing else looks at the stored one."""
    charts = 0
    for path in PATHS:
        for cell in code(path):
            for output in cell.outputs:
                if "image/png" not in output.get("data", {}):
                    continue
                charts += 1
                assert set(output.data) == {"text/plain", "image/png"}
                table = output.data["text/plain"]
                assert cell.outputs[0].text == f"{table}\n"
                _title, _, head, *rows = table.splitlines()
                columns = len(re.split(r"  +", head.strip()))
                png = base64.b64decode(output.data["image/png"])
                assert png.startswith(b"\x89PNG\r\n")
                height = MARGIN + BAR * len(rows) * (columns + 1)
                assert struct.unpack(">II", png[16:24]) == (WIDTH * DPI, int(height * DPI))
    assert charts


@every_lesson
def test_is_stored_without_what_belongs_to_one_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert WIDGET_VIEW not in text
    assert "widgets" not in read(path).metadata
    # An address in memory, a kernel's own file, and the path of a file in a traceback.
    assert not re.search(r"object at 0x|ipykernel_\d|File \S*/", text)


@every_lesson
@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_uses_nothing_whose_output_differs(path: Path, pattern: str) -> None:
    for cell in code(path):
        assert not re.search(pattern, cell.source, flags=re.MULTILINE), cell.source


@every_lesson
def test_imports_only_the_public_interface(path: Path) -> None:
    for cell in code(path):
        for module in re.findall(r"^(?:from|import) (\S+)", cell.source, flags=re.MULTILINE):
            assert module in PUBLIC


@every_lesson
def test_cells_are_short(path: Path) -> None:
    for cell in read(path).cells:
        if cell.cell_type == "code":
            # What a learner writes into comes with its imports and its docstring.
            assert len(cell.source.splitlines()) <= (20 if 'check("' in cell.source else 16)
        else:
            assert len(cell.source.split()) <= 230, cell.source[:80]


@every_lesson
def test_links_go_where_the_project_knows_a_source(path: Path) -> None:
    """No network is asked: a link to a page must be one of these, and a link to a file must lead to one."""
    known = {
        "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls",
        "https://github.com/OpenHands/OpenHands/issues/7512",
        "https://github.com/adolfousier/opencrabs/issues/1378",
        "https://github.com/openclaw/openclaw/issues/103930",
        "https://github.com/openai/openai-cookbook/blob/main/examples/How_to_count_tokens_with_tiktoken.ipynb",
        "https://platform.claude.com/docs/en/build-with-claude/context-windows",
        "https://platform.claude.com/docs/en/build-with-claude/token-counting",
        "https://developers.openai.com/api/docs/guides/token-counting",
    }
    # In the folded solutions, brackets side by side are Python.
    text = re.sub(r"^```python\n.*?^```$", "", prose(path), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\((.+?)\)", text):
        assert target in known or (path.parent / target).is_file()


@every_lesson
def test_shows_which_facts_were_kept(path: Path) -> None:
    tables = [cell for cell in cells_of(path, "What was lost") if "losses(" in cell.source]
    assert tables
    for cell in tables:
        assert "kept" in cell.outputs[0].data["text/plain"]
        assert "<table" in cell.outputs[0].data["text/html"]


def test_a_function_of_the_learners_own_is_traced() -> None:
    for path in PATHS:
        for name in re.findall(
            r"^def (\w+)", "\n".join(cell.source for cell in code(path)), flags=re.MULTILINE
        ):
            if any(re.search(rf"(?:Lab|trace)\({name}\b", cell.source) for cell in code(path)):
                return
    pytest.fail("no lesson traces a function that its reader wrote")


@pytest.mark.slow
@every_lesson
def test_stands_alone_in_any_folder(path: Path, root: Path, tmp_path: Path) -> None:
    """Run again from another folder, the lesson comes out the same: it needs only the installed package."""
    copy = shutil.copy(path, tmp_path)
    again = [sys.executable, str(root / "tools" / "notebooks.py"), "--check", copy]
    run = subprocess.run(again, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr

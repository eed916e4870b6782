"""What the README shows is what happens: its commands print what stands below them, its Python runs.

`pytest tests/test_readme.py --update-golden` writes the output of the commands into the README again.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ctxlab.reference import prepare_context, split_history
from ctxlab.scenarios import load_scenario
from ctxlab.tracer.run import trace

# A command behind "$ ", and what it prints.
EXAMPLE = re.compile(r"^```console\n\$ (.+)\n((?:.*\n)*?)```$", re.MULTILINE)
TRANSCRIPT = re.compile(r"^```json\n((?:.*\n)*?)```$", re.MULTILINE)
SCENARIO = re.compile(r"^```yaml\n((?:.*\n)*?)```$", re.MULTILINE)
PYTHON = re.compile(r"^```python\n((?:.*\n)*?)```$", re.MULTILINE)


def printed(command: str, folder: Path) -> str:
    """What a command of the README prints, run in `folder`, with no complaint."""
    programs = Path(sys.executable).parent
    here = command.replace(".venv/bin/", f"{programs}{os.sep}")
    run = subprocess.run(
        ["sh", "-c", here],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    assert run.stderr == ""
    return run.stdout


def test_each_command_prints_what_stands_below_it(
    root: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    answers, _ = PYTHON.findall(readme)
    (tmp_path / "my-lessons").mkdir()
    (tmp_path / "my-lessons" / "answers.py").write_text(answers, encoding="utf-8")
    (transcript,) = TRANSCRIPT.findall(readme)
    (tmp_path / "chat.json").write_text(transcript, encoding="utf-8")
    now = EXAMPLE.sub(lambda found: f"```console\n$ {found[1]}\n{printed(found[1], tmp_path)}```", readme)
    assert len(EXAMPLE.findall(readme)) == readme.count("```console") == 13
    assert {path.name for path in tmp_path.iterdir()} == {
        "chat.json",
        "ctxlab.sarif",
        "mismatch.html",
        "my-lessons",
        "repaired.json",
        "repaired.json.removed.jsonl",
        "run",
    }
    if pytestconfig.getoption("--update-golden"):
        (root / "README.md").write_text(now, encoding="utf-8")
    else:
        assert now == readme


def test_the_python_example_runs(root: Path, tmp_path: Path) -> None:
    _, example = PYTHON.findall((root / "README.md").read_text(encoding="utf-8"))
    command = [sys.executable, "-c", example]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == trace(split_history, scenario="multi").text() + "\n"
    assert [path.name for path in tmp_path.iterdir()] == ["run.html"]


def test_the_scenario_of_the_readme_can_be_used(root: Path, tmp_path: Path) -> None:
    (example,) = SCENARIO.findall((root / "README.md").read_text(encoding="utf-8"))
    path = tmp_path / "mine.yaml"
    path.write_text(example, encoding="utf-8")
    scenario = load_scenario(str(path))
    kept = scenario.surviving(trace(prepare_context, scenario=scenario).outcome.value)
    # The budget has room for the question, and for none of the long log.
    assert [fact.text for fact in scenario.must_survive if fact in kept] == ["Do not restart anything"]


def test_the_table_of_lessons_is_that_of_the_folder(root: Path) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| (\d\d \w+) \|", readme, re.MULTILINE)
    assert named == [path.stem.replace("_", " ") for path in sorted((root / "lessons").glob("*.ipynb"))]

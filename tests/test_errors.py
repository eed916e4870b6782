"""What a person sees of the errors that ctxlab raises on purpose."""

import subprocess
import sys
from pathlib import Path


def test_a_notebook_shows_the_text_of_a_mistake_and_no_traceback(tmp_path: Path) -> None:
    cell = "import ctxlab; ctxlab.load_scenario('sumary')"
    run = subprocess.run(
        [sys.executable, "-m", "IPython", "--colors=NoColor", "-c", cell],
        cwd=tmp_path,
        env={"IPYTHONDIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    shown = [line for line in (run.stdout + run.stderr).splitlines() if line.strip()]
    assert shown == ["ScenarioError: there is no scenario 'sumary'; did you mean 'summary'?"]

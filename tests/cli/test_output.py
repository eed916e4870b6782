"""Standard output and standard error in all the states in which a process may find them."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from ctxlab_command import SCRIPT, ctxlab, unusable


class TestStandardOutput:
    @pytest.mark.parametrize("arguments", ["list", "replay summary --json", "--help", "replay --help"])
    def test_a_reader_that_leaves_early_is_no_fault(self, arguments: str) -> None:
        # The end of the pipe that reads is closed before the process writes: every write of it fails.
        reading, writing = os.pipe()
        os.close(reading)
        run = ctxlab(*arguments.split(), capture_output=False, stdout=writing, stderr=subprocess.PIPE)
        os.close(writing)
        assert (run.returncode, run.stderr) == (0, "")

    def test_head(self) -> None:
        pipe = f"set -o pipefail; '{SCRIPT}' list | head -1"
        run = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, check=False, timeout=60)
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.startswith("normal ")

    @pytest.mark.parametrize(
        "setting",
        [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}],
        ids=["PYTHONIOENCODING", "LC_ALL"],
    )
    def test_an_encoding_without_every_character(self, setting: dict[str, str]) -> None:
        run = ctxlab("replay", "summary", env=os.environ | setting, encoding="ascii")
        expected = ctxlab("replay", "summary").stdout
        assert (run.returncode, run.stderr) == (0, "")
        assert "\\u2026" in run.stdout
        assert run.stdout == expected.encode("ascii", "backslashreplace").decode()

    def test_the_plain_locale(self) -> None:
        run = ctxlab("replay", "summary", env=os.environ | {"LC_ALL": "C"})
        assert (run.returncode, run.stderr) == (0, "")

    def test_json_is_json_in_any_encoding(self, tmp_path: Path) -> None:
        question = "caf\N{LATIN SMALL LETTER E WITH ACUTE} \N{GRINNING FACE}"
        text = f"name: mine\npromise: p\nquestion: {question}\nmessages: []\n"
        (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
        ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
        run = ctxlab("replay", "mine.yaml", "--json", cwd=tmp_path, env=ascii_only)
        assert question in json.loads(run.stdout)["strings"]

    def test_closed(self) -> None:
        shell = f"'{SCRIPT}' list >&-"
        run = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False, timeout=60)
        assert unusable(run) == "standard output is closed"

    def test_that_cannot_be_written(self) -> None:
        # Open for reading only, so that every write fails.
        with Path(os.devnull).open() as unwritable:
            run = ctxlab("list", capture_output=False, stdout=unwritable, stderr=subprocess.PIPE)
        assert run.returncode == 2
        assert run.stderr == "ctxlab: standard output cannot be written (Bad file descriptor)\n"


class TestStandardError:
    @pytest.mark.parametrize("redirection", ["2>&-", "2</dev/null"], ids=["closed", "cannot be written"])
    def test_without_it_the_status_says_it(self, redirection: str) -> None:
        shell = f"'{SCRIPT}' replay norml {redirection}"
        run = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False, timeout=60)
        assert (run.returncode, run.stdout) == (2, "")

"""`ctxlab check`, as a real process."""

import json
from pathlib import Path

import pytest
from ctxlab_command import ctxlab, unusable

RIGHT_AND_WRONG = """
from ctxlab import Refusal

print("loading")

def safe_cut(messages, keep_recent):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "open")
    return max(1, len(messages) - 2 * keep_recent)

def fits(messages, budget):
    raise NotImplementedError("not written yet")

def something_else():
    exit()
"""


class TestCheck:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "mine.py"
        path.write_text(RIGHT_AND_WRONG, encoding="utf-8")
        return path

    @pytest.fixture(autouse=True)
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("CTXLAB_HOME", str(tmp_path / "home"))
        return tmp_path / "home"

    def test_checks_every_function_that_is_named_as_an_exercise(self, file: Path, home: Path) -> None:
        run = ctxlab("check", file)
        assert (run.returncode, run.stderr) == (1, "")
        fits, safe_cut, last = run.stdout.split("\n\n")
        assert fits == "fits: Not written yet."
        assert safe_cut.startswith("safe_cut: Passed.\nIt was tried on ")
        assert last == "1 of 2 passed\n"
        assert '"safe_cut": {' in (home / "progress.json").read_text(encoding="utf-8")

    def test_or_those_that_are_named(self, file: Path) -> None:
        run = ctxlab("check", file, "safe_cut", "safe_cut")
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.startswith("safe_cut: Passed.")
        assert run.stdout.endswith("\n\n1 of 1 passed\n")

    def test_json(self, file: Path) -> None:
        run = ctxlab("check", file, "fits", "--json")
        assert run.returncode == 1
        lines = ["fits: Not written yet."]
        assert json.loads(run.stdout) == [
            {"name": "fits", "kind": "not_written", "passed": False, "lines": lines}
        ]

    def test_a_failing_check_tells_the_whole_verdict(self, file: Path) -> None:
        file.write_text("def safe_cut(messages, keep_recent):\n    return 1\n", encoding="utf-8")
        run = ctxlab("check", file)
        assert run.returncode == 1
        assert "Expected: returned 3\nGot: returned 1\n" in run.stdout
        assert run.stdout.endswith("\n\n0 of 1 passed\n")

    def test_leaves_nothing_beside_the_file(self, file: Path, tmp_path: Path) -> None:
        ctxlab("check", file, "safe_cut", cwd=tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "mine.py"]

    def test_names_that_cannot_be_checked(self, file: Path) -> None:
        assert unusable(ctxlab("check", file, "safecut")).startswith(
            "there is no exercise 'safecut'; did you"
        )
        assert unusable(ctxlab("check", file, "my_split")) == (
            f"{file} defines no function my_split; define it, or leave the name out"
        )
        assert unusable(ctxlab("check")).startswith("the following arguments are required: FILE; see ")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("x = 1", "FILE defines none of the functions fits, "),
            ("safe_cut = 7", "FILE defines none of the functions fits, "),
            ("x = 1\n1 / 0", "FILE, line 2: ZeroDivisionError: division by zero"),
            ("exit()", "FILE, line 1: it ends the program when it is loaded; remove that call"),
        ],
    )
    def test_files_that_cannot_be_checked(self, file: Path, text: str, said: str) -> None:
        file.write_text(text, encoding="utf-8")
        assert unusable(ctxlab("check", file)).replace(str(file), "FILE").startswith(said)

    def test_no_such_file(self, tmp_path: Path) -> None:
        missing = tmp_path / "none.py"
        assert unusable(ctxlab("check", missing)) == f"there is no file {missing}; check the path"

    @pytest.mark.slow
    def test_a_file_that_does_not_end(self, file: Path) -> None:
        file.write_text("while True: pass", encoding="utf-8")
        said = f"{file} was still running after 10 seconds; keep to definitions in it"
        assert unusable(ctxlab("check", file)) == said

    @pytest.mark.parametrize(
        "text",
        [
            "import os, signal\n"
            "def safe_cut(messages, keep_recent):\n"
            "    os.kill(os.getpid(), signal.SIGINT)\n"
            "    while True: pass\n",
            "def safe_cut(messages, keep_recent):\n    raise KeyboardInterrupt\n",
            "raise KeyboardInterrupt\n",
        ],
        ids=["a key", "raised by a function", "raised by the file"],
    )
    def test_an_interrupt_is_one_line(self, file: Path, text: str) -> None:
        file.write_text(text, encoding="utf-8")
        run = ctxlab("check", file)
        said = f"ctxlab: {file} was not checked to the end: Ctrl-C or its own KeyboardInterrupt\n"
        assert (run.returncode, run.stdout, run.stderr) == (130, "", said)

    def test_the_help_says_that_the_file_is_executed_and_what_that_means(self) -> None:
        text = " ".join(ctxlab("check", "--help").stdout.split())
        assert "FILE is executed" in text
        assert "Nothing holds back os._exit" in text
        assert "The exit status can be trusted only for code that does not try to deceive it." in text

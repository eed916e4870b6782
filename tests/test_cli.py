"""The command line, as real processes: what it prints where, and the exit status."""

import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from ctxlab.cli import FUNCTIONS, main
from ctxlab.scenarios import load_scenario, scenario_names
from ctxlab.tracer.run import trace

SCRIPT = Path(sys.executable).with_name("ctxlab")


def ctxlab(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    defaults: dict[str, object] = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 60}
    return subprocess.run([SCRIPT, *arguments], check=False, **(defaults | options))  # type: ignore[call-overload]


def unusable(run: subprocess.CompletedProcess[str]) -> str:
    """The one line that says what is wrong with the input."""
    assert run.returncode == 2, run.stderr
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    assert line.startswith("ctxlab: ")
    return line.removeprefix("ctxlab: ")


class TestList:
    def test_each_scenario_with_its_promise(self) -> None:
        run = ctxlab("list")
        assert (run.returncode, run.stderr) == (0, "")
        lines = [line.split(maxsplit=1) for line in run.stdout.splitlines()]
        assert lines == [[name, load_scenario(name).promise] for name in scenario_names()]

    def test_json(self) -> None:
        run = ctxlab("list", "--json")
        assert run.returncode == 0
        assert json.loads(run.stdout) == [
            {"name": name, "promise": load_scenario(name).promise} for name in scenario_names()
        ]


class TestReplay:
    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_prints_the_text_face(self, function: str) -> None:
        run = ctxlab("replay", "multi", "--function", function)
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout == trace(FUNCTIONS[function], scenario="multi").text()

    def test_replays_prepare_unless_told_otherwise(self) -> None:
        assert ctxlab("replay", "summary").stdout.startswith(
            "prepare_context on summary: returned 3 messages"
        )

    def test_calls_adds_the_decisions_of_the_functions_it_called(self) -> None:
        run = ctxlab("replay", "summary", "--calls")
        assert run.stdout == trace(FUNCTIONS["prepare"], scenario="summary").text(calls=True)
        assert run.stdout != ctxlab("replay", "summary").stdout

    def test_settings_take_the_place_of_those_of_the_scenario(self) -> None:
        run = ctxlab("replay", "summary", "--budget", "5000", "--keep-recent", "2")
        settings = {"budget": 5000, "keep_recent": 2}
        assert run.stdout == trace(FUNCTIONS["prepare"], scenario="summary", **settings).text()
        assert "3351 <= 5000 is yes" in run.stdout
        trimmed = ctxlab("replay", "old", "--function", "trim", "--max-chars", "100", "--keep-recent", "1")
        assert "> 100" in trimmed.stdout

    def test_the_loop_prepares_with_the_settings(self) -> None:
        def said(*options: str) -> str:
            return ctxlab("replay", "trim", "--function", "loop", *options).stdout

        assert " trimmed " not in said("--budget", "5000")
        assert " trimmed " in said("--budget", "1600")
        # With two exchanges kept, not even a summary of the third is enough.
        assert "not_smaller: rebuilt" in said("--budget", "1600", "--keep-recent", "2")

    def test_a_loop_that_ended_without_an_answer_is_a_result_like_any_other(self) -> None:
        run = ctxlab("replay", "pending", "--function", "loop", "--json")
        assert (run.returncode, run.stderr) == (0, "")
        assert "context_error" in json.loads(run.stdout)["strings"]

    def test_json_is_the_trace(self) -> None:
        run = ctxlab("replay", "summary", "--json")
        assert run.returncode == 0
        assert json.loads(run.stdout) == trace(FUNCTIONS["prepare"], scenario="summary").to_json()

    def test_html_writes_the_page_beside_the_text(self, tmp_path: Path) -> None:
        run = ctxlab("replay", "summary", "--html", "run.html", cwd=tmp_path)
        assert run.stdout == ctxlab("replay", "summary").stdout
        expected = tmp_path / "expected.html"
        trace(FUNCTIONS["prepare"], scenario="summary").save_html(expected)
        assert (tmp_path / "run.html").read_bytes() == expected.read_bytes()

    def test_a_file_of_ones_own(self, tmp_path: Path) -> None:
        (tmp_path / "mine.yaml").write_text("name: mine\npromise: Mine.\nbase: summary\n", encoding="utf-8")
        assert ctxlab("replay", "mine.yaml", cwd=tmp_path).stdout.startswith(
            "prepare_context on mine: returned"
        )

    def test_a_refusal_is_a_result(self) -> None:
        run = ctxlab("replay", "mismatch", "--function", "split")
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.startswith("split_history on mismatch: refused mismatch: ")

    def test_a_run_that_ended_with_an_exception_says_so_in_its_status(self) -> None:
        run = ctxlab("replay", "archive_error")
        assert (run.returncode, run.stderr) == (1, "")
        assert run.stdout.startswith("prepare_context on archive_error: error OSError: ")

    def test_a_run_that_reached_the_step_limit_says_so_in_its_status(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("ctxlab.tracer.run.trace", partial(trace, step_limit=30))
        assert main(["replay", "summary"]) == 1
        assert capsys.readouterr().out.startswith(
            "prepare_context on summary: stopped at the step limit\nNote: "
        )


class TestUnusableInput:
    def test_a_name_with_a_typo(self) -> None:
        line = unusable(ctxlab("replay", "sumary"))
        assert line == "there is no scenario 'sumary'; did you mean 'summary'?"

    @pytest.mark.parametrize("name", ["", "none-like-it", "summary\nx", "two\nlines.yaml"])
    def test_a_name_that_is_none(self, name: str) -> None:
        assert unusable(ctxlab("replay", name)).startswith("there is no ")

    def test_a_missing_file(self, tmp_path: Path) -> None:
        (tmp_path / "mine.yaml").touch()
        line = unusable(ctxlab("replay", "mime.yaml", cwd=tmp_path))
        assert line == "there is no file mime.yaml; did you mean mine.yaml?"

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            (b"name: [\n", "line 2, column 1: not valid YAML"),
            (b"", "the file is empty"),
            (b"\xff\xfe", "not UTF-8"),
            (
                b"name: mine\npromise: p\nquestion: q\nmessages: 3\n",
                "line 4, column 1: messages: should be a list",
            ),
        ],
    )
    def test_a_file_that_is_no_scenario(self, tmp_path: Path, text: bytes, problem: str) -> None:
        (tmp_path / "mine.yaml").write_bytes(text)
        line = unusable(ctxlab("replay", "mine.yaml", cwd=tmp_path))
        assert line.startswith("mine.yaml")
        assert problem in line

    def test_a_folder_in_place_of_a_file(self, tmp_path: Path) -> None:
        assert "is a directory" in unusable(ctxlab("replay", f"{tmp_path}/"))

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ("--budget none", "'none' is not a whole number of 400 or more"),
            ("--budget 1600.5", "'1600.5' is not a whole number of 400 or more"),
            ("--budget 399", "'399' is not a whole number of 400 or more"),
            ("--budget -1", "'-1' is not a whole number of 400 or more"),
            (f"--budget {'9' * 5000}", "is not a whole number"),
            ("--budget", "expected one argument"),
            ("--keep-recent 0", "'0' is not a whole number from 1 to 4"),
            ("--keep-recent 5", "'5' is not a whole number from 1 to 4"),
            ("--function trim --max-chars 0", "'0' is not a whole number of 1 or more"),
            ("--max-chars 600", "prepare has no --max-chars; leave it out, or say --function trim"),
            (
                "--function split --budget 500",
                "split has no --budget; leave it out, or say --function prepare or loop",
            ),
            (
                "--function loop --max-chars 9",
                "loop has no --max-chars; leave it out, or say --function trim",
            ),
            ("--function sort", "invalid choice: 'sort'"),
            ("--budge 500", "unrecognized arguments: --budge 500"),
            ("--func split", "unrecognized arguments"),
            ("old", "unrecognized arguments: old"),
            ("--json --calls", "not allowed with argument"),
        ],
    )
    def test_options(self, arguments: str, problem: str) -> None:
        assert problem in unusable(ctxlab("replay", "summary", *arguments.split()))

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ("", "say list, replay, practice or check"),
            ("lst", "invalid choice: 'lst'"),
            ("replay", "required: SCENARIO"),
        ],
    )
    def test_commands(self, arguments: str, problem: str) -> None:
        line = unusable(ctxlab(*arguments.split()))
        assert problem in line
        assert re.search(r"; see ctxlab( replay)? --help$", line)

    @pytest.mark.parametrize("name", ["missing/run.html", ".", ""])
    def test_a_page_that_cannot_be_written(self, tmp_path: Path, name: str) -> None:
        line = unusable(ctxlab("replay", "summary", "--html", name, cwd=tmp_path))
        assert "the page cannot be written" in line
        assert list(tmp_path.iterdir()) == []


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


class TestStandardError:
    @pytest.mark.parametrize("redirection", ["2>&-", "2</dev/null"], ids=["closed", "cannot be written"])
    def test_without_it_the_status_says_it(self, redirection: str) -> None:
        shell = f"'{SCRIPT}' replay norml {redirection}"
        run = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False, timeout=60)
        assert (run.returncode, run.stdout) == (2, "")


INTERRUPTED = """
import os, signal, sys
from ctxlab.cli import main
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
signal.setitimer(signal.ITIMER_REAL, 0.3)
sys.exit(main(["replay", sys.argv[1]]))
"""


def test_ctrl_c_ends_it_quietly(tmp_path: Path) -> None:
    # A file whose reading takes some seconds.
    exchanges = "- calls: [{result: a}]\n" * 20_000
    slow = tmp_path / "slow.yaml"
    slow.write_text(f"name: slow\npromise: Slow.\nquestion: Go on.\nmessages:\n{exchanges}", encoding="utf-8")
    command = [sys.executable, "-c", INTERRUPTED, slow]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "")


def test_version() -> None:
    run = ctxlab("--version")
    assert run.returncode == 0
    assert re.fullmatch(r"ctxlab \d+\.\d+\.\d+\n", run.stdout)


@pytest.mark.parametrize("command", [["--help"], ["replay", "--help"], ["check", "--help"]])
def test_help_names_the_exit_statuses(command: list[str]) -> None:
    run = ctxlab(*command)
    assert (run.returncode, run.stderr) == (0, "")
    assert re.findall(r"^  (\d+) ", run.stdout, re.MULTILINE) == ["0", "1", "2", "130"]


def test_runs_as_a_module_too() -> None:
    command = [sys.executable, "-m", "ctxlab", "list"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stdout) == (0, ctxlab("list").stdout)
    bad = subprocess.run([*command, "more"], capture_output=True, text=True, check=False, timeout=60)
    assert "unrecognized arguments: more" in unusable(bad)


def test_main_returns_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert capsys.readouterr().out.startswith("normal ")
    assert main(["replay", "archive_error"]) == 1
    assert main(["replay", "sumary"]) == 2

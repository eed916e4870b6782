"""`ctxlab practice` as a real process: what it prints where, what it leaves, and the exit status."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(sys.executable).with_name("ctxlab")
LINE = re.compile(
    r"(?P<who>parent|sub-agent|summary) +(?P<number>\d+) +(?P<before>\d+) -> +(?P<after>\d+ bytes|not sent) +"
    r"(?P<how>as is|trimmed|summarised|\w+)(?: +(?P<receipt>context-[0-9a-f]{12}\.jsonl))?"
)
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def practice(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """practice("--decision", "allow", input=...) -> the finished process."""
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)

    def run(*options: str, **others: Any) -> subprocess.CompletedProcess[str]:
        command = [SCRIPT, "practice", "--directory", directory, *options]
        return subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=60, **({"input": ""} | others)
        )

    return run


def progress(output: str) -> list[dict[str, str]]:
    return [match.groupdict() for line in output.splitlines() if (match := LINE.fullmatch(line))]


def senders(output: str) -> list[str]:
    return [line["who"] for line in progress(output) if line["after"] != "not sent"]


def marker(directory: Path) -> bool:
    return (directory / "ran.txt").exists()


class TestFourCommandLines:
    def test_allow(self, practice: Callable[..., Any], directory: Path) -> None:
        run = practice("--decision", "allow")
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.startswith(f"directory: {directory}\n")
        who = senders(run.stdout)
        assert (who.count("parent"), who.count("sub-agent"), who.count("summary")) == (9, 3, 1)
        assert "comparison: the same\n" in run.stdout
        assert "output: '42\\n'\n" in run.stdout
        assert marker(directory)

    def test_deny(self, practice: Callable[..., Any], directory: Path) -> None:
        run = practice("--decision", "deny")
        assert (run.returncode, run.stderr) == (0, "")
        who = senders(run.stdout)
        assert (who.count("parent"), who.count("sub-agent"), who.count("summary")) == (9, 3, 1)
        assert "permission: denied; no process was started\n" in run.stdout
        assert "comparison: no basis to compare\n" in run.stdout
        assert not marker(directory)

    def test_no_summary(self, practice: Callable[..., Any], directory: Path) -> None:
        run = practice("--decision", "allow", "--summary-limit", "0")
        assert (run.returncode, run.stderr) == (1, "")
        assert senders(run.stdout) == ["parent"] * 3
        last = progress(run.stdout)[-1]
        assert (last["number"], last["after"], last["how"]) == ("4", "not sent", "summaries_spent")
        assert "status: context_error; requests: 3 parent + 0 sub-agent + 0 summary = 3\n" in run.stdout
        assert not marker(directory)

    def test_half_the_budget(self, practice: Callable[..., Any]) -> None:
        run = practice("--decision", "allow", "--budget", "1600")
        assert (run.returncode, run.stderr) == (1, "")
        assert senders(run.stdout) == ["parent"]
        last = progress(run.stdout)[-1]
        assert (last["number"], last["after"], last["how"]) == ("2", "not sent", "recent_too_large")


class TestLines:
    def test_bytes_and_receipts_are_those_of_the_snapshots(
        self, practice: Callable[..., Any], directory: Path
    ) -> None:
        lines = progress(practice("--decision", "allow").stdout)
        with_receipt = [line for line in lines if line["receipt"]]
        assert [line["how"] for line in with_receipt[:2]] == ["trimmed", "summarised"]
        for line in with_receipt:
            messages = (directory / ".context" / line["receipt"]).read_bytes().splitlines()
            # In the history, commas and brackets stand where the file has line ends.
            assert sum(map(len, messages)) + len(messages) + 1 == int(line["before"])
        assert all(int(line["after"].split()[0]) <= 3200 for line in lines)

    def test_come_as_the_requests_are_sent(self, directory: Path) -> None:
        """At the prompt, all lines of the requests before it have been read already."""
        with started(directory) as process:
            text = read_until(process, "[y/N] ")
            assert len(progress(text)) == 10
            assert state(directory)["requests"] == {"parent": 6, "sub-agent": 3, "summary": 1}
            rest, _ = process.communicate("n\n", timeout=30)
        assert len(progress(rest)) == 3

    def test_without_a_directory_a_temporary_one_is_made_and_stays(self, tmp_path: Path) -> None:
        run = subprocess.run(
            [SCRIPT, "practice", "--decision", "allow"],
            env=os.environ | {"TMPDIR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        (made,) = tmp_path.iterdir()
        assert run.stdout.startswith(f"directory: {made}\n")
        assert marker(made)

    def test_an_empty_name_is_no_directory(
        self, practice: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As from a variable of the shell that is not set: the run must not land where one happens to be."""
        monkeypatch.chdir(tmp_path)
        run = practice("--directory", "")
        assert (run.returncode, run.stdout) == (2, "")
        assert run.stderr == "ctxlab: --directory is empty; name a directory, or leave it out\n"
        assert list(tmp_path.iterdir()) == []


class TestQuestion:
    @pytest.mark.parametrize("answer", ["y\n", "Y\n", "yes\n", " YES \n", "y"])
    def test_yes(self, practice: Callable[..., Any], directory: Path, answer: str) -> None:
        run = practice(input=answer)
        assert run.returncode == 0
        assert "May python main.py be started, once? (main.py: " in run.stdout
        assert marker(directory)

    @pytest.mark.parametrize("answer", ["", "\n", "n\n", "no\n", "yep\n", "yes please\n", "allow\n", "\0\n"])
    def test_anything_else_is_a_no(self, practice: Callable[..., Any], directory: Path, answer: str) -> None:
        run = practice(input=answer)
        assert run.returncode == 0
        assert "permission: denied" in run.stdout
        assert not marker(directory)

    def test_input_that_is_no_text_is_a_no(self, directory: Path) -> None:
        command = [SCRIPT, "practice", "--directory", directory]
        run = subprocess.run(command, input=b"\xff\n", capture_output=True, timeout=60, check=False)
        assert run.returncode == 0
        assert not marker(directory)

    @pytest.mark.parametrize("redirect", ["<&-", "</dev/null"])
    def test_no_input_at_all_is_a_no(self, directory: Path, redirect: str) -> None:
        command = f'"{SCRIPT}" practice --directory "{directory}" {redirect}'
        run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
        assert (run.returncode, run.stderr) == (0, "")
        assert not marker(directory)

    def test_input_without_an_end_is_a_no(self, directory: Path) -> None:
        command = [SCRIPT, "practice", "--directory", directory]
        with Path("/dev/zero").open("rb") as endless:
            run = subprocess.run(command, stdin=endless, capture_output=True, timeout=20, check=False)
        assert run.returncode == 0
        assert not marker(directory)


class TestJson:
    def test_is_one_object_and_nothing_else(self, practice: Callable[..., Any], directory: Path) -> None:
        run = practice("--decision", "allow", "--json")
        assert (run.returncode, run.stderr) == (0, "")
        data = json.loads(run.stdout)
        assert data["requests"] == {"parent": 9, "sub-agent": 3, "summary": 1}
        assert (data["status"], data["comparison"], data["output"]) == ("answered", "the same", "42\n")
        assert data["directory"] == str(directory)
        assert [line["who"] for line in data["progress"]].count("parent") == 9
        assert data["messages"][0]["role"] == "user"

    def test_the_question_goes_to_standard_error(self, practice: Callable[..., Any], directory: Path) -> None:
        run = practice("--json", input="y\n")
        assert json.loads(run.stdout)["permission"] == "used"
        assert "May python main.py be started, once?" in run.stderr
        assert marker(directory)

    def test_a_run_that_ended_early(self, practice: Callable[..., Any]) -> None:
        run = practice("--json", "--budget", "1600")
        assert run.returncode == 1
        data = json.loads(run.stdout)
        assert data["status"] == "context_error"
        assert data["progress"][-1]["after"] is None


class TestUnusable:
    def unusable(self, run: Any) -> str:
        assert run.returncode == 2, run.stderr
        assert run.stdout == ""
        (line,) = run.stderr.splitlines()
        return line.removeprefix("ctxlab: ")

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--decision", "maybe"], "invalid choice: 'maybe'"),
            (["--budget", "399"], "'399' is not a whole number of 400 or more"),
            (["--summary-limit", "-1"], "'-1' is not a whole number of 0 or more"),
            (["--live", "nobody"], "invalid choice: 'nobody'"),
            (["--model", "m"], "--model and --yes are for a live run"),
            (["--yes"], "--model and --yes are for a live run"),
            (["extra"], "unrecognized arguments: extra"),
        ],
    )
    def test_options(
        self, practice: Callable[..., Any], directory: Path, options: list[str], words: str
    ) -> None:
        assert words in self.unusable(practice(*options))
        assert not directory.exists()

    def test_a_directory_in_use(self, directory: Path) -> None:
        directory.mkdir()
        (directory / "mine").write_text("mine")
        run = subprocess.run(
            [SCRIPT, "practice", "--directory", directory],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert run.returncode == 2
        assert f"{directory} is not empty" in run.stderr
        assert [path.name for path in directory.iterdir()] == ["mine"]

    def test_standard_output_that_is_full(self, directory: Path) -> None:
        if not Path("/dev/full").exists():
            return
        command = f'"{SCRIPT}" practice --decision allow --directory "{directory}" >/dev/full'
        run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
        assert run.returncode == 2
        assert run.stderr == "ctxlab: standard output cannot be written (No space left on device)\n"

    def test_a_reader_that_leaves_early_is_no_fault(self, directory: Path) -> None:
        command = f'"{SCRIPT}" practice --decision allow --directory "{directory}" | head -n 1'
        run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
        assert (run.stdout, run.stderr) == (f"directory: {directory}\n", "")
        assert marker(directory)


class TestLiveRefusals:
    """A live run is never made here: these all end before anything could be sent."""

    @pytest.mark.parametrize(("provider", "key"), [("anthropic", KEYS[0]), ("openai", KEYS[1])])
    def test_without_a_key(
        self, practice: Callable[..., Any], directory: Path, provider: str, key: str
    ) -> None:
        run = practice("--live", provider, "--model", "m", "--yes")
        assert (run.returncode, run.stdout) == (2, "")
        assert run.stderr == (
            f"ctxlab: --live {provider} needs a key in the environment variable {key}; "
            "without --live no key is needed\n"
        )
        assert not directory.exists()

    def test_a_blank_key_is_none(self, practice: Callable[..., Any]) -> None:
        run = practice("--live", "openai", "--model", "m", env=os.environ | {"OPENAI_API_KEY": " "})
        assert run.returncode == 2
        assert "needs a key" in run.stderr

    def test_without_a_model(self, practice: Callable[..., Any]) -> None:
        run = practice("--live", "openai", env=os.environ | {"OPENAI_API_KEY": "test-key"})
        assert (run.returncode, run.stdout) == (2, "")
        assert "--live openai needs --model NAME" in run.stderr

    def test_without_consent(self, practice: Callable[..., Any], directory: Path) -> None:
        run = practice(
            "--live",
            "anthropic",
            "--model",
            "m",
            env=os.environ | {"ANTHROPIC_API_KEY": "test-key"},
            input="\n",
        )
        assert run.returncode == 1
        assert "This run sends requests for the model m to Anthropic." in run.stdout
        assert "At most 37 requests" in run.stdout
        assert run.stdout.endswith("Send them? [y/N] \nNothing was sent.\n")
        assert "test-key" not in run.stdout + run.stderr
        assert not directory.exists()

    def test_the_consent_steers_no_terminal(self, practice: Callable[..., Any]) -> None:
        settings = {"OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": "http://127.0.0.1:9/\x1b[2J"}
        run = practice("--live", "openai", "--model", "m\x1b[8m", env=os.environ | settings)
        assert "for the model m\\x1b[8m to OpenAI" in run.stdout
        assert "\x1b" not in run.stdout + run.stderr

    def test_with_json_the_consent_is_asked_on_standard_error(self, practice: Callable[..., Any]) -> None:
        run = practice(
            "--live", "openai", "--model", "m", "--json", env=os.environ | {"OPENAI_API_KEY": "test-key"}
        )
        assert (run.returncode, run.stdout) == (1, "")
        assert "to OpenAI." in run.stderr


# Ctrl-C: a signal to the real process, at a moment that its output or its files tell


@contextmanager
def started(directory: Path, *options: str, code: str | None = None) -> Iterator["subprocess.Popen[str]"]:
    """Start the command, or Python on `code` in its place, with pipes; end it if the test has not."""
    command = [SCRIPT, "practice"] if code is None else [sys.executable, "-c", code]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen([*command, "--directory", directory, *options], text=True, **pipes)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def read_until(process: "subprocess.Popen[str]", words: str) -> str:
    assert process.stdout is not None
    text = ""
    while not text.endswith(words):
        char = process.stdout.read(1)
        assert char, f"ended before {words!r}: {text}"
        text += char
    return text


def state(directory: Path) -> dict[str, Any]:
    return json.loads((directory / ".context" / "state.json").read_bytes())


def wait_for(happened: Callable[[], Any]) -> Any:
    end = time.monotonic() + 20
    while not (value := happened()):
        assert time.monotonic() < end, "waited 20 s"
        time.sleep(0.01)
    return value


def check_interrupted(process: "subprocess.Popen[str]", directory: Path) -> dict[str, Any]:
    """The exit status, the one line, and a state that can be read, of a process that got the signal."""
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    path = directory / ".context" / "state.json"
    assert errors == f"ctxlab: interrupted; no process is left, and the state is in {path}\n"
    (line, *more) = (directory / ".context" / "history.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["role"] == "user"
    assert len(more) % 2 == 0, "whole exchanges"
    assert list((directory / ".context").glob(".*")) == []
    return state(directory)


# The command with a main.py that does not end, and with a parent that does not answer its third request.
SLEEPING = """
import sys
from functools import partial
from pathlib import Path
from ctxlab import cli
from ctxlab.practice import terminal
terminal.run_practice = partial(terminal.run_practice, task=Path({task!r}), seconds=30)
sys.exit(cli.main(["practice", *sys.argv[1:]]))
"""
# The first, but a second and a third signal come while the run is being ended.
HASTY = """
import os
from ctxlab.practice import process, run
def hasty(real):
    def call(*arguments):
        os.kill(os.getpid(), {number})
        return real(*arguments)
    return call
process._end = hasty(process._end)
save, save_hastily = run.save_state, hasty(run.save_state)
def save_state(folder, state, messages):
    (save_hastily if state["status"] == "interrupted" else save)(folder, state, messages)
run.save_state = save_state
"""
SILENT = """
import sys, time
from ctxlab import cli
from ctxlab.models import ScriptedModel
real = ScriptedModel.{method}
def slow(self, *arguments):
    if len(arguments[0]) == {length}:
        print("waiting", flush=True)
        time.sleep(30)
    return real(self, *arguments)
ScriptedModel.{method} = slow
sys.exit(cli.main(["practice", *sys.argv[1:]]))
"""


class TestCtrlC:
    @pytest.fixture(params=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
    def number(self, request: pytest.FixtureRequest) -> signal.Signals:
        return request.param

    def test_at_the_question(self, directory: Path, number: signal.Signals) -> None:
        with started(directory) as process:
            read_until(process, "[y/N] ")
            process.send_signal(number)
            left = check_interrupted(process, directory)
        assert (left["status"], left["permission"], left["started"]) == ("interrupted", "denied", False)
        assert left["requests"]["parent"] == 6
        assert not marker(directory)

    @pytest.mark.parametrize(
        ("method", "length", "parent"), [("ask", 1, 1), ("ask", 5, 3), ("summarize", 5, 3)]
    )
    def test_during_a_request(self, directory: Path, method: str, length: int, parent: int) -> None:
        code = SILENT.format(method=method, length=length)
        with started(directory, "--decision", "allow", code=code) as process:
            read_until(process, "waiting\n")
            process.send_signal(signal.SIGINT)
            left = check_interrupted(process, directory)
        assert left["status"] == "interrupted"
        assert left["requests"]["parent"] == parent
        assert left["summaries"] == (method == "summarize")

    def test_while_the_program_runs(
        self,
        directory: Path,
        task: Callable[..., Path],
        is_running: Callable[[int], bool],
        number: signal.Signals,
    ) -> None:
        main = (
            "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)\nopen('late', 'w')\n"
        )
        code = SLEEPING.format(task=str(task(main=main)))
        with started(directory, "--decision", "allow", code=code) as process:
            pid = int(wait_for(lambda: (directory / "pid").exists() and (directory / "pid").read_text()))
            assert is_running(pid)
            process.send_signal(number)
            left = check_interrupted(process, directory)
        assert not is_running(pid)
        assert (left["status"], left["permission"], left["started"]) == ("interrupted", "used", True)
        assert left["exit_status"] is None
        assert not (directory / "late").exists()

    def test_more_than_one_signal(
        self,
        directory: Path,
        task: Callable[..., Path],
        is_running: Callable[[int], bool],
        number: signal.Signals,
    ) -> None:
        main = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)\n"
        code = HASTY.format(number=int(number)) + SLEEPING.format(task=str(task(main=main)))
        with started(directory, "--decision", "allow", code=code) as process:
            pid = int(wait_for(lambda: (directory / "pid").exists() and (directory / "pid").read_text()))
            process.send_signal(number)
            left = check_interrupted(process, directory)
        assert not is_running(pid)
        assert left["status"] == "interrupted"

    def test_a_signal_that_is_ignored_stays_ignored(self, directory: Path) -> None:
        command = f'trap \'\' HUP; exec "{SCRIPT}" practice --directory "{directory}"'
        process = subprocess.Popen(
            ["sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        read_until(process, "[y/N] ")
        process.send_signal(signal.SIGHUP)
        output, errors = process.communicate("y\n", timeout=30)
        assert (process.returncode, errors) == (0, "")
        assert "comparison: the same" in output

    def test_with_json_nothing_is_printed(self, directory: Path) -> None:
        code = SILENT.format(method="ask", length=5)
        with started(directory, "--decision", "allow", "--json", code=code) as process:
            read_until(process, "waiting\n")
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=20)
        assert (process.returncode, output) == (130, "")


def test_help_says_what_it_does() -> None:
    run = subprocess.run(
        [SCRIPT, "practice", "--help"], capture_output=True, text=True, timeout=60, check=True
    )
    for words in (
        "--decision {allow,deny}",
        "--summary-limit N",
        "--budget B",
        "--live {anthropic,openai}",
        "130",
    ):
        assert words in run.stdout
    assert max(map(len, run.stdout.splitlines())) <= 110

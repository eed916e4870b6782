"""What all commands share: the exit status, help, and Ctrl-C."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from ctxlab_command import ctxlab, unusable

from ctxlab.cli import main

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


@pytest.mark.parametrize(
    ("command", "failed"),
    [
        ("", "a run ended early, a check failed, a history has findings, or there is no safe repair"),
        ("diagnose", "there are findings"),
        ("repair", "there is no safe repair; nothing is written"),
        ("replay", "it ended early: with an exception, or at the step limit"),
        ("practice", "it ended without one"),
        ("check", "one of them has not"),
        ("list", None),
    ],
)
def test_help_says_what_each_exit_status_means_there(command: str, failed: str | None) -> None:
    run = ctxlab(*command.split(), "--help")
    assert (run.returncode, run.stderr) == (0, "")
    statuses = dict(re.findall(r"^  (\d+) +(.+)$", run.stdout, re.MULTILINE))
    assert list(statuses) == ["0", *(["1"] if failed else []), "2", "130"]
    assert statuses.get("1") == failed


def test_runs_as_a_module_too() -> None:
    command = [sys.executable, "-m", "ctxlab", "list"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stdout) == (0, ctxlab("list").stdout)
    bad = subprocess.run(
        [*command, "window", "more"], capture_output=True, text=True, check=False, timeout=60
    )
    assert "unrecognized arguments: more" in unusable(bad)


def test_main_returns_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert capsys.readouterr().out.startswith("normal ")
    assert main(["replay", "archive_error"]) == 1
    assert main(["replay", "sumary"]) == 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("", "say diagnose, repair, compare, list, replay, practice or check"),
        ("lst", "invalid choice: 'lst'"),
        ("replay", "required: SCENARIO"),
    ],
)
def test_commands(arguments: str, problem: str) -> None:
    line = unusable(ctxlab(*arguments.split()))
    assert problem in line
    assert re.search(r"; see ctxlab( replay)? --help$", line)

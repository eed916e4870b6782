"""`ctxlab diagnose`, as a real process on real files."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ctxlab_command import SCRIPT, ctxlab, unusable

from ctxlab.messages.report import report_on

CASES = Path(__file__).parents[1] / "data" / "cases"
SECRET = "ghp_" + "aB1c" * 9
ORPHAN = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}]}
QUESTION = {"role": "user", "content": "Why did the deploy fail?"}

FORMATS = {
    "agents_branches.db": "OpenAI Agents SDK session",
    "agents_session.db": "OpenAI Agents SDK session",
    "anthropic_request.json": "request body",
    "chat_request.json": "request body",
    "claude_code.jsonl": "Claude Code session",
    "claude_code_compacted.jsonl": "Claude Code session",
    "codex.jsonl": "Codex CLI session",
    "codex_before_envelopes.jsonl": "Codex CLI session",
    "codex_compacted.jsonl": "Codex CLI session",
    "langchain_dicts.json": "LangChain messages",
    "langchain_dumpd.jsonl": "LangChain messages",
    "langgraph_state.json": "LangChain messages",
    "lines.jsonl": "list of messages",
    "list.json": "list of messages",
    "responses_request.json": "request body",
}


def written(path: Path, *messages: Any) -> Path:
    path.write_text("".join(f"{json.dumps(message)}\n" for message in messages), encoding="utf-8")
    return path


class TestText:
    def test_every_format(self, transcripts: Path) -> None:
        names = sorted(path.name for path in transcripts.iterdir())
        run = ctxlab("diagnose", *names, cwd=transcripts)
        heads = [line.split(", ")[0] for line in run.stdout.splitlines() if line.startswith(tuple(names))]
        assert [head for head in heads if head.count(":") == 1] == [
            f"{name}: {FORMATS[name]}" for name in names
        ]
        assert "langchain_dumpd.jsonl:3: arguments_not_json: message 2, block 1 " in run.stdout
        assert run.stdout.endswith(f" in {len(names)} files\n")
        assert (run.returncode, run.stderr) == (1, "")

    def test_a_finding_is_what_a_linter_writes(self, tmp_path: Path) -> None:
        path = written(tmp_path / "chat.jsonl", QUESTION, ORPHAN)
        run = ctxlab("diagnose", "chat.jsonl", cwd=tmp_path)
        (finding,) = report_on(path).findings
        assert run.returncode == 1
        assert run.stdout == (
            "chat.jsonl: list of messages, anthropic-messages, 2 messages\n"
            f"chat.jsonl:2: orphan_tool_result: {finding.text}\n"
            f"    {finding.fix}\n"
            "1 finding in 1 file\n"
        )

    def test_a_sound_history(self, transcripts: Path) -> None:
        run = ctxlab("diagnose", "list.json", cwd=transcripts)
        assert (run.returncode, run.stderr) == (0, "")
        assert (
            run.stdout
            == "list.json: list of messages, anthropic-messages, 4 messages\nno findings in 1 file\n"
        )

    def test_each_case_has_the_findings_of_diagnose(self, tmp_path: Path) -> None:
        # The cases hold more than a request; what a person would have is the list of messages.
        names = []
        expected: list[str] = []
        for case in sorted(CASES.glob("*.json")):
            content = json.loads(case.read_text(encoding="utf-8"))
            path = tmp_path / case.name
            path.write_text(json.dumps(content["messages"]), encoding="utf-8")
            names.append(case.name)
            expected += [finding.code for finding in report_on(path).findings]
        run = ctxlab("diagnose", *names, "--json", cwd=tmp_path)
        told = [finding["code"] for told in json.loads(run.stdout) for finding in told["findings"]]
        assert told == expected
        assert len(set(told)) > 10

    def test_the_api_and_the_session_that_are_named(self, transcripts: Path) -> None:
        chosen = ctxlab("diagnose", "agents_session.db", "--session", "gate", cwd=transcripts)
        assert "This is 'gate'; the others are 'tower'" in chosen.stdout
        other = ctxlab("diagnose", "chat_request.json", "--api", "anthropic-messages", cwd=transcripts)
        assert other.returncode == 1
        assert "chat_request.json: request body, anthropic-messages, 5 messages\n" in other.stdout


class TestForms:
    def test_json(self, transcripts: Path) -> None:
        names = ["claude_code.jsonl", "langchain_dumpd.jsonl", "none.json"]
        run = ctxlab("diagnose", *names, "--json", cwd=transcripts)
        assert run.returncode == 2
        sound, cut, none = json.loads(run.stdout)
        assert sound == report_on(transcripts / "claude_code.jsonl").to_json() | {"file": "claude_code.jsonl"}
        assert [finding["code"] for finding in cut["findings"]] == ["arguments_not_json"]
        assert none == {"file": "none.json", "error": "there is no file none.json; check the path"}
        assert run.stderr == "ctxlab: there is no file none.json; check the path\n"

    def test_sarif(self, transcripts: Path) -> None:
        run = ctxlab("diagnose", "langchain_dumpd.jsonl", "list.json", "--sarif", cwd=transcripts)
        assert (run.returncode, run.stderr) == (1, "")
        (log_run,) = json.loads(run.stdout)["runs"]
        (result,) = log_run["results"]
        assert result["ruleId"] == "arguments_not_json"
        assert result["locations"][0]["physicalLocation"] == {
            "artifactLocation": {"uri": "langchain_dumpd.jsonl"},
            "region": {"startLine": 3},
        }

    def test_a_page(self, tmp_path: Path) -> None:
        written(tmp_path / "chat.jsonl", QUESTION, ORPHAN)
        run = ctxlab("diagnose", "chat.jsonl", "--html", "page.html", cwd=tmp_path)
        assert (run.returncode, run.stderr) == (1, "")
        assert run.stdout == ctxlab("diagnose", "chat.jsonl", cwd=tmp_path).stdout
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert "orphan_tool_result" in page
        assert QUESTION["content"] in page


class TestSecrets:
    def test_are_told_on_standard_error_and_printed_nowhere(self, tmp_path: Path) -> None:
        path = written(tmp_path / "chat.jsonl", {"role": "user", "content": f"use {SECRET}"}, ORPHAN)
        path.write_text(path.read_text(encoding="utf-8").replace("toolu_1", SECRET), encoding="utf-8")
        for form in ([], ["--json"], ["--sarif"], ["--mask"]):
            run = ctxlab("diagnose", "chat.jsonl", *form, cwd=tmp_path)
            assert run.returncode == 1
            assert SECRET[5:] not in run.stdout + run.stderr
            assert "[GitHub token masked, 40 characters]" in run.stdout
            assert run.stderr == (
                "ctxlab: chat.jsonl: 2 texts look like secrets: GitHub token (messages 0, 1); "
                "before you pass the file on, have a masked copy made: ctxlab repair FILE -o OUT --mask\n"
            )

    def test_a_page_is_refused_or_masked(self, tmp_path: Path) -> None:
        written(tmp_path / "chat.jsonl", {"role": "user", "content": f"use {SECRET}"})
        line = unusable(ctxlab("diagnose", "chat.jsonl", "--html", "page.html", cwd=tmp_path))
        assert "GitHub token" in line
        assert line.endswith("; --mask masks it there")
        assert SECRET not in line
        assert [path.name for path in tmp_path.iterdir()] == ["chat.jsonl"]
        run = ctxlab("diagnose", "chat.jsonl", "--html", "page.html", "--mask", cwd=tmp_path)
        assert run.returncode == 0
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert SECRET not in page
        assert "[GitHub token masked, 40 characters]" in page


class TestStandardInput:
    def test_is_read_with_a_dash(self, transcripts: Path) -> None:
        for name in ("langchain_dumpd.jsonl", "agents_session.db"):
            with (transcripts / name).open("rb") as stream:
                run = ctxlab("diagnose", "-", cwd=transcripts, stdin=stream)
            assert run.stdout == ctxlab("diagnose", name, cwd=transcripts).stdout.replace(name, "-")

    def test_errors_name_it(self) -> None:
        said = unusable(ctxlab("diagnose", "-", input="[{"))
        assert said.startswith("standard input, line 1")
        assert "standard input is empty" in unusable(ctxlab("diagnose", "-", input=""))

    def test_a_pipe_by_its_path(self) -> None:
        said = "/dev/stdin is a pipe; give - in its place, and send it to standard input"
        assert unusable(ctxlab("diagnose", "/dev/stdin", input="[]")) == said

    def test_closed(self) -> None:
        run = subprocess.run(
            ["sh", "-c", f"'{SCRIPT}' diagnose - <&-"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert unusable(run).startswith("standard input is closed; ")


class TestUnusable:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"", "x.json is empty"),
            (b" \n\n", "x.json: no messages in it"),
            (b"[]", "x.json: no messages in it"),
            (b'[{"role": "user", "content": "caf\xe9"}]', "x.json, line 1: not UTF-8"),
            (b'{"role": "user", "content": "caf\xe9"}\n{"role": "user", "content": "a"}\n', "not UTF-8"),
            (b"\xff\xfe[\0]\0", "x.json: not UTF-8 but UTF-16"),
            (b"not JSON at all\n", "x.json, line 1: "),
            (b'{"model": "m"}', "x.json"),
            (b"[" * 100_000, "nested too deeply"),
        ],
    )
    def test_files(self, tmp_path: Path, content: bytes, said: str) -> None:
        (tmp_path / "x.json").write_bytes(content)
        assert said in unusable(ctxlab("diagnose", "x.json", cwd=tmp_path))

    def test_paths(self, tmp_path: Path) -> None:
        (tmp_path / "folder").mkdir()
        (tmp_path / "sparse.json").touch()
        os.truncate(tmp_path / "sparse.json", 10**10)
        os.mkfifo(tmp_path / "fifo")
        (tmp_path / "loop").symlink_to("loop")
        for name, said in [
            ("none.json", "there is no file none.json; check the path"),
            ("folder", "folder is a directory; give the path of a transcript in it"),
            ("loop", "'loop' cannot be read"),
            ("fifo", "fifo is a pipe; give - in its place"),
            ("sparse.json", "sparse.json"),
            ("x" * 300, "cannot be read"),
            ("two\nlines", "there is no file two\\nlines"),
        ]:
            assert said in unusable(ctxlab("diagnose", name, cwd=tmp_path))

    def test_the_usable_files_are_reported_all_the_same(self, tmp_path: Path) -> None:
        written(tmp_path / "a.jsonl", QUESTION, ORPHAN)
        run = ctxlab("diagnose", "none.json", "a.jsonl", cwd=tmp_path)
        assert run.returncode == 2
        assert run.stderr == "ctxlab: there is no file none.json; check the path\n"
        assert "a.jsonl:2: orphan_tool_result: " in run.stdout
        assert run.stdout.endswith("\n1 finding in 1 file; 1 file not read\n")

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ("", "required: FILE; see ctxlab diagnose --help"),
            ("a.json --api chat", "invalid choice: 'chat'"),
            ("a.json --json --sarif", "not allowed with argument"),
            ("a.json b.json --html p.html", "--html takes one FILE, not 2; write a page for each"),
            ("list.json --html list.json", "list.json is the transcript itself; give the page another name"),
            ("list.json --html none/p.html", "the page cannot be written"),
            ("list.json --session x", "is no database, so it has no session 'x'"),
        ],
    )
    def test_arguments(self, transcripts: Path, arguments: str, said: str) -> None:
        before = (transcripts / "list.json").read_bytes()
        assert said in unusable(ctxlab("diagnose", *arguments.split(), cwd=transcripts))
        assert (transcripts / "list.json").read_bytes() == before


class TestOutput:
    def test_a_reader_that_leaves_early(self, tmp_path: Path) -> None:
        written(tmp_path / "x.jsonl", QUESTION, *([ORPHAN] * 5_000))
        for form in ("", "--json", "--sarif"):
            pipe = f"set -o pipefail; '{SCRIPT}' diagnose x.jsonl {form} | head -c 100"
            run = subprocess.run(
                ["bash", "-c", pipe], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
            )
            assert (run.returncode, run.stderr, len(run.stdout)) == (1, "", 100)

    def test_closed(self, transcripts: Path) -> None:
        shell = f"'{SCRIPT}' diagnose list.json >&-"
        run = subprocess.run(
            ["sh", "-c", shell], cwd=transcripts, capture_output=True, text=True, check=False, timeout=60
        )
        assert unusable(run) == "standard output is closed"

    def test_a_name_that_is_not_utf_8(self, tmp_path: Path) -> None:
        path = os.fsencode(tmp_path) + b"/\xe9.jsonl"
        Path(os.fsdecode(path)).write_text(json.dumps(ORPHAN), encoding="utf-8")
        for form in ("--json", "--sarif", "--mask"):
            run = subprocess.run(
                [SCRIPT, "diagnose", path, form], capture_output=True, check=False, timeout=60
            )
            assert (run.returncode, run.stderr) == (1, b"")
            assert b"orphan_tool_result" in run.stdout


# Ctrl-C half a second after the command began to read.
INTERRUPTED = """
import os, signal, sys
from ctxlab.cli import main
from ctxlab.messages import report
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
signal.setitimer(signal.ITIMER_REAL, 0.3)
sys.exit(main(sys.argv[1:]))
"""


def test_ctrl_c_ends_it_quietly(tmp_path: Path) -> None:
    written(tmp_path / "x.jsonl", QUESTION, *([ORPHAN] * 100_000))
    for command in (["diagnose", "x.jsonl"], ["repair", "x.jsonl", "-o", "out.jsonl"]):
        run = subprocess.run(
            [sys.executable, "-c", INTERRUPTED, *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (run.returncode, run.stdout, run.stderr) == (130, "", "")
        assert [path.name for path in tmp_path.iterdir()] == ["x.jsonl"]


def test_ctrl_c_while_it_waits_for_standard_input(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [SCRIPT, "diagnose", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert process.stdin is not None
    process.stdin.write(b"[")
    process.stdin.flush()
    while not list(tmp_path.iterdir()):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert process.communicate() == (b"", b"")
    assert list(tmp_path.iterdir()) == []

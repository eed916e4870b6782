"""`ctxlab repair`, as a real process on real files: nothing is lost, and a file is whole or not there."""

import json
import resource
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ctxlab_command import SCRIPT, ctxlab, unusable

from ctxlab.messages.diagnosis.remedies import REMEDIES
from ctxlab.messages.report import report_on

SECRET = "ghp_" + "aB1c" * 9
QUESTION = {"role": "user", "content": "Why did the deploy fail?"}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "disk full"}
LOST = {"type": "tool_result", "tool_use_id": "toolu_0", "content": "caf\u00e9"}
BROKEN = [QUESTION, CALL, {"role": "user", "content": [{"type": "text", "text": "And now?"}, RESULT, LOST]}]
WHOLE = [QUESTION, CALL, {"role": "user", "content": [RESULT, {"type": "text", "text": "And now?"}]}]
BODY = {"model": "m", "system": "Be brief.", "messages": BROKEN, "tools": [], "stream": True}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "broken.json").write_text(json.dumps(BROKEN), encoding="utf-8")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def loaded(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class TestRepair:
    def test_prints_each_change_and_keeps_what_it_takes_out(self, folder: Path) -> None:
        run = ctxlab("repair", "broken.json", "-o", "out.json", cwd=folder)
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.splitlines() == [
            "broken.json:1: tool_result_not_leading: message 2, block 1: "
            "the result for 'toolu_1' is put directly behind message 1",
            "broken.json:1: orphan_tool_result: message 2, block 2: "
            "the result for 'toolu_0' is taken out, to be stored in an archive",
            "out.json: JSON list, anthropic-messages, 3 messages, 2 changes",
            "out.json.removed.jsonl: what was taken out, whole",
        ]
        assert loaded(folder / "out.json") == WHOLE
        assert lines(folder / "out.json.removed.jsonl") == [
            {"code": "orphan_tool_result", "message": 2, "block": 2, "id": "toolu_0", "removed": LOST}
        ]
        assert loaded(folder / "broken.json") == BROKEN
        assert ctxlab("diagnose", "out.json", cwd=folder).returncode == 0

    def test_json(self, folder: Path) -> None:
        run = ctxlab("repair", "broken.json", "-o", "out.json", "--json", cwd=folder)
        told = json.loads(run.stdout)
        assert [(change["code"], change["line"], change["id"]) for change in told.pop("changes")] == [
            ("tool_result_not_leading", 1, "toolu_1"),
            ("orphan_tool_result", 1, "toolu_0"),
        ]
        assert told == {
            "file": "broken.json",
            "format": "list of messages",
            "api": "anthropic-messages",
            "out": "out.json",
            "form": "JSON list",
            "messages": 3,
            "taken_out": "out.json.removed.jsonl",
        }

    def test_lines_stay_lines(self, tmp_path: Path) -> None:
        text = "\n".join(map(json.dumps, BROKEN))
        (tmp_path / "broken.jsonl").write_text(f"\ufeff{text}\n", encoding="utf-8")
        run = ctxlab("repair", "broken.jsonl", "-o", "out.jsonl", cwd=tmp_path)
        assert "broken.jsonl:3: orphan_tool_result: " in run.stdout
        assert lines(tmp_path / "out.jsonl") == WHOLE

    def test_a_request_body_keeps_what_is_beside_the_messages(self, tmp_path: Path) -> None:
        # Half of a surrogate pair beside the messages stays what it is, too.
        body = BODY | {"metadata": {"user": "\ud83d"}}
        (tmp_path / "body.json").write_text(json.dumps({"params": body, "custom_id": 7}), encoding="utf-8")
        run = ctxlab("repair", "body.json", "-o", "out.json", cwd=tmp_path)
        assert run.returncode == 0
        assert loaded(tmp_path / "out.json") == {"params": body | {"messages": WHOLE}, "custom_id": 7}

    def test_an_input_that_is_one_text_stays_one(self, tmp_path: Path) -> None:
        (tmp_path / "body.json").write_text('{"model": "m", "input": "Go on."}', encoding="utf-8")
        run = ctxlab("repair", "body.json", "-o", "out.json", cwd=tmp_path)
        said = "out.json: request body, openai-responses, 1 message, no change was needed\n"
        assert (run.returncode, run.stdout) == (0, said)
        assert loaded(tmp_path / "out.json") == {"model": "m", "input": "Go on."}

    def test_every_format(self, transcripts: Path) -> None:
        for path in sorted(transcripts.iterdir()):
            report = report_on(path)
            run = ctxlab("repair", path.name, "-o", f"out-{path.name}", cwd=transcripts)
            if report.findings:
                assert (run.returncode, run.stdout) == (1, ""), path.name
                assert run.stderr.startswith(f"ctxlab: {path.name}:")
                continue
            assert (run.returncode, run.stderr) == (0, ""), path.name
            again = report_on(transcripts / f"out-{path.name}", report.transcript.api)
            assert again.transcript.messages == report.transcript.messages
            own = report.transcript.format in ("list of messages", "request body")
            assert (f"no {report.transcript.format} any more" in run.stdout) is not own
            for kind, count in report.transcript.skipped.items():
                assert f"{count} x {kind}" in run.stdout

    def test_standard_input(self, tmp_path: Path) -> None:
        text = json.dumps(BODY)
        run = ctxlab("repair", "-", "-o", "out.json", input=text, cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, "")
        assert loaded(tmp_path / "out.json") == BODY | {"messages": WHOLE}

    def test_a_copy_is_as_private_as_its_file(self, folder: Path) -> None:
        (folder / "broken.json").chmod(0o600)
        ctxlab("repair", "broken.json", "-o", "out.json", cwd=folder)
        for name in ("out.json", "out.json.removed.jsonl"):
            assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


class TestRefusal:
    def test_says_the_finding_and_the_remedy_and_writes_nothing(self, folder: Path) -> None:
        (folder / "open.jsonl").write_text(f"{json.dumps(QUESTION)}\n{json.dumps(CALL)}\n", encoding="utf-8")
        before = contents(folder)
        run = ctxlab("repair", "open.jsonl", "-o", "out.jsonl", cwd=folder)
        assert (run.returncode, run.stdout) == (1, "")
        (line,) = run.stderr.splitlines()
        assert line.startswith("ctxlab: open.jsonl:2: open_exchange: no safe repair: message 1, block 0 ")
        assert line.endswith(REMEDIES["open_exchange"])
        assert contents(folder) == before

    def test_what_the_changes_would_leave(self, folder: Path) -> None:
        # Without the lost result, the assistant's message would come first.
        messages = [{"role": "user", "content": [LOST]}, {"role": "assistant", "content": "Disk full."}]
        (folder / "x.json").write_text(json.dumps(messages), encoding="utf-8")
        run = ctxlab("repair", "x.json", "-o", "out.json", cwd=folder)
        assert run.returncode == 1
        said = "ctxlab: x.json: first_message_not_user: the repaired history would still have a fault: "
        assert run.stderr.startswith(said)
        assert run.stderr.endswith(REMEDIES["first_message_not_user"] + "\n")
        assert not (folder / "out.json").exists()

    def test_a_torn_record(self, folder: Path) -> None:
        (folder / "torn.jsonl").write_text(f'{json.dumps(QUESTION)}\n{{"role": "assis\n', encoding="utf-8")
        run = ctxlab("repair", "torn.jsonl", "-o", "out.jsonl", cwd=folder)
        assert run.returncode == 1
        assert run.stderr.startswith("ctxlab: torn.jsonl:2: torn_record: no safe repair: line 2: ")
        assert "Keep a copy of the file" in run.stderr
        assert not (folder / "out.jsonl").exists()


class TestSecrets:
    @pytest.fixture
    def secretive(self, tmp_path: Path) -> Path:
        text = json.dumps(BODY | {"metadata": {"password": "hunter22"}})
        # The password also stands where only the name in the metadata tells that it is one.
        text = text.replace("Be brief.", f"Use {SECRET}, hunter22").replace("caf\\u00e9", SECRET)
        (tmp_path / "body.json").write_text(text, encoding="utf-8")
        return tmp_path

    def test_stay_with_a_warning(self, secretive: Path) -> None:
        run = ctxlab("repair", "body.json", "-o", "out.json", cwd=secretive)
        assert run.returncode == 0
        assert run.stderr == (
            "ctxlab: body.json: 2 texts look like secrets: GitHub token (message 2, the system); "
            "OUT holds the same; --mask masks it there\n"
        )
        assert SECRET not in run.stdout
        assert SECRET in (secretive / "out.json").read_text(encoding="utf-8")
        assert SECRET in (secretive / "out.json.removed.jsonl").read_text(encoding="utf-8")

    def test_are_masked_in_all_that_is_written(self, secretive: Path) -> None:
        run = ctxlab("repair", "body.json", "-o", "out.json", "--mask", cwd=secretive)
        assert (run.returncode, run.stderr) == (0, "")
        for name in ("out.json", "out.json.removed.jsonl"):
            text = (secretive / name).read_text(encoding="utf-8")
            assert SECRET not in text
            assert "hunter22" not in text
            assert "[GitHub token masked, 40 characters]" in text
        assert SECRET in (secretive / "body.json").read_text(encoding="utf-8")

    def test_a_mask_that_would_break_the_history_is_refused(self, folder: Path) -> None:
        text = (folder / "broken.json").read_text(encoding="utf-8").replace("toolu_1", SECRET)
        (folder / "broken.json").write_text(text, encoding="utf-8")
        run = ctxlab("repair", "broken.json", "-o", "out.json", "--mask", cwd=folder)
        assert run.returncode == 1
        assert ": bad_id: masked, the history would have a fault: " in run.stderr
        assert SECRET not in run.stderr
        assert [path.name for path in folder.iterdir()] == ["broken.json"]
        run = ctxlab("repair", "broken.json", "-o", "out.json", cwd=folder)
        assert run.returncode == 0
        assert SECRET not in run.stdout + run.stderr


class TestWhereItWrites:
    @pytest.mark.parametrize("there", ["out.json", "out.json.removed.jsonl"])
    def test_what_is_there_stays_without_force(self, folder: Path, there: str) -> None:
        (folder / there).write_text("precious", encoding="utf-8")
        before = contents(folder)
        said = f"{there} is there already; give another name, or --force to overwrite it"
        assert unusable(ctxlab("repair", "broken.json", "-o", "out.json", cwd=folder)) == said
        assert contents(folder) == before
        assert ctxlab("repair", "broken.json", "-o", "out.json", "--force", cwd=folder).returncode == 0
        assert loaded(folder / "out.json") == WHOLE
        assert lines(folder / "out.json.removed.jsonl")[0]["removed"] == LOST

    @pytest.mark.parametrize("out", ["broken.json", "./broken.json", "link.json", "hard.json"])
    def test_the_file_itself_is_never_overwritten(self, folder: Path, out: str) -> None:
        (folder / "link.json").symlink_to("broken.json")
        (folder / "hard.json").hardlink_to(folder / "broken.json")
        before = contents(folder)
        said = f"{out} is the transcript itself, which is never overwritten; give another name"
        for force in ([], ["--force"]):
            assert unusable(ctxlab("repair", "broken.json", "-o", out, *force, cwd=folder)) == said
        assert contents(folder) == before

    def test_nor_is_it_by_what_is_taken_out(self, folder: Path) -> None:
        (folder / "broken.json").rename(folder / "out.removed.jsonl")
        before = contents(folder)
        line = unusable(ctxlab("repair", "out.removed.jsonl", "-o", "out", "--force", cwd=folder))
        assert line.startswith("out.removed.jsonl is the transcript itself")
        assert contents(folder) == before

    @pytest.mark.parametrize(
        ("out", "said"),
        [
            (
                "none/out.json",
                "'none/out.json' cannot be written (No such file or directory); name a file",
            ),
            ("sub", "sub is a directory; give the name of a new file"),
            ("/dev/null", "/dev/null is no regular file; give the name of a new file"),
            ("", ". is a directory; give the name of a new file"),
            ("x" * 300, "cannot be written (File name too long)"),
            ("x" * 245, "cannot be written (File name too long)"),
            ("-", "OUT is the path of a new file; "),
        ],
    )
    def test_a_place_that_cannot_be_written(self, folder: Path, out: str, said: str) -> None:
        (folder / "sub").mkdir()
        assert said in unusable(ctxlab("repair", "broken.json", "-o", out, "--force", cwd=folder))
        assert sorted(path.name for path in folder.rglob("*")) == ["broken.json", "sub"]

    def test_a_link_stays_a_link(self, folder: Path) -> None:
        (folder / "link.json").symlink_to("target.json")
        run = ctxlab("repair", "broken.json", "-o", "link.json", cwd=folder)
        assert run.returncode == 0
        assert (folder / "link.json").is_symlink()
        assert loaded(folder / "target.json") == WHOLE

    def test_a_full_disk(self, folder: Path) -> None:
        messages = [{"role": "user", "content": "x" * 100_000}, *BROKEN[1:]]
        (folder / "large.json").write_text(json.dumps(messages), encoding="utf-8")
        (folder / "out.json").write_text("precious", encoding="utf-8")
        before = contents(folder)

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

        run = ctxlab("repair", "large.json", "-o", "out.json", "--force", cwd=folder, preexec_fn=limit)
        assert "'out.json' cannot be written (File too large)" in unusable(run)
        assert contents(folder) == before

    def test_an_unusable_file(self, folder: Path) -> None:
        (folder / "latin.json").write_bytes(b'[{"role": "user", "content": "caf\xe9"}]')
        for name, said in [
            ("none.json", "there is no file none.json"),
            (".", "is a directory"),
            ("latin.json", "not UTF-8"),
        ]:
            assert said in unusable(ctxlab("repair", name, "-o", "out.json", cwd=folder))
        assert not (folder / "out.json").exists()

    def test_standard_output_that_is_closed_loses_no_file(self, folder: Path) -> None:
        shell = f"'{SCRIPT}' repair broken.json -o out.json >&-"
        run = subprocess.run(
            ["sh", "-c", shell], cwd=folder, capture_output=True, text=True, check=False, timeout=60
        )
        assert unusable(run) == "standard output is closed"
        assert loaded(folder / "out.json") == WHOLE
        assert lines(folder / "out.json.removed.jsonl")[0]["removed"] == LOST

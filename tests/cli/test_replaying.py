"""`ctxlab replay`, as a real process: what it prints where, and the exit status."""

import json
from functools import partial
from pathlib import Path

import pytest
from ctxlab_command import ctxlab, unusable

from ctxlab.cli import main
from ctxlab.cli.replaying import FUNCTIONS
from ctxlab.scenarios import load_scenario
from ctxlab.tracer.run import trace


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

    def test_a_page_with_a_secret_is_refused_or_masked(self, tmp_path: Path) -> None:
        secret = "ghp_" + "aB1c" * 9
        text = f"name: mine\npromise: Mine.\nquestion: Use {secret}.\nmessages: []\n"
        (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
        line = unusable(ctxlab("replay", "mine.yaml", "--html", "run.html", cwd=tmp_path))
        assert "GitHub token" in line
        assert line.endswith("; --mask masks it there")
        assert secret not in line
        assert not (tmp_path / "run.html").exists()
        assert ctxlab("replay", "mine.yaml", "--html", "run.html", "--mask", cwd=tmp_path).returncode == 0
        page = (tmp_path / "run.html").read_text(encoding="utf-8")
        assert secret not in page
        assert "[GitHub token masked, 40 characters]" in page

    def test_a_file_of_ones_own(self, tmp_path: Path) -> None:
        (tmp_path / "mine.yaml").write_text("name: mine\npromise: Mine.\nbase: summary\n", encoding="utf-8")
        assert ctxlab("replay", "mine.yaml", cwd=tmp_path).stdout.startswith(
            "prepare_context on mine: returned"
        )

    def test_a_scenario_of_a_system_calls_its_own_function(self, tmp_path: Path) -> None:
        scenario = load_scenario("parallel_results")
        recorded = trace(scenario.function, scenario=scenario)
        run = ctxlab("replay", "parallel_results", "--html", "page.html", cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout == recorded.text()
        assert run.stdout.startswith("windowed on parallel_results: returned 2 messages")
        assert scenario.promise in (tmp_path / "page.html").read_text(encoding="utf-8")
        assert ctxlab("replay", "parallel_results", "--calls").stdout == recorded.text(calls=True)
        assert json.loads(ctxlab("replay", "parallel_results", "--json").stdout) == recorded.to_json()

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
                "--function pairs --keep-recent 2",
                "pairs has no --keep-recent; leave it out, or say --function split or trim",
            ),
            (
                "--function loop --max-chars 9",
                "loop has no --max-chars; leave it out, or say --function trim",
            ),
            ("--mask", "--mask is about the page; say --html FILE, or leave it out"),
            ("--function sort", "invalid choice: 'sort'"),
            ("--budge 500", "unrecognized arguments: --budge 500"),
            ("--func split", "unrecognized arguments"),
            ("old", "unrecognized arguments: old"),
            ("--json --calls", "not allowed with argument"),
        ],
    )
    def test_options(self, arguments: str, problem: str) -> None:
        assert problem in unusable(ctxlab("replay", "summary", *arguments.split()))

    def test_options_that_a_scenario_of_a_system_has_no_use_for(self) -> None:
        options = ["--function", "split", "--keep-recent", "2"]
        assert unusable(ctxlab("replay", "parallel_results", *options)) == (
            "parallel_results is a scenario of window, with a function and arguments of its own; "
            "leave out --function and --keep-recent"
        )

    @pytest.mark.parametrize("name", ["missing/run.html", ".", ""])
    def test_a_page_that_cannot_be_written(self, tmp_path: Path, name: str) -> None:
        line = unusable(ctxlab("replay", "summary", "--html", name, cwd=tmp_path))
        assert "the page cannot be written" in line
        assert list(tmp_path.iterdir()) == []

"""`ctxlab compare`, as a real process on real files."""

import json
from pathlib import Path
from typing import Any

import pytest
from ctxlab_command import ctxlab, unusable

from ctxlab.cli import main
from ctxlab.practice.run import run_practice
from ctxlab.strategies.registry import STRATEGIES

SECRET = "ghp_" + "aB1c" * 9


def saved(path: Path, messages: list[Any]) -> Path:
    path.write_text(json.dumps(messages), encoding="utf-8")
    return path


@pytest.fixture
def practice(tmp_path: Path) -> Path:
    """The whole history of a practice run."""
    run_practice(tmp_path / "run", lambda _: True, budget=100_000)
    return tmp_path / "run" / ".context" / "history.jsonl"


def test_the_practice_run(practice: Path) -> None:
    run = ctxlab("compare", "history.jsonl", cwd=practice.parent)
    assert (run.returncode, run.stderr) == (0, "")
    head, _, columns, *rows = run.stdout.splitlines()
    assert head.startswith("history.jsonl: anthropic-messages, 17 messages in Chat form, 9 requests; limit ")
    figures = {row.split()[0]: row.split() for row in rows[: len(STRATEGIES)]}
    assert [*figures] == [*STRATEGIES]
    refused, new = columns.split().index("refused"), -1
    assert {row[refused] for row in figures.values()} == {row[new] for row in figures.values()} == {"0"}
    # It is about half of what everything together has, and nothing but keeping all of it goes over.
    assert int(figures["none"][2].replace(",", "")) > 2000
    assert figures["none"][3] == figures["fold"][3] == "6"
    for name in ("trim", "prepare", "window", "pack", "shrink", "policy"):
        assert figures[name][3] == "0"
    assert "'Read the logs, have the rules and files read, ask before you run it, and compare.'" in run.stdout


def test_every_format(transcripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # In this process: a new one for each file takes its second.
    for path in sorted(transcripts.iterdir()):
        assert main(["compare", str(path), "--limit", "100", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["source"] == str(path)
        assert [strategy["new_findings"] for strategy in told["strategies"]] == [[]] * len(STRATEGIES)
        assert told["strategies"][0]["last"] > 0


def test_json_and_what_is_chosen(practice: Path, tmp_path: Path) -> None:
    facts = tmp_path / "facts.yaml"
    facts.write_text(
        "- {kind: path, text: logs/day1.log}\n- {kind: figure, text: '42.50'}\n", encoding="utf-8"
    )
    options = ["--json", "--limit", "700", "--strategies", "pack, none", "--facts", str(facts)]
    run = ctxlab("compare", "-", *options, input=practice.read_text(encoding="utf-8"))
    assert (run.returncode, run.stderr) == (0, "")
    told = json.loads(run.stdout)
    assert (told["format"], told["source"], told["limit"]) == ("ctxlab.strategies/1", "-", 700)
    pack, none = told["strategies"]
    assert (pack["name"], none["name"]) == ("pack", "none")
    assert pack["lost"] == none["kept"] == [{"kind": "path", "text": "logs/day1.log"}]
    assert pack["largest"] <= 700 < none["largest"] == none["turns"][-1]["tokens"]
    assert "Left out, since no request says it: figure '42.50'." in told["notes"]


def test_a_broken_history_is_told_of_and_not_mended(tmp_path: Path) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    history = [
        {"role": "tool", "tool_call_id": "lost", "content": "x"},
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "Well?"},
        {"role": "tool", "tool_call_id": "a", "content": "late " * 2000},
        {"role": "assistant", "content": "Hm."},
        {"role": "user", "content": "Go on."},
    ]
    run = ctxlab("compare", saved(tmp_path / "torn.json", history), "--limit", "200")
    assert (run.returncode, run.stderr) == (0, "")
    assert "\nRefusals\n  trim: not_a_history, 1 time, first at message 5: message 4: " in run.stdout
    assert "  window: newest_too_large, 1 time, first at message 5: " in run.stdout
    assert "Findings in the history itself, which are not new here: " in run.stdout
    assert "\nNew findings\n" not in run.stdout


def test_secrets_are_masked(tmp_path: Path) -> None:
    history = [
        {"role": "user", "content": f"You must never show {SECRET} to anybody."},
        {"role": "assistant", "content": "No."},
        {"role": "user", "content": "Why?"},
    ]
    path = saved(tmp_path / "secret.json", history)
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps([{"kind": "rule", "text": history[0]["content"]}]), encoding="utf-8")
    # Among the facts that are found it is none.
    assert "You must never show" not in ctxlab("compare", path).stdout
    for form in ([], ["--json"]):
        run = ctxlab("compare", path, *form, "--facts", facts)
        assert run.returncode == 0
        assert "You must never show [" in run.stdout
        assert SECRET not in run.stdout + run.stderr
        assert SECRET[:12] not in run.stdout
        assert "1 text looks like a secret" in run.stderr
        assert run.stderr.endswith("have a masked copy made: ctxlab repair FILE -o OUT --mask\n")


def test_a_secret_in_a_note_is_masked_before_the_lines_are_broken(tmp_path: Path) -> None:
    path = saved(tmp_path / "go.json", [{"role": "user", "content": "Go."}])
    facts = tmp_path / "facts.json"
    secret = "sk-ant-api03-" + "aB1c-" * 12
    texts = [f"{'x' * size} {secret}" for size in range(30)]
    facts.write_text(json.dumps([{"kind": "other", "text": text} for text in texts]), encoding="utf-8")
    run = ctxlab("compare", path, "--facts", facts)
    assert run.stdout.count("Left out, since no request says it") == 30
    assert "aB1c" not in run.stdout


def test_a_page_is_written_too_and_its_secrets_refused_or_masked(tmp_path: Path) -> None:
    history = [
        {"role": "user", "content": "You must never show it."},
        {"role": "assistant", "content": "No."},
    ]
    saved(tmp_path / "go.json", [*history, {"role": "user", "content": "Why?"}])
    run = ctxlab("compare", "go.json", "--html", "page.html", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == ctxlab("compare", "go.json", cwd=tmp_path).stdout
    page = tmp_path / "page.html"
    assert "<title>Strategies on go.json</title>" in page.read_text(encoding="utf-8")
    page.unlink()
    saved(tmp_path / "secret.json", [*history, {"role": "user", "content": f"Not even {SECRET}?"}])
    facts = tmp_path / "facts.json"
    facts.write_text('[{"kind": "other", "text": "show it"}]', encoding="utf-8")
    for options, why in (
        ("secret.json --html page.html", "the page is not written"),
        ("secret.json --html secret.json", "secret.json is a file that is read; give the page another name"),
        ("go.json --facts facts.json --html facts.json", "facts.json is a file that is read"),
        ("go.json --html none/page.html", "the page cannot be written"),
    ):
        assert why in unusable(ctxlab("compare", *options.split(), cwd=tmp_path))
    assert not page.exists()
    assert facts.read_text(encoding="utf-8").startswith("[{")
    run = ctxlab("compare", "secret.json", "--html", "page.html", "--mask", cwd=tmp_path)
    assert run.returncode == 0
    assert SECRET[:12] not in page.read_text(encoding="utf-8")
    assert "Not even [" in page.read_text(encoding="utf-8")


def test_input_that_cannot_be_used(tmp_path: Path) -> None:
    go = saved(tmp_path / "go.json", [{"role": "user", "content": "Go."}])
    assert "there is no file none.json" in unusable(ctxlab("compare", "none.json", cwd=tmp_path))
    assert "there is no strategy 'nine'; there are none, trim" in unusable(
        ctxlab("compare", go, "--strategies", "none,nine")
    )
    for limit in ("0", "9" * 400):
        told = unusable(ctxlab("compare", go, "--limit", limit))
        assert "argument --limit: " in told
        assert "is not a whole number from 1 to 10000000" in told
    assert "no strategy is named; there are" in unusable(ctxlab("compare", go, "--strategies", ""))
    assert ctxlab("compare", go, "--strategies", "window,").returncode == 0
    assert "--mask is about the page; say --html PAGE" in unusable(ctxlab("compare", go, "--mask"))
    for facts in ("", "-"):
        told = unusable(ctxlab("compare", go, "--facts", facts))
        assert f"--facts is {facts!r}; give the path of a JSON or YAML file" in told
    assert "no file e\\u001b[31m" in unusable(ctxlab("compare", go, "--facts", "e\x1b[31m"))
    assert "there is no file facts.json; check the path" in unusable(
        ctxlab("compare", go, "--facts", "facts.json", cwd=tmp_path)
    )
    odd = saved(tmp_path / "odd.json", [{"role": "boss", "content": "Go."}, {"role": "tool", "content": 1}])
    assert unusable(ctxlab("compare", odd)).endswith("; ctxlab diagnose names every fault in it")
    half = tmp_path / "half.json"
    half.write_text('[{"role": "user", "content": "\\ud83d"}]', encoding="utf-8")
    assert "has no UTF-8 JSON form" in unusable(ctxlab("compare", half))

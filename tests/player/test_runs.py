"""What a lab runs, without its controls."""

from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.player.runs import SUBJECTS, run, subject, suggestion
from ctxlab.reference import read_archive
from ctxlab.scenarios import load_scenario

History = list[dict[str, Any]]


@pytest.mark.parametrize("name", SUBJECTS)
def test_each_reference_function_ends_as_its_scenarios_expect(name: str, tmp_path: Path) -> None:
    """With a real archive, as with the stand-in of the scenario files."""
    for number, scenario in enumerate(map(load_scenario, SUBJECTS[name].order)):
        result = run(SUBJECTS[name], scenario, {}, tmp_path / str(number))
        expected = getattr(scenario.expect, name)
        if name in ("prepare", "loop"):
            expected = next(row for row in expected if row.budget == scenario.settings.budget)
            assert len(list((tmp_path / str(number)).glob("*"))) == expected.archives
        if name == "trim" and scenario.archive_fails:
            assert result.trace is None
        elif name == "pairs":
            assert result.trace.outcome.value["status"] == expected.status
        elif name == "loop":
            ended = result.trace.outcome.value
            assert (ended["status"], ended["requests"]) == (expected.status, expected.requests)
        else:
            assert result.trace.outcome.code == (expected.code if name == "prepare" else expected.refused)


def test_settings_take_the_place_of_the_scenarios(tmp_path: Path) -> None:
    result = run(SUBJECTS["prepare"], load_scenario("summary"), {"max_summaries": 0}, tmp_path)
    assert result.trace.outcome.code == "summaries_spent"
    assert "'max_summaries': 0" in result.lines[-1]


def test_the_loop_prepares_with_the_settings_and_with_a_real_archive(tmp_path: Path) -> None:
    scenario = load_scenario("trim")
    result = run(SUBJECTS["loop"], scenario, {}, tmp_path / "own")
    assert [line.split(",")[0] for line in result.lines] == [
        "Snapshot on disk: context-000000000001.jsonl",
        "State after the run: {'archives': ['context-000000000001.jsonl']",
    ]
    assert read_archive(tmp_path / "own", "context-000000000001.jsonl") == scenario.messages
    # The state is as it is after the last preparation, and a setting is one of the preparation.
    limits = {"budget": 400, "max_summaries": 0}
    result = run(SUBJECTS["loop"], scenario, limits, tmp_path / "small")
    assert result.trace.outcome.value["text"] == "summaries_spent: 0 of 0 attempts are spent"
    # With two exchanges kept, not even a summary of the third is enough.
    result = run(SUBJECTS["loop"], scenario, {"keep_recent": 2}, tmp_path / "two")
    assert result.trace.outcome.value["text"].startswith("not_smaller: rebuilt")
    assert "'summaries': 1" in result.lines[-1]


def test_a_loop_whose_archive_fails_leaves_no_snapshot(tmp_path: Path) -> None:
    result = run(SUBJECTS["loop"], load_scenario("archive_error"), {}, tmp_path)
    assert result.trace.outcome.value["status"] == "context_error"
    assert result.lines == ["State after the run: {'archives': [], 'summaries': 0, 'max_summaries': 2}."]


def archive_twice(messages: History, archive: Any) -> History:
    archive(messages)
    archive(messages)
    return messages


def test_snapshots_are_numbered_from_one(tmp_path: Path) -> None:
    result = run(subject(archive_twice), load_scenario("fit"), {}, tmp_path)
    names = ["context-000000000001.jsonl", "context-000000000002.jsonl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert result.lines == [f"Snapshot on disk: {name}, 3 messages." for name in names]


def test_a_directory_that_cannot_be_written_gives_a_line(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file stands where the directory should be")
    result = run(SUBJECTS["trim"], load_scenario("old"), {}, taken / "snapshots")
    assert result.trace is None
    assert "nothing is removed" in result.lines[0]


def test_names_the_nearest_or_all() -> None:
    assert suggestion("PREPAR", list(SUBJECTS)) == "did you mean 'prepare'?"
    assert suggestion("zzz", ["split", "trim"]) == "one of split, trim"
    with pytest.raises(CtxlabError, match="give a function of your own"):
        subject(None)

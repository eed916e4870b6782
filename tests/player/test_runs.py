"""What a lab runs, without its controls."""

from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.player.runs import SUBJECTS, own_history, run, subject, suggestion
from ctxlab.scenarios import load_scenario

History = list[dict[str, Any]]


@pytest.mark.parametrize("name", SUBJECTS)
def test_each_reference_function_ends_as_its_scenarios_expect(name: str, tmp_path: Path) -> None:
    """With a real archive, as with the stand-in of the scenario files."""
    for number, scenario in enumerate(map(load_scenario, SUBJECTS[name].order)):
        result = run(SUBJECTS[name], scenario, {}, tmp_path / str(number))
        expected = getattr(scenario.expect, name)
        if name == "prepare":
            expected = next(row for row in expected if row.budget == scenario.settings.budget)
        if name == "trim" and scenario.archive_fails:
            assert result.trace is None
            continue
        code = expected.code if name == "prepare" else expected.refused
        assert result.trace.outcome.code == code


def test_settings_take_the_place_of_the_scenarios(tmp_path: Path) -> None:
    result = run(SUBJECTS["prepare"], load_scenario("summary"), {"max_summaries": 0}, tmp_path)
    assert result.trace.outcome.code == "summaries_spent"
    assert "'max_summaries': 0" in result.lines[-1]


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


def test_the_question_of_ones_own_history_is_the_hosts() -> None:
    text = own_history([{"role": "user", "content": "Check it."}])
    blocks = own_history([{"role": "user", "content": [{"text": "Check it.", "type": "text"}]}])
    assert text.question == blocks.question == "Check it."


def test_names_the_nearest_or_all() -> None:
    assert suggestion("PREPAR", list(SUBJECTS)) == "did you mean 'prepare'?"
    assert suggestion("zzz", list(SUBJECTS)) == "one of split, trim, prepare"
    with pytest.raises(CtxlabError, match="give a function of your own"):
        subject(None)

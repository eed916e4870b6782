"""The lab: what its controls do, without a browser. The buttons and fields are set as the page sets them."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ctxlab import Lab, load_scenario, scenario_names
from ctxlab.errors import CtxlabError, HistoryError, ScenarioError
from ctxlab.reference import history_bytes, read_archive

History = list[dict[str, Any]]

# What each function opens on, and what comes first.
FIRST = {
    "split": ["normal", "pending", "mismatch", "multi"],
    "trim": ["old", "error", "recent"],
    "prepare": ["fit", "trim", "summary", "recent_large", "exhausted", "bad_summary", "archive_error"],
    "loop": ["trim", "summary", "pending", "exhausted", "archive_error", "fit"],
}


def outcome(lab: Lab) -> str:
    assert lab.trace is not None
    return lab.trace.outcome.code or lab.trace.outcome.kind


def words(lab: Lab) -> str:
    """What stands above the player."""
    return str(lab._words.value)


def shown_fields(lab: Lab) -> list[str]:
    shown = lab._fields_row.children
    return [name for name, field in lab.fields.items() if field in shown]


@pytest.mark.parametrize("function", FIRST)
def test_opens_on_its_scenario_and_puts_first_what_matters(function: str) -> None:
    lab = Lab(function)
    names = list(lab.scenario_buttons.options)
    assert lab.scenario.name == lab.scenario_buttons.value == FIRST[function][0]
    assert names[: len(FIRST[function])] == FIRST[function]
    assert sorted(names) == sorted(scenario_names())
    assert list(lab.scenario_buttons.tooltips) == [load_scenario(name).promise for name in names]


@pytest.mark.parametrize(
    ("function", "fields"),
    [
        ("split", ["keep_recent"]),
        ("trim", ["keep_recent", "max_chars"]),
        ("prepare", ["budget", "keep_recent", "max_summaries"]),
        ("loop", ["budget", "keep_recent", "max_summaries"]),
    ],
)
def test_has_a_labelled_field_for_each_setting_the_function_takes(function: str, fields: list[str]) -> None:
    lab = Lab(function)
    assert shown_fields(lab) == fields
    assert all(lab.fields[name].description for name in fields)


def test_a_click_on_a_scenario_records_a_fresh_run_without_breakpoints() -> None:
    lab = Lab("split")
    first = lab.trace
    lab.player.step, lab.player.breakpoints = 5, [[0, 70]]
    lab.scenario_buttons.value = "mismatch"
    assert lab.trace is not first
    assert outcome(lab) == "mismatch"
    assert lab.player.recorded is lab.trace
    assert (lab.player.step, lab.player.breakpoints) == (0, [])


def test_a_change_of_function_clears_the_breakpoints_and_reorders_the_scenarios() -> None:
    lab = Lab("split", "summary")
    lab.player.breakpoints = [[0, 70]]
    lab.function_buttons.value = dict(lab.function_buttons.options)["prepare"]
    assert lab.trace.function == "prepare_context"
    assert lab.scenario.name == "summary"
    assert lab.player.breakpoints == []
    assert list(lab.scenario_buttons.options)[:7] == FIRST["prepare"]
    assert shown_fields(lab) == ["budget", "keep_recent", "max_summaries"]


def test_a_change_of_a_setting_records_a_fresh_run_and_keeps_the_breakpoints() -> None:
    lab = Lab("prepare", "trim")
    lab.player.breakpoints = [[0, 150]]
    lab.fields["budget"].value = 3200
    assert lab.trace.outcome.value == lab.scenario.messages
    assert lab.player.breakpoints == [[0, 150]]
    assert lab.settings["budget"] == 3200


def test_a_setting_stays_over_scenarios_until_the_scenarios_own_are_asked_for() -> None:
    lab = Lab("prepare", "exhausted")
    assert lab.fields["max_summaries"].value == 0
    lab.scenario_buttons.value = "summary"
    assert lab.fields["max_summaries"].value == 2
    lab.fields["budget"].value = 4000
    lab.scenario_buttons.value = "trim"
    assert lab.settings["budget"] == lab.fields["budget"].value == 4000
    assert not lab.own_settings_button.disabled
    lab.own_settings_button.click()
    assert lab.settings["budget"] == lab.fields["budget"].value == 1600
    assert lab.own_settings_button.disabled


@pytest.mark.parametrize(
    ("function", "setting", "value"),
    [
        ("split", "keep_recent", 0),
        ("split", "keep_recent", 5),
        ("trim", "max_chars", 0),
        ("prepare", "budget", 399),
        ("prepare", "max_summaries", -1),
        ("prepare", "budget", -(10**30)),
    ],
)
def test_a_value_out_of_range_gives_a_line(function: str, setting: str, value: int) -> None:
    lab = Lab(function)
    lab.fields[setting].value = value
    assert outcome(lab) == "bad_argument"
    assert "refused bad_argument" in words(lab)
    assert outcome(Lab(function, **{setting: value})) == "bad_argument"


@pytest.mark.parametrize("scenario", ["pending", "mismatch"])
def test_trim_really_archives_first(scenario: str) -> None:
    lab = Lab("trim", scenario)
    assert outcome(lab) == scenario
    (snapshot,) = lab.snapshots.iterdir()
    assert read_archive(lab.snapshots, snapshot.name) == lab.scenario.messages
    assert snapshot.name in words(lab)


def test_where_the_archive_fails_trim_does_not_run_and_no_player_is_left() -> None:
    lab = Lab("trim")
    lab.scenario_buttons.value = "archive_error"
    assert (lab.trace, lab.player) == (None, None)
    assert "the disk is full" in words(lab)
    assert all(child in lab._controls for child in lab.view.children)
    lab.scenario_buttons.value = "error"
    assert lab.view.children[-1] is lab.player
    assert "the disk is full" not in words(lab)


def test_prepare_leaves_a_real_snapshot_and_says_what_the_state_is() -> None:
    lab = Lab("prepare", "bad_summary")
    assert outcome(lab) == "bad_summary"
    (snapshot,) = lab.snapshots.iterdir()
    assert read_archive(lab.snapshots, snapshot.name) == lab.scenario.messages
    assert "&#x27;summaries&#x27;: 1" in words(lab)


@pytest.mark.parametrize(("scenario", "status"), [("trim", "answered"), ("pending", "context_error")])
def test_how_a_loop_ended_stands_above_the_player(scenario: str, status: str) -> None:
    first, *_ = words(Lab("loop", scenario)).split("</p>")
    assert f"run_loop on {scenario}: returned" in first
    assert status in first
    # A history that was returned speaks for itself.
    assert "returned" not in words(Lab("prepare", "trim"))


def test_without_a_place_for_snapshots_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full").touch()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "full"))
    with pytest.raises(CtxlabError, match=r"for snapshots \(Not a directory\); set TMPDIR"):
        Lab("prepare")


def test_the_snapshots_of_the_run_before_are_removed() -> None:
    lab = Lab("trim")
    before = lab.snapshots
    lab.scenario_buttons.value = "multi"
    assert not before.exists()
    (snapshot,) = lab.snapshots.iterdir()
    assert read_archive(lab.snapshots, snapshot.name) == load_scenario("multi").messages


def keep_first(messages: History, keep_recent: int = 1) -> History:
    return messages[: 1 + keep_recent]


def test_a_function_of_ones_own_is_filled_by_name() -> None:
    lab = Lab(keep_first, "multi", keep_recent=2)
    assert lab.trace.outcome.value == load_scenario("multi").messages[:3]
    assert shown_fields(lab) == ["keep_recent"]
    assert [label for label, _ in lab.function_buttons.options] == ["keep_first"]
    # The promise is about the reference functions.
    assert load_scenario("multi").promise not in lab.text()
    assert lab.player.heading["promise"] == ""


def needs_more(messages: History, colour: str) -> History:
    return messages if colour else []


def breaks_its_state(messages: History, state: dict[str, Any]) -> History:
    state.clear()
    raise KeyError(messages[0]["role"])


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (lambda messages: messages, "a lambda cannot be traced"),
        (len, "only a function written in Python"),
        (needs_more, "missing a required argument"),
    ],
)
def test_what_cannot_be_traced_gives_a_line(function: Any, line: str) -> None:
    lab = Lab(function)
    assert (lab.trace, lab.player) == (None, None)
    assert line in words(lab)
    assert line in lab.text()


def test_an_error_of_ones_own_function_is_an_outcome() -> None:
    lab = Lab(breaks_its_state)
    assert (lab.trace.outcome.kind, lab.trace.outcome.type) == ("error", "KeyError")
    assert "KeyError" in words(lab)


def test_an_interrupted_run_does_not_leave_the_run_before() -> None:
    def interrupted(messages: History) -> History:
        if len(messages) == 4:
            raise KeyboardInterrupt
        return messages

    lab = Lab(interrupted)
    assert outcome(lab) == "returned"
    with pytest.raises(KeyboardInterrupt):
        lab.scenario_buttons.value = "pending"
    assert lab.scenario.name == "pending"
    assert lab.trace is lab.player is None
    assert "interrupted" in words(lab)
    lab.scenario_buttons.value = "normal"
    assert outcome(lab) == "returned"
    assert "interrupted" not in words(lab)


def test_a_scenario_file_of_ones_own_stands_first(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\npromise: Mine.\nbase: multi\nchange: {drop_last: 1}\n")
    lab = Lab("split", str(path))
    assert lab.scenario_buttons.options[0] == lab.scenario_buttons.value == "mine"
    assert outcome(lab) == "pending"
    lab.scenario_buttons.value = "multi"
    lab.scenario_buttons.value = "mine"
    assert outcome(lab) == "pending"


@pytest.mark.parametrize("as_lines", [False, True])
def test_a_history_of_ones_own(tmp_path: Path, as_lines: bool) -> None:
    messages = load_scenario("multi").messages
    path = tmp_path / "mine.json"
    path.write_text("\n".join(map(json.dumps, messages)) if as_lines else json.dumps(messages))
    for source in (messages, path, str(path)):
        lab = Lab("prepare", messages=source, budget=1600)
        assert history_bytes(lab.trace.outcome.value) <= 1600
        assert lab.scenario_buttons not in lab.view.children
        assert f"{len(messages)} messages" in lab.text()


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("nothing to say")

    __repr__ = __str__


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"function": "splt"}, "no function 'splt'; did you mean 'split'?"),
        ({"function": 7}, "no function 7"),
        ({"function": ["split"]}, "no function"),
        ({"scenario": "mismach"}, "did you mean 'mismatch'?"),
        ({"buget": 1600}, "no setting 'buget'; did you mean 'budget'?"),
        ({"budget": 1600}, "split does not take budget; it takes keep_recent"),
        ({"keep_recent": "2"}, "keep_recent is '2'; give a whole number"),
        ({"keep_recent": True}, "keep_recent is True; give a whole number"),
        ({"keep_recent": Mute()}, "keep_recent is a value of type Mute; give a whole number"),
        ({"function": Mute()}, "no function a value of type Mute"),
        ({"scenario": "normal", "messages": []}, "not both"),
        ({"messages": []}, "history is empty"),
        ({"messages": "nowhere.json"}, "no file nowhere.json"),
    ],
)
def test_a_mistake_is_named_with_its_remedy(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises((CtxlabError, HistoryError, ScenarioError)) as caught:
        Lab(**arguments)
    assert problem in str(caught.value)


def test_a_number_that_python_does_not_print_is_a_setting_like_any_other() -> None:
    assert "budget a value of type int" in Lab("prepare", budget=10**5000).text()


def large(exchanges: int, chars: int) -> History:
    history: History = [{"role": "user", "content": "Check everything."}]
    for number in range(exchanges):
        call = {"type": "tool_use", "id": f"call_{number}", "name": "read_file", "input": {}}
        text = f"{number} ".ljust(chars, "x")
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": False}
        history += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return history


@pytest.mark.slow
@pytest.mark.parametrize(("exchanges", "chars"), [(1900, 2500), (2, 2_500_000)])
def test_a_history_of_five_megabytes_stays_usable(exchanges: int, chars: int) -> None:
    history = large(exchanges, chars)
    assert history_bytes(history) > 5_000_000
    start = time.monotonic()
    lab = Lab("split", messages=history)
    seconds = time.monotonic() - start
    assert lab.trace.outcome.kind == "returned"
    assert "Tokens are not counted" in words(lab)
    assert ("4000 characters" in words(lab)) == (chars > 4000)
    assert len(json.dumps(lab.player.get_state(["trace", "cards"]))) < 10_000_000
    print(f"{exchanges} exchanges: {seconds:.1f} s")
    # Prepare has to archive, and a snapshot this large is refused: a line, not a traceback.
    assert "snapshot_too_large" in words(Lab("prepare", messages=history))


def test_a_run_that_is_too_long_is_stopped_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab.player.runs.STEP_LIMIT", 50)
    lab = Lab("prepare", "summary")
    assert outcome(lab) == "step_limit"
    assert "stopped at the step limit" in words(lab)


def test_faces_hold_no_script_and_no_address_in_memory() -> None:
    hostile = [
        {"role": "user", "content": "<img src=x onerror=alert(1)>"},
        {"role": "</script>", "content": ""},
    ]
    lab = Lab("split", messages=hostile)
    assert outcome(lab) == "pending"
    bundle = lab._repr_mimebundle_()
    assert "<img" not in bundle["text/html"]
    assert "</script>" not in bundle["text/html"]
    assert bundle["text/plain"].startswith("Lab: split on own history")
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert repr(lab) == "<Lab: split on own history, keep_recent 1>"


@pytest.mark.parametrize("function", FIRST)
def test_faces_are_the_same_in_another_process(function: str) -> None:
    code = (
        f"import ctxlab; lab = ctxlab.Lab({function!r}); print(repr(lab), lab.text(), lab.html(), sep='\\n')"
    )
    lab = Lab(function)
    expected = f"{lab!r}\n{lab.text()}\n{lab.html()}\n"
    for seed in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
            timeout=60,
        )
        assert run.stdout.decode() == expected

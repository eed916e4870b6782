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
    "pairs": ["normal", "text_first", "interrupted", "split_results", "mismatch"],
}


def outcome(lab: Lab) -> str:
    assert lab.trace is not None
    return lab.trace.outcome.code or lab.trace.outcome.kind


def words(lab: Lab) -> str:
    """What stands above the player."""
    return str(lab.controls.words.value)


def shown_fields(lab: Lab) -> list[str]:
    shown = lab.controls.row.children
    return [name for name, field in lab.controls.fields.items() if field in shown]


@pytest.mark.parametrize("function", FIRST)
def test_opens_on_its_scenario_and_puts_first_what_matters(function: str) -> None:
    lab = Lab(function)
    names = list(lab.controls.histories.options)
    assert lab.scenario.name == lab.controls.histories.value == FIRST[function][0]
    assert names[: len(FIRST[function])] == FIRST[function]
    assert sorted(names) == sorted(scenario_names())
    assert list(lab.controls.histories.tooltips) == [load_scenario(name).promise for name in names]


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
    assert all(lab.controls.fields[name].description for name in fields)


def test_a_click_on_a_scenario_records_a_fresh_run_without_breakpoints() -> None:
    lab = Lab("split")
    first = lab.trace
    lab.player.step, lab.player.breakpoints = 5, [[0, 70]]
    lab.controls.histories.value = "mismatch"
    assert lab.trace is not first
    assert outcome(lab) == "mismatch"
    assert lab.player.recorded is lab.trace
    assert (lab.player.step, lab.player.breakpoints) == (0, [])


def test_a_change_of_function_clears_the_breakpoints_and_reorders_the_scenarios() -> None:
    lab = Lab("split", "summary")
    lab.player.breakpoints = [[0, 70]]
    lab.controls.functions.value = dict(lab.controls.functions.options)["prepare"]
    assert lab.trace.function == "prepare_context"
    assert lab.scenario.name == "summary"
    assert lab.player.breakpoints == []
    assert list(lab.controls.histories.options)[:7] == FIRST["prepare"]
    assert shown_fields(lab) == ["budget", "keep_recent", "max_summaries"]


def test_a_change_of_a_setting_records_a_fresh_run_and_keeps_the_breakpoints() -> None:
    lab = Lab("prepare", "trim")
    lab.player.breakpoints = [[0, 150]]
    lab.controls.fields["budget"].value = 3200
    assert lab.trace.outcome.value == lab.scenario.messages
    assert lab.player.breakpoints == [[0, 150]]
    assert lab.settings["budget"] == 3200


def test_a_setting_stays_over_scenarios_until_the_scenarios_own_are_asked_for() -> None:
    lab = Lab("prepare", "exhausted")
    assert lab.controls.fields["max_summaries"].value == 0
    lab.controls.histories.value = "summary"
    assert lab.controls.fields["max_summaries"].value == 2
    lab.controls.fields["budget"].value = 4000
    lab.controls.histories.value = "trim"
    assert lab.settings["budget"] == lab.controls.fields["budget"].value == 4000
    assert not lab.controls.own_settings.disabled
    lab.controls.own_settings.click()
    assert lab.settings["budget"] == lab.controls.fields["budget"].value == 1600
    assert lab.controls.own_settings.disabled


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
    lab.controls.fields[setting].value = value
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
    lab.controls.histories.value = "archive_error"
    assert (lab.trace, lab.player) == (None, None)
    assert "the disk is full" in words(lab)
    assert all(child in lab.controls.all for child in lab.view.children)
    lab.controls.histories.value = "error"
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
    lab.controls.histories.value = "multi"
    assert not before.exists()
    (snapshot,) = lab.snapshots.iterdir()
    assert read_archive(lab.snapshots, snapshot.name) == load_scenario("multi").messages


def keep_first(messages: History, keep_recent: int = 1) -> History:
    return messages[: 1 + keep_recent]


def test_a_function_of_ones_own_is_filled_by_name() -> None:
    lab = Lab(keep_first, "multi", keep_recent=2)
    assert lab.trace.outcome.value == load_scenario("multi").messages[:3]
    assert shown_fields(lab) == ["keep_recent"]
    assert [label for label, _ in lab.controls.functions.options] == ["keep_first", "diagnose"]
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
        lab.controls.histories.value = "pending"
    assert lab.scenario.name == "pending"
    assert lab.trace is lab.player is None
    assert "interrupted" in words(lab)
    lab.controls.histories.value = "normal"
    assert outcome(lab) == "returned"
    assert "interrupted" not in words(lab)


def test_a_scenario_file_of_ones_own_stands_first(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\npromise: Mine.\nbase: multi\nchange: {drop_last: 1}\n")
    lab = Lab("split", str(path))
    assert lab.controls.histories.options[0] == lab.controls.histories.value == "mine"
    assert outcome(lab) == "pending"
    lab.controls.histories.value = "multi"
    lab.controls.histories.value = "mine"
    assert outcome(lab) == "pending"


@pytest.mark.parametrize("as_lines", [False, True])
def test_a_history_of_ones_own(tmp_path: Path, as_lines: bool) -> None:
    messages = load_scenario("multi").messages
    path = tmp_path / "mine.json"
    path.write_text("\n".join(map(json.dumps, messages)) if as_lines else json.dumps(messages))
    for source in (messages, path, str(path)):
        lab = Lab("prepare", messages=source, budget=1600)
        assert history_bytes(lab.trace.outcome.value) <= 1600
        assert lab.controls.histories.options[0] == lab.controls.histories.value == lab.scenario.name
        assert f"{len(messages)} messages" in lab.text()


CHAT = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "Is it dry?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "dry"},
    {"role": "tool", "tool_call_id": "z", "content": "wet"},
    {"role": "assistant", "content": "Yes."},
]


def choose(lab: Lab, function: str) -> None:
    lab.controls.functions.value = dict(lab.controls.functions.options)[function]


def upload(lab: Lab, name: str, content: bytes) -> None:
    """What the page does when a file is chosen."""
    file = {
        "name": name,
        "type": "",
        "size": len(content),
        "content": memoryview(content),
        "last_modified": 0,
    }
    lab.controls.upload.button.set_state({"value": [file]})


def test_diagnose_shows_the_whole_history_in_place_of_the_player() -> None:
    lab = Lab("diagnose")
    assert lab.scenario.name == lab.controls.histories.value == "mismatch"
    assert (lab.trace, lab.player, shown_fields(lab)) == (None, None, [])
    assert lab.view.children[-1] is lab.diagnosis
    assert [finding.code for finding in lab.diagnosis.report.findings] == [
        "unanswered_tool_use",
        "orphan_tool_result",
    ]
    assert "orphan_tool_result" in lab.text()
    assert "orphan_tool_result" in lab.html()
    first = lab.diagnosis
    lab.controls.histories.value = "normal"
    assert lab.diagnosis.report.findings == []
    assert first.comm is None  # it is closed, so the page forgets it
    choose(lab, "split")
    assert lab.diagnosis is None
    assert lab.view.children[-1] is lab.player
    assert lab.scenario.name == "normal"


def test_a_history_without_a_function_opens_on_its_diagnosis() -> None:
    lab = Lab(messages=CHAT)
    assert lab.diagnosis.report.transcript.messages == CHAT
    assert [finding.message for finding in lab.diagnosis.report.findings] == [4]
    assert lab.text().startswith("Lab: diagnose on own history\n\nDiagnosis of a list of messages: 1 finding")
    # The other functions get its exchanges, and the lab says what they do not get.
    for function in ("split", "trim", "prepare"):
        choose(lab, function)
        assert outcome(lab) == "returned"
        for face in (words(lab), lab.text(), lab.html()):
            assert "system texts: 1 (message 0)" in face
            assert "results without a call: 1 (message 4)" in face
            assert "diagnose has 1 finding" in face
        assert "made from 3 of its 6 messages" in lab.text()
    choose(lab, "diagnose")
    assert "system texts" not in words(lab) + lab.text()


def test_ones_own_function_gets_ones_own_history_whole() -> None:
    got: list[Any] = []

    def keep(messages: History) -> History:
        got.append(messages)
        return messages[:3]

    lab = Lab(keep, messages=CHAT)
    assert got == [CHAT]
    assert outcome(lab) == "returned"
    assert "system texts" not in words(lab)
    choose(lab, "diagnose")
    assert lab.diagnosis.report.transcript.messages == CHAT


@pytest.mark.parametrize("function", ["diagnose", "split", keep_first])
def test_an_uploaded_history_becomes_the_labs_own(function: Any) -> None:
    lab = Lab(function)
    upload(lab, "mine.json", json.dumps(CHAT).encode())
    assert lab.controls.histories.value == lab.controls.histories.options[0] == "mine.json"
    assert lab.scenario.name == "mine.json"
    assert lab.controls.upload.button.value == ()
    assert outcome(lab) == "returned" if function != "diagnose" else lab.diagnosis.report.findings
    choose(lab, "diagnose")
    assert lab.diagnosis.report.name == "mine.json"
    # The scenarios stay, and so does the history while one looks at them.
    lab.controls.histories.value = "pending"
    lab.controls.histories.value = "mine.json"
    assert lab.diagnosis.report.transcript.messages == CHAT
    upload(lab, "mine.json", json.dumps(CHAT[:2]).encode())
    assert list(lab.controls.histories.options).count("mine.json") == 1
    assert lab.diagnosis.report.transcript.messages == CHAT[:2]


def test_an_upload_that_cannot_be_read_is_named_and_changes_nothing() -> None:
    lab = Lab("split", "multi")
    recorded, limits = lab.trace, lab.controls.upload.words.value
    assert "10 MB" in limits
    upload(lab, "<b>.json", b'[{"role": "user",}]')
    assert "Nothing was loaded." in lab.controls.upload.words.value
    assert "&lt;b&gt;.json, line 1, column 18: not JSON" in lab.controls.upload.words.value
    assert lab.trace is recorded
    assert lab.controls.histories.value == "multi"
    upload(lab, "mine.json", json.dumps(CHAT).encode())
    assert lab.controls.upload.words.value == limits


def test_an_upload_never_takes_the_place_of_a_scenario() -> None:
    lab = Lab("split")
    upload(lab, "normal", json.dumps(CHAT).encode())
    assert lab.controls.histories.value == "normal (your own)"
    lab.controls.histories.value = "normal"
    assert lab.scenario.messages == load_scenario("normal").messages


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
        ({"function": "diagnose", "budget": 1600}, "diagnose does not take budget; it takes no setting"),
        ({"function": "diagnos"}, "did you mean 'diagnose'?"),
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
        {"role": "</script>", "content": "<img>"},
    ]
    lab = Lab("split", messages=hostile)
    assert outcome(lab) == "returned"
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

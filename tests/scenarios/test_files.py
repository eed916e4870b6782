"""Every way in which a scenario file can be unusable: file, place and remedy are named."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import ScenarioError
from ctxlab.scenarios import load_scenario
from ctxlab.scenarios.files import MAX_FILE_BYTES

HEAD = "name: mine\npromise: A history of my own.\nquestion: What now?\n"
CALL = "messages:\n  - calls: [{result: done}]\n"


def refusal(path: Path) -> str:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    text = str(caught.value)
    assert text
    assert "\n" not in text
    return text


def refusal_of(tmp_path: Path, text: str | bytes) -> str:
    """The error for a file mine.yaml with this text, without the file's folder."""
    path = tmp_path / "mine.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return refusal(path).replace(f"{tmp_path}{os.sep}", "")


# Each case: what is wrong, the text of the file, the start of the error after the file's name.
CASES = {
    # What the fields are called, and which of them there must be
    "unknown field": (
        HEAD + CALL + "settngs: {}\n",
        "line 6, column 1: settngs: is no field here; did you mean settings?",
    ),
    "unknown and unlike any": (
        HEAD + CALL + "settings: {xyz: 1}\n",
        "line 6, column 12: settings.xyz: is no field here; there are budget, keep_recent, max_chars,",
    ),
    "unknown inside a list": (
        HEAD + "messages:\n  - calls: [{result: a}]\n  - calls: [{results: b}]\n",
        "line 6, column 14: messages[1].calls[0].results: is no field here; did you mean result?",
    ),
    "unknown and of two lines": (
        HEAD + CALL + 'settings: {"a\\nb": 1}\n',
        "line 6, column 12: settings['a\\nb']: is no field here; there are budget,",
    ),
    "no promise": ("name: mine\nbase: normal\n", "line 1, column 1: promise: is missing; add it"),
    "no history": (HEAD, "line 1, column 1: needs either messages or base, and not both"),
    "two histories": (
        HEAD + CALL + "base: normal\n",
        "line 1, column 1: needs either messages or base, and not both",
    ),
    "no question": (
        "name: mine\npromise: P.\n" + CALL,
        "line 1, column 1: needs a question: the history starts with it",
    ),
    "change without base": (
        HEAD + CALL + "change: {drop_last: 1}\n",
        "line 1, column 1: needs a base for its change; without one, write the messages as they should be",
    ),
    "another name": (
        HEAD.replace("mine", "yours") + CALL,
        "line 1, column 1: name: is 'yours', but the file is mine.yaml; give both the same name",
    ),
    # What the values are
    "number in quotes": (
        HEAD + CALL + "settings: {budget: '1600'}\n",
        "line 6, column 12: settings.budget: should be a whole number, without quotes, not '1600'",
    ),
    "boolean as number": (
        HEAD + CALL + "settings: {budget: true}\n",
        "line 6, column 12: settings.budget: should be a whole number, without quotes, not True",
    ),
    "fraction": (
        HEAD + CALL + "settings: {budget: 1.5}\n",
        "line 6, column 12: settings.budget: should be a whole number, without quotes, not 1.5",
    ),
    "word as boolean": (
        HEAD + "messages:\n  - calls: [{result: a, is_error: maybe}]\n",
        "line 5, column 25: messages[0].calls[0].is_error: should be true or false, without",
    ),
    "number as text": (
        HEAD + "messages:\n  - calls: [{result: 42}]\n",
        "line 5, column 14: messages[0].calls[0].result: should be text; write a string, or {repeat: STRING,",
    ),
    "yes as name": (
        HEAD.replace("mine", "yes") + CALL,
        "line 1, column 1: name: should be text, in quotes if need be, not True",
    ),
    "two lines as promise": (
        HEAD.replace("A history of my own.", '"a\\nb"') + CALL,
        "line 2, column 1: promise: should be one line",
    ),
    "empty promise": (
        HEAD.replace("A history of my own.", '""') + CALL,
        "line 2, column 1: promise: should not be empty",
    ),
    "messages as text": (
        HEAD + "messages: none\n",
        "line 4, column 1: messages: should be a list, each item after a dash, not 'none'",
    ),
    "message as text": (
        HEAD + "messages: [hello]\n",
        "line 4, column 12: messages[0]: should be {calls: [...]}, or {role: ..., content: ...}",
    ),
    "no calls": (
        HEAD + "messages: [{calls: []}]\n",
        "line 4, column 13: messages[0].calls: should not be empty",
    ),
    "input as list": (
        HEAD + "messages: [{calls: [{input: [a]}]}]\n",
        "line 4, column 22: messages[0].calls[0].input: should be fields, each as NAME: VALUE, not ['a']",
    ),
    "settings as list": (
        HEAD + CALL + "settings: [budget]\n",
        "line 6, column 1: settings: should be fields, each as NAME: VALUE, not ['budget']",
    ),
    "the whole file as list": (
        "- name: mine\n",
        "line 1, column 1: should be fields, each as NAME: VALUE, not [{'name': 'mine'}]",
    ),
    "negative times": (
        HEAD + "messages:\n  - calls: [{result: {repeat: x, times: -1}}]\n",
        "line 5, column 34: messages[0].calls[0].result.times: should be greater than or equal to 0",
    ),
    "unknown kind": (
        HEAD + CALL + "must_survive: [{kind: ruel, text: now}]\n",
        "line 6, column 17: must_survive[0].kind: should be 'rule', 'permission', 'id', 'path', 'figure' or",
    ),
    "several mistakes": (
        HEAD + CALL + "settings: {budget: x, max_chars: y}\nexpect: 3\n",
        "line 6, column 12: settings.budget: should be a whole number, without quotes, not 'x' (and 2 more)",
    ),
    # What the expectations say
    "half a split": (
        HEAD + CALL + "expect: {split: {older: 1}}\n",
        "line 6, column 10: expect.split: needs either older and recent, or refused",
    ),
    "trim twice": (
        HEAD + CALL + "expect: {trim: {changed: [], refused: pending}}\n",
        "line 6, column 10: expect.trim: needs either changed or refused",
    ),
    "refusal without code": (
        HEAD + CALL + "expect: {prepare: [{budget: 1600, outcome: refused, archives: 0, summaries: 0}]}\n",
        "line 6, column 20: expect.prepare[0]: needs a code with outcome refused, and with no other outcome",
    ),
    "error without type": (
        HEAD + CALL + "expect: {prepare: [{budget: 1600, outcome: error, archives: 0, summaries: 0}]}\n",
        "line 6, column 20: expect.prepare[0]: needs an error with outcome error, and with no other outcome",
    ),
    "loop without code": (
        HEAD + CALL + "expect: {loop: [{budget: 1600, status: context_error, requests: 0, archives: 0, "
        "summaries: 0}]}\n",
        "line 6, column 17: expect.loop[0]: needs a code with status context_error or model_error, and with",
    ),
    "unknown status": (
        HEAD + CALL + "expect: {loop: [{budget: 1600, status: done, requests: 0, archives: 0, "
        "summaries: 0}]}\n",
        "line 6, column 32: expect.loop[0].status: should be 'answered', 'context_error', 'model_error' or",
    ),
    # How much there may be
    "gigantic repeat": (
        HEAD + "messages:\n  - calls: [{result: {repeat: xy, times: 5000001}}]\n",
        "line 5, column 14: messages[0].calls[0].result: brings the repeated texts of the file to 10000002",
    ),
    "many large repeats": (
        HEAD + "messages:\n" + "  - calls: [{result: {repeat: x, times: 4000000}}]\n" * 3,
        "line 7, column 14: messages[2].calls[0].result: brings the repeated texts of the file to 12000000",
    ),
}


@pytest.mark.parametrize(("text", "problem"), CASES.values(), ids=CASES)
def test_a_bad_file_gets_an_error_with_place_and_remedy(tmp_path: Path, text: str, problem: str) -> None:
    assert refusal_of(tmp_path, text).startswith(f"mine.yaml, {problem}")


def test_ten_million_repeated_characters_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(HEAD + "messages:\n  - calls: [{result: {repeat: xy, times: 5000000}}]\n")

    assert len(load_scenario(path).messages[2]["content"][0]["content"]) == 10_000_000


def test_a_missing_file_gets_the_nearest_one_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").touch()

    assert (
        refusal(tmp_path / "mien.yaml")
        == f"there is no file {tmp_path / 'mien.yaml'}; did you mean mine.yaml?"
    )
    assert (
        refusal(tmp_path / "zzz" / "x.yaml")
        == f"there is no file {tmp_path / 'zzz' / 'x.yaml'}; check the path"
    )


def test_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").mkdir()

    assert "is a directory; give the path of a .yaml file in it" in refusal(tmp_path / "mine.yaml")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mine.yaml")

    assert "is not a regular file" in refusal(tmp_path / "mine.yaml")


@pytest.mark.parametrize("name", ["loop.yaml", "file/mine.yaml", "n" * 300 + ".yaml", "zero\0.yaml"])
def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "file").touch()

    assert "cannot be read" in refusal(tmp_path / name)


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(HEAD + CALL)
    path.chmod(0)
    # The superuser may read everything, so become nobody for a moment.
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        text = refusal(path)
    finally:
        if superuser:
            os.seteuid(0)

    assert "Permission denied" in text
    assert "check the path and its permissions" in text


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    text = refusal_of(tmp_path, HEAD + CALL + "#" * MAX_FILE_BYTES)

    assert (
        text
        == f"mine.yaml has over {MAX_FILE_BYTES} bytes; write long texts as {{repeat: STRING, times: NUMBER}}"
    )


@pytest.mark.parametrize(
    "data", [HEAD.encode() + b"base: \xff\n", HEAD.encode() + "base: ä\n".encode("latin-1")]
)
def test_another_encoding_is_refused_with_its_line(tmp_path: Path, data: bytes) -> None:
    assert refusal_of(tmp_path, data) == "mine.yaml, line 4: not UTF-8; save the file as UTF-8"


def test_utf_16_is_refused(tmp_path: Path) -> None:
    assert "not UTF-8" in refusal_of(tmp_path, (HEAD + CALL).encode("utf-16"))


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(HEAD + CALL, encoding="utf-8-sig")

    assert load_scenario(path).question == "What now?"


any_value = st.text(max_size=9) | st.integers() | st.none() | st.lists(st.text(max_size=3), max_size=2)
field_names = st.sampled_from(["name", "promise", "question", "messages", "base", "change", "settings"])


@given(st.dictionaries(field_names, any_value))
def test_any_fields_end_in_a_scenario_or_in_its_error(
    tmp_path_factory: pytest.TempPathFactory, fields: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("any") / "mine.yaml"
    path.write_text(json.dumps({"name": "mine", "promise": "P.", **fields}))
    try:
        scenario = load_scenario(path)
    except ScenarioError as error:
        assert str(error).startswith(str(path))  # noqa: PT017 - either outcome is right
    else:
        assert scenario.messages[0]["role"] == "user"

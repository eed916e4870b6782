import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import ScenarioError
from ctxlab.scenarios import load_scenario, scenario_names

ORDER = """
    normal old pending mismatch multi error recent fit trim
    summary bad_summary archive_error exhausted recent_large
    source_code json_rows chinese_notes many_tools image
    text_first interrupted split_results
"""
MINE = """\
name: mine
promise: A history of my own.
question: What is in my.txt?
messages:
  - calls: [{id: a, name: read, input: {path: my.txt}, result: "42"}]
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(what: object) -> str:
    """The text of the error that loading ends with: always one line."""
    with pytest.raises(ScenarioError) as caught:
        load_scenario(what)  # type: ignore[arg-type]
    text = str(caught.value)
    assert text
    assert "\n" not in text
    return text


def test_the_names_come_in_teaching_order(root: Path) -> None:
    assert scenario_names() == ORDER.split()
    assert sorted(path.stem for path in (root / "scenarios").glob("*.yaml")) == sorted(scenario_names())


@pytest.mark.parametrize("name", ORDER.split())
def test_each_name_loads_its_file(name: str) -> None:
    scenario = load_scenario(name)

    assert scenario.name == name
    assert scenario.promise.endswith(".")
    assert scenario.must_survive
    assert scenario.surviving(scenario.messages) == list(scenario.must_survive)


SHORT, LONG = 18, 1200
SIZES = {
    "normal": [LONG, SHORT],
    "old": [LONG, SHORT],
    "pending": [LONG],
    "mismatch": [LONG, SHORT],
    "multi": [LONG, 14, SHORT],
    "error": [LONG, SHORT],
    "recent": [LONG, 1600],
    "fit": [SHORT],
    "trim": [LONG, LONG, SHORT],
    "summary": [180] * 4 + [SHORT],
    "bad_summary": [180] * 4 + [SHORT],
    "archive_error": [180] * 4 + [SHORT],
    "exhausted": [180] * 4 + [SHORT],
    "recent_large": [2400],
}


@pytest.mark.parametrize("name", ["normal", "source_code", "json_rows", "chinese_notes"])
def test_texts_of_several_kinds_have_the_same_number_of_characters(name: str) -> None:
    long, short = (
        block["content"] for message in load_scenario(name).messages[2::2] for block in message["content"]
    )
    assert (len(long), len(short)) == (LONG, SHORT)


@pytest.mark.parametrize("name", SIZES)
def test_the_histories_are_built_as_their_promises_say(name: str) -> None:
    scenario = load_scenario(name)
    question, *others = scenario.messages
    requests = [block for message in others[::2] for block in message["content"]]
    answers = [block for message in others[1::2] for block in message["content"]]
    second = {"type": "tool_use", "id": "second", "name": "read_file", "input": {"path": "other.txt"}}

    assert question == {"role": "user", "content": scenario.question}
    assert len(scenario.question.encode()) < 60
    assert [message["role"] for message in others] == (["assistant", "user"] * len(others))[: len(others)]
    assert [len(block["content"]) for block in answers] == SIZES[name]
    assert [block for block in requests if block["id"] != "second"] == [
        {"type": "tool_use", "id": f"call_{number}", "name": "read_file", "input": {"path": "notes.txt"}}
        for number in range(1, len(others[::2]) + 1)
    ]
    assert [block for block in requests if block["id"] == "second"] == ([second] if name == "multi" else [])
    answered = [block["tool_use_id"] for block in answers]
    called = [block["id"] for block in requests]
    assert answered == {"mismatch": ["call_1", "wrong"], "pending": ["call_1"]}.get(name, called)
    assert [block["is_error"] for block in answers] == [
        name == "error" and number == 0 for number in range(len(answers))
    ]


@pytest.mark.parametrize("name", ["summary", "bad_summary", "archive_error", "exhausted"])
def test_the_summary_histories_hold_cjk_characters_of_three_bytes(name: str) -> None:
    for message in load_scenario(name).messages[2:-2:2]:
        text = message["content"][0]["content"]
        assert (len(text), len(text.encode())) == (180, 540)


def test_the_stand_ins_follow_the_file() -> None:
    assert load_scenario("bad_summary").summarize([]) == ""
    assert "obtain permission" in load_scenario("summary").summarize([])
    assert load_scenario("exhausted").state() == {"archives": [], "summaries": 0, "max_summaries": 0}
    assert load_scenario("summary").state() == {"archives": [], "summaries": 0, "max_summaries": 2}
    with pytest.raises(OSError, match="no snapshot"):
        load_scenario("archive_error").archive([])


def test_a_file_of_your_own_loads_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "mine", MINE)
    monkeypatch.chdir(tmp_path)

    for way in (path, str(path), "mine.yaml", "./mine.yaml"):
        scenario = load_scenario(way)
        assert scenario.name == "mine"
        assert scenario.messages == [
            {"role": "user", "content": "What is in my.txt?"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "a", "name": "read", "input": {"path": "my.txt"}}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "a", "content": "42", "is_error": False}],
            },
        ]
        assert scenario.settings.model_dump() == {
            "budget": 3200,
            "keep_recent": 1,
            "max_chars": 600,
            "max_summaries": 2,
            "window": 2000,
            "max_output": 500,
            "per_message": 4,
        }
        assert scenario.must_survive == ()
        assert scenario.expect is None


def test_a_base_can_be_named_or_lie_beside_the_file(tmp_path: Path) -> None:
    write(tmp_path, "mine", MINE)
    named = write(
        tmp_path, "named", "name: named\npromise: Over a named one.\nbase: normal\nchange: {is_error: true}\n"
    )
    beside = write(tmp_path, "beside", "name: beside\npromise: Over my own.\nbase: mine\n")
    by_path = write(tmp_path, "by_path", "name: by_path\npromise: Over a path.\nbase: ./mine.yaml\n")

    assert load_scenario(named).messages == load_scenario("error").messages
    assert load_scenario(beside).messages == load_scenario(tmp_path / "mine.yaml").messages
    assert load_scenario(by_path).messages == load_scenario(tmp_path / "mine.yaml").messages


def test_a_named_scenario_comes_before_a_file_of_its_name(tmp_path: Path) -> None:
    mine = write(tmp_path, "normal", "name: normal\npromise: Over the named one.\nbase: normal\n")

    assert load_scenario(mine).messages == load_scenario("normal").messages


def test_what_is_left_out_comes_from_the_base(tmp_path: Path) -> None:
    write(
        tmp_path,
        "first",
        MINE.replace("mine", "first")
        + "system: {repeat: 'Be brief. ', times: 2}\ntool_definitions: [{name: read}]\n"
        "settings: {budget: 1000, max_chars: 50}\nmust_survive: [{kind: figure, text: '42'}]\n"
        "expect: {split: {older: 0, recent: 1}}\n",
    )
    write(
        tmp_path,
        "second",
        "name: second\npromise: Over first.\nbase: first\nquestion: And now?\nsettings: {budget: 2000}\n"
        "change: {archive: fails, max_summaries: 1, summarize: {repeat: ab, times: 2}}\n",
    )
    third = write(tmp_path, "third", "name: third\npromise: Over second.\nbase: second\n")
    scenario = load_scenario(third)

    assert scenario.question == "And now?"
    assert scenario.messages[0] == {"role": "user", "content": "And now?"}
    assert scenario.settings.model_dump() == {
        "budget": 2000,
        "keep_recent": 1,
        "max_chars": 50,
        "max_summaries": 1,
        "window": 2000,
        "max_output": 500,
        "per_message": 4,
    }
    assert (scenario.system, scenario.tool_definitions) == ("Be brief. Be brief. ", ({"name": "read"},))
    assert [fact.text for fact in scenario.must_survive] == ["42"]
    assert scenario.expect is None
    assert scenario.summarize([]) == "abab"
    with pytest.raises(OSError, match="no snapshot"):
        scenario.archive([])


def test_what_the_state_says_before_the_run_comes_from_the_base_too(tmp_path: Path) -> None:
    change = "change: {summaries: 1, archives: [one, two]}\n"
    write(tmp_path, "first", "name: first\npromise: Over normal.\nbase: normal\n" + change)
    second = write(tmp_path, "second", "name: second\npromise: Over first.\nbase: first\n")
    third = "name: third\npromise: As new.\nbase: second\nchange: {summaries: 0, archives: []}\n"

    assert load_scenario(second).state() == {"archives": ["one", "two"], "summaries": 1, "max_summaries": 2}
    assert load_scenario(write(tmp_path, "third", third)).state()["archives"] == []
    assert load_scenario(tmp_path / "third.yaml").state()["summaries"] == 0


def test_a_summariser_that_fails_and_a_receipt_that_is_missing_come_from_the_base_too(tmp_path: Path) -> None:
    change = "change: {summarizer: fails, receipt: ''}\n"
    write(tmp_path, "first", "name: first\npromise: Over normal.\nbase: normal\n" + change)
    second = write(tmp_path, "second", "name: second\npromise: Over first.\nbase: first\n")
    scenario = load_scenario(second)

    assert scenario.arguments()["receipt"] == scenario.archive([]) == ""
    assert load_scenario("normal").arguments()["receipt"] == "context-000000000001.jsonl"
    with pytest.raises(TimeoutError, match="no summary"):
        scenario.summarize([])


@pytest.mark.parametrize(
    ("typo", "nearest"),
    [
        ("norml", "normal"),
        ("NORMAL", "normal"),
        ("bad-summary", "bad_summary"),
        ("archiv_eror", "archive_error"),
    ],
)
def test_a_typo_gets_the_nearest_name(typo: str, nearest: str) -> None:
    assert refusal(typo) == f"there is no scenario {typo!r}; did you mean {nearest!r}?"


def test_a_name_like_no_other_gets_them_all() -> None:
    assert refusal("zzz") == f"there is no scenario 'zzz'; there are {', '.join(ORDER.split())}"


@pytest.mark.parametrize(
    ("value", "kind"), [(None, "None"), (7, "an int"), (["normal"], "a list"), (b"normal", "a bytes")]
)
def test_what_is_neither_name_nor_path_is_refused(value: object, kind: str) -> None:
    assert f"not {kind};" in refusal(value)


@given(st.text(max_size=20))
def test_any_other_string_ends_in_a_scenario_error(text: str) -> None:
    if text not in scenario_names():
        with pytest.raises(ScenarioError):
            load_scenario(text)


@pytest.mark.parametrize(
    ("bases", "loop"),
    [
        ({"a": "a"}, "a.yaml -> a.yaml"),
        ({"a": "b", "b": "c", "c": "a"}, "a.yaml -> b.yaml -> c.yaml -> a.yaml"),
        ({"a": "./b.yaml", "b": "b"}, "a.yaml -> b.yaml -> b.yaml"),
    ],
)
def test_bases_that_go_in_a_circle_are_refused(tmp_path: Path, bases: dict[str, str], loop: str) -> None:
    for name, base in bases.items():
        write(tmp_path, name, f"name: {name}\npromise: Round.\nbase: {base}\n")
    text = refusal(tmp_path / "a.yaml")

    assert f"base: leads back to itself: {loop}; one of these files needs messages" in text
    assert "line 3" in text


def test_a_long_chain_of_bases_is_no_problem(tmp_path: Path) -> None:
    write(tmp_path, "mine", MINE)
    previous = "mine"
    for number in range(300):
        write(tmp_path, f"s{number}", f"name: s{number}\npromise: One more.\nbase: {previous}\n")
        previous = f"s{number}"

    assert load_scenario(tmp_path / "s299.yaml").messages == load_scenario(tmp_path / "mine.yaml").messages


@pytest.mark.parametrize(
    ("base", "problem"),
    [
        ("norml", "there is no scenario 'norml'; did you mean 'normal'?"),
        ("./gone.yaml", "there is no file"),
        ("bad", "bad.yaml, line 1, column 1: promise: "),
        ("x/../..", "is a directory"),
        ('""', "there is no scenario ''"),
        ('"\\0"', "there is no scenario"),
        ("y" * 3000, "there is no scenario"),
        ("y" * 3000 + ".yaml", "cannot be read"),
    ],
)
def test_a_base_that_cannot_be_used_is_named_with_the_file_that_asks_for_it(
    tmp_path: Path, base: str, problem: str
) -> None:
    (tmp_path / "x").mkdir()
    write(tmp_path, "bad", "name: bad\nbase: normal\n")
    path = write(tmp_path, "asks", f"name: asks\npromise: Over another.\nbase: {base}\n")
    text = refusal(path)

    assert text.startswith(f"{path}, line 3, column 1: base: ")
    assert problem in text


def test_a_fact_that_the_history_does_not_hold_is_refused(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "mine",
        MINE + "must_survive:\n  - {kind: figure, text: '42'}\n  - {kind: path, text: no.txt}\n",
    )

    assert refusal(path) == (
        f"{path}, line 8, column 18: must_survive[1].text: no text of the history holds 'no.txt'; "
        "correct or remove the fact"
    )


def test_the_separator_of_the_system_makes_a_path(tmp_path: Path) -> None:
    assert "there is no file" in refusal(f"nowhere{os.sep}normal")


@pytest.mark.parametrize(
    ("file", "asked", "answer"),
    [
        ("mine.yaml", "mine", "did you mean the file mine.yaml?"),
        ("mine.yml", "mine.yml", "a scenario file needs a name that ends in .yaml"),
    ],
)
def test_a_file_that_was_asked_for_like_a_name_is_pointed_out(
    file: str, asked: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / file).write_text("name: mine\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert refusal(asked) == f"there is no scenario {asked!r}; {answer}"

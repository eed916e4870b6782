"""How the messages of a file, and the changes to those of a base, become a history."""

from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import ScenarioError
from ctxlab.scenarios import load_scenario

HEAD = "name: mine\npromise: A history of my own.\nquestion: What now?\n"


def loaded(tmp_path: Path, text: str) -> list[dict[str, Any]]:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return load_scenario(path).messages


def use(call_id: str, name: str = "read_file", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments or {"path": "notes.txt"}}


def answer(call_id: str, text: str, is_error: bool = False) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error}


QUESTION = {"role": "user", "content": "What now?"}


def test_a_question_alone_is_a_history(tmp_path: Path) -> None:
    assert loaded(tmp_path, HEAD + "messages: []\n") == [QUESTION]


def test_calls_are_numbered_through_the_file(tmp_path: Path) -> None:
    text = HEAD + (
        "messages:\n"
        "  - calls: [{result: a}, {id: mine, result: b, is_error: true}]\n"
        "  - calls: [{name: list, input: {deep: [1, null, 2.5]}, result: {repeat: ab, times: 2}}]\n"
    )

    assert loaded(tmp_path, text) == [
        QUESTION,
        {"role": "assistant", "content": [use("call_1"), use("mine")]},
        {"role": "user", "content": [answer("call_1", "a"), answer("mine", "b", is_error=True)]},
        {"role": "assistant", "content": [use("call_3", "list", deep=[1, None, 2.5])]},
        {"role": "user", "content": [answer("call_3", "abab")]},
    ]


def test_a_call_without_a_result_stays_open(tmp_path: Path) -> None:
    half = HEAD + "messages:\n  - calls: [{result: a}, {}]\n"
    none = HEAD + "messages:\n  - calls: [{}]\n"

    assert loaded(tmp_path, half)[2:] == [{"role": "user", "content": [answer("call_1", "a")]}]
    assert loaded(tmp_path, none) == [QUESTION, {"role": "assistant", "content": [use("call_1")]}]


def test_a_message_can_be_written_as_it_is(tmp_path: Path) -> None:
    text = HEAD + (
        "messages:\n"
        "  - {role: assistant, content: [{type: image, source: {data: AAAA}}, 7]}\n"
        "  - {role: user, content: Thanks.}\n"
    )

    assert loaded(tmp_path, text) == [
        QUESTION,
        {"role": "assistant", "content": [{"type": "image", "source": {"data": "AAAA"}}, 7]},
        {"role": "user", "content": "Thanks."},
    ]


def test_changes_are_made_in_their_order(tmp_path: Path) -> None:
    # The added result comes after the first, so in a history of one exchange it is the last one.
    text = (
        "name: mine\npromise: P.\nbase: fit\n"
        "change: {answer_id: other, is_error: true, add_call: {input: {path: b.txt}, result: b}}\n"
    )
    _, request, response = loaded(tmp_path, text)

    assert request["content"] == [use("call_1"), use("call_2", path="b.txt")]
    assert response["content"] == [
        answer("call_1", "All checks passed.", is_error=True),
        answer("other", "b"),
    ]


def test_an_added_call_may_stay_open(tmp_path: Path) -> None:
    _, request, response = loaded(
        tmp_path, "name: mine\npromise: P.\nbase: fit\nchange: {add_call: {id: open}}\n"
    )

    assert [block["id"] for block in request["content"]] == ["call_1", "open"]
    assert [block["tool_use_id"] for block in response["content"]] == ["call_1"]


def test_messages_are_dropped_from_the_end(tmp_path: Path) -> None:
    text = "name: mine\npromise: P.\nbase: normal\nmust_survive: []\nchange: {drop_last: 4}\n"

    assert loaded(tmp_path, text) == load_scenario("normal").messages[:1]


@pytest.mark.parametrize(
    ("base", "change", "problem"),
    [
        ("fit", "drop_last: 3", "drop_last: the base has 3 messages, and the first stays; drop fewer"),
        ("bare", "is_error: true", "is_error: the base has no result; use another base"),
        ("bare", "answer_id: a", "answer_id: the base has no result; use another base"),
        ("bare", "add_call: {}", "add_call: the base has no exchange with results; use another base"),
        (
            "open",
            "add_call: {result: a}",
            "add_call: the base has no exchange with results; use another base",
        ),
    ],
)
def test_a_change_that_the_base_does_not_allow_is_refused(
    tmp_path: Path, base: str, change: str, problem: str
) -> None:
    (tmp_path / "bare.yaml").write_text(
        HEAD.replace("mine", "bare") + "messages: [{role: user, content: x}]\n"
    )
    (tmp_path / "open.yaml").write_text(HEAD.replace("mine", "open") + "messages: [{calls: [{}]}]\n")
    with pytest.raises(ScenarioError) as caught:
        loaded(tmp_path, f"name: mine\npromise: P.\nbase: {base}\nchange: {{{change}}}\n")

    assert str(caught.value) == f"{tmp_path / 'mine.yaml'}, line 4, column 10: change.{problem}"


def test_a_change_does_not_reach_the_base() -> None:
    before = load_scenario("normal").messages
    load_scenario("error")
    load_scenario("multi")

    assert load_scenario("normal").messages == before

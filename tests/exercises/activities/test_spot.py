"""Spot: eight histories, each with one fault that diagnose finds; faces without the answer; tries kept."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ctxlab.errors import CtxlabError
from ctxlab.exercises import spot
from ctxlab.exercises.activities.spot import Spot, SpotFile, read_spot
from ctxlab.exercises.exercise import FOLDER
from ctxlab.exercises.progress_file import record_answer
from ctxlab.messages.diagnosis.examining import diagnose

HOSTILE = "<img src=x onerror=alert(1)></script>"
FILE = FOLDER / "lesson_14" / "spot.yaml"
# A right answer to each history: the message, and a word of its kind.
RIGHT = [
    (1, "whose call is gone"),
    (3, "never answered"),
    (2, "behind other words"),
    (1, "whose call is gone"),
    (3, "one message later"),
    (4, "Reasoning"),
    (5, "the id of an earlier call"),
    (1, "no JSON"),
]


def test_the_eight_histories_and_what_is_right_of_each() -> None:
    widget = spot("14")
    answers = [(each["answer"][0], widget.kinds[each["answer"][1]]) for each in widget.histories]
    assert [message for message, _ in answers] == [message for message, _ in RIGHT]
    for (_, kind), (_, words) in zip(answers, RIGHT, strict=True):
        assert words in kind
    assert {each["title"].split(", ")[1] for each in widget.histories} == {
        *("Anthropic Messages", "OpenAI Chat", "OpenAI Responses"),
    }


def test_what_is_told_is_what_diagnose_says() -> None:
    for history, shown in zip(read_spot(FILE).histories, spot("14").histories, strict=True):
        (finding,) = diagnose(history.messages)
        assert (shown["code"], shown["text"], shown["fix"]) == (finding.code, finding.text, finding.fix)
        assert re.fullmatch(r"[\w.-]+/[\w.-]+(#\d+| PR #\d+)", shown["source"])


def test_gives_the_histories_away_as_copies() -> None:
    widget = spot("14")
    widget.messages[0].clear()
    assert widget.messages == [history.messages for history in read_spot(FILE).histories]


def test_the_rows_show_who_speaks_and_every_id_and_text() -> None:
    rows = spot("14").histories[1]["rows"]
    assert [row["role"] for row in rows[:3]] == ["user", "assistant", "user"]
    assert rows[2]["parts"] == [{"kind": "result", "id": "toolu_41", "text": "212 files"}]
    assert rows[3]["parts"][1] == {
        "kind": "call",
        "id": "toolu_42",
        "text": 'move_files {"from": "photos", "to": "archive"}',
    }
    reasoning, call = spot("14").histories[5]["rows"][1:3]
    assert reasoning == {"role": "", "parts": [{"kind": "reasoning", "id": "rs_81", "text": ""}]}
    assert call["parts"][0]["text"] == 'seats {"day": "Friday"}'


def test_faces_show_what_is_asked_and_never_the_answer(
    faces: Callable[..., Any], answer: Callable[..., Any]
) -> None:
    widget = spot("14")
    text, html = before = faces(widget)
    assert "  - 1 user result toolu_31 oven 3: 212 degrees" in text
    for history in widget.histories:
        assert history["title"] in text
        for told in (history["code"], history["text"], history["fix"], history["story"], history["source"]):
            assert told not in text + html
    answer(widget, tried=[[[1, 0]], *([] for _ in widget.histories[1:])])
    assert faces(widget) == faces(spot("14")) == before


def test_hostile_text_is_escaped_in_the_html_face(faces: Callable[..., Any]) -> None:
    text, html = faces(Spot("14", hostile()))
    assert HOSTILE in text
    assert "<img" not in html
    assert html.count("&lt;img src=x onerror=alert(1)&gt;") >= 4


def hostile() -> SpotFile:
    result = {"type": "tool_result", "tool_use_id": HOSTILE, "content": HOSTILE}
    return SpotFile.model_validate(
        {
            "kinds": [{"text": HOSTILE, "codes": ["orphan_tool_result"]}, {"text": "b", "codes": ["c"]}],
            "histories": [
                {
                    "api": "anthropic-messages",
                    "source": HOSTILE,
                    "story": HOSTILE,
                    "messages": [
                        {"role": "user", "content": HOSTILE},
                        {"role": "user", "content": [result]},
                    ],
                }
            ],
        }
    )


NONE: list[Any] = [[] for _ in RIGHT]


def test_tries_are_kept_and_come_back(answer: Callable[..., Any]) -> None:
    tried = [[[0, 1], [1, 0]], *NONE[1:]]
    assert answer(spot("14"), tried=tried) == {"tried": tried}
    assert spot("14").tried == tried


def test_what_is_tried_again_from_the_start_is_forgotten(answer: Callable[..., Any]) -> None:
    widget = spot("14")
    answer(widget, tried=[[[0, 1]], *NONE[1:]])
    assert answer(widget, tried=NONE) == {"tried": NONE}


@pytest.mark.parametrize(
    "kept",
    [
        None,
        [],
        NONE[1:],
        [None, *NONE[1:]],
        [[0, 0], *NONE[1:]],
        [[[0]], *NONE[1:]],
        [[[9, 0]], *NONE[1:]],
        [[[0, 9]], *NONE[1:]],
        [[[0, True]], *NONE[1:]],
        [[[0, 0]] * 3, *NONE[1:]],
    ],
)
def test_tries_that_do_not_fit_the_histories_are_left_alone(kept: Any) -> None:
    record_answer("14", "spot", {"tried": kept})
    assert spot("14").tried == NONE


def test_refuses_a_lesson_without_histories_and_one_that_there_is_not() -> None:
    with pytest.raises(CtxlabError, match="lesson 01 has no histories to look at; 14 has"):
        spot("01")
    with pytest.raises(CtxlabError, match="there is no lesson '99'"):
        spot("99")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda fields: fields["histories"][4]["messages"].pop(1), "should have one fault, and has"),
        (lambda fields: fields["histories"][0]["messages"].pop(1), "should have one fault, and has []"),
        (
            lambda fields: fields["kinds"].pop(),
            "needs reasoning_without_follower of history 5 in exactly one",
        ),
        (lambda fields: fields["kinds"][0].update(text=" "), "kinds[0].text: "),
        (lambda fields: fields["histories"][0].update(api="chat"), "histories[0].api: should be"),
    ],
)
def test_a_mistake_in_a_file_names_its_place(tmp_path: Path, change: Callable[[Any], Any], told: str) -> None:
    fields = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    change(fields)
    file = tmp_path / "spot.yaml"
    file.write_text(yaml.safe_dump(fields, sort_keys=False), encoding="utf-8")
    with pytest.raises(CtxlabError) as caught:
        read_spot(file)
    assert str(caught.value).startswith(f"{file}")
    assert told in str(caught.value)

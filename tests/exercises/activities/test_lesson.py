"""lesson.yaml: what the lessons ask can be used, and a mistake in a file names its place and remedy."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from ctxlab.errors import CtxlabError
from ctxlab.exercises.activities.lesson import lesson, lesson_names, read_lesson

GOOD: dict[str, Any] = {
    "recall": [
        {
            "question": f"Question {number}?",
            "options": [
                {"text": "This", "right": True, "says": "Because of this."},
                {"text": "That", "right": False, "says": "That is another thing."},
            ],
        }
        for number in (1, 2)
    ],
    "predict": {"function": "split", "scenario": "normal", "ask": "outcome"},
    "explain": {"question": "Why?", "model_answer": "For a reason."},
    "order": {"function": "split_history"},
}


def file_with(folder: Path, path: tuple[str | int, ...], value: Any) -> Path:
    """A lesson file that is good but for one value."""
    fields = yaml.safe_load(yaml.safe_dump(GOOD))
    inner = fields
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    file = folder / "lesson.yaml"
    file.write_text(yaml.safe_dump(fields, sort_keys=False), encoding="utf-8")
    return file


def test_the_lessons_that_exist_ask_something() -> None:
    assert lesson_names()[:5] == ["00", "01", "02", "03", "04"]
    questions = [question.question for number in lesson_names() for question in lesson(number).recall]
    assert len(set(questions)) == len(questions)


def test_texts_are_single_paragraphs(tmp_path: Path) -> None:
    file = file_with(tmp_path, ("explain", "question"), "Why\n  so?\n")
    assert read_lesson(file).explain.question == "Why so?"


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("recall", 0, "options", 1, "right"), True, "options: should have one option with right: true,"),
        (("recall", 1, "options", 0, "right"), False, "options: should have one option with right: true,"),
        (("recall", 0, "options", 0, "right"), "yes", "recall[0].options[0].right: should be true or false"),
        (("recall", 0, "options", 0, "says"), "  ", "recall[0].options[0].says: "),
        (("recall", 0, "options"), [], "recall[0].options: should not be empty"),
        (("recall",), [GOOD["recall"][0]], "recall: "),
        (("predict", "scenario"), "norml", "predict.scenario: is no scenario; did you mean 'normal'?"),
        (("predict", "function"), "splt", "predict.function: should be 'split', 'trim', 'prepare', "),
        (("predict", "ask"), "decisions", "predict.ask: should be 'outcome' or 'messages'"),
        (("predict", "settings"), {"budgt": 1}, "predict.settings.budgt: "),
        (("explain", "model_answer"), 5, "explain.model_answer: should be text"),
        (("order", "function"), "split", "order.function: should be 'split_history'"),
        (("ordr",), {}, "ordr: "),
    ],
)  # fmt: skip
def test_a_mistake_names_its_file_place_and_remedy(
    tmp_path: Path, path: tuple[str | int, ...], value: Any, told: str
) -> None:
    file = file_with(tmp_path, path, value)
    with pytest.raises(CtxlabError) as caught:
        read_lesson(file)
    assert str(caught.value).startswith(f"{file}, line ")
    assert told in str(caught.value)


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    file = tmp_path / "lesson.yaml"
    file.write_text(yaml.safe_dump({name: GOOD[name] for name in GOOD if name != "explain"}))
    with pytest.raises(CtxlabError, match="explain: is missing; add it"):
        read_lesson(file)


@pytest.mark.parametrize("number", ["1", 1, "99", "../lesson_01", None, ""])
def test_refuses_a_lesson_that_there_is_not(number: Any) -> None:
    with pytest.raises(CtxlabError, match=r"there is no lesson .*; there are '00', '01'"):
        lesson(number)

"""What has been done and what comes next, over all lessons; and beginning a lesson again."""

from html import escape
from pathlib import Path

from ctxlab.exercises.activities.lesson import ACTIVITIES, checked_lesson, lesson_names
from ctxlab.exercises.exercise import exercise, exercise_names
from ctxlab.exercises.progress_file import Progress, forget, problem, read
from ctxlab.exercises.shown import Shown, paragraphs

LESSONS = Path(__file__).resolve().parents[2] / "lessons"
HEADS = ("lesson", "exercises done", "hints used", "questions answered")
CELL = 'style="text-align:left;padding:2px 8px"'


def progress() -> Shown:
    """Show what is done in each lesson, and what comes next."""
    so_far, notice = read()
    notice = notice or problem()
    rows = [_row(so_far, lesson) for lesson in lesson_names()]
    lines = [_next(so_far), *([notice] if notice else [])]
    below = paragraphs(lines)
    return Shown(f"{_text_table(rows)}\n\n{below.text}", f"<div>{_html_table(rows)}{below.html}</div>")


def reset(lesson: str) -> Shown:
    """Forget what was done in a lesson: attempts, hints, answers. Raises CtxlabError for another number."""
    notice = forget(checked_lesson(lesson))
    return paragraphs([notice or f"Lesson {lesson} is as new. Run its cells again to begin."])


def _row(so_far: Progress, lesson: str) -> tuple[str, ...]:
    record = so_far.lesson(lesson)
    done = [so_far.exercise(name) for name in _exercises(lesson)]
    answered = sum(activity in record.answers for activity in ACTIVITIES)
    return (
        _file_of(lesson).removesuffix(".ipynb"),
        f"{sum(each.passed for each in done)} of {len(done)}",
        str(sum(each.hints for each in done)),
        f"{answered} of {len(ACTIVITIES)}",
    )


def _next(so_far: Progress) -> str:
    for lesson in lesson_names():
        for name in _exercises(lesson):
            if not so_far.exercise(name).passed:
                return f"Next: the exercise {name} in {_file_of(lesson)}."
    return "Every exercise is done."


def _exercises(lesson: str) -> list[str]:
    return [name for name in exercise_names() if exercise(name).lesson == lesson]


def _file_of(lesson: str) -> str:
    found = sorted(LESSONS.glob(f"{lesson}_*.ipynb"))
    return found[0].name if found else f"lesson {lesson}"


def _text_table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(HEADS, *rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in (HEADS, *rows))
    return "\n".join(lines)


def _html_table(rows: list[tuple[str, ...]]) -> str:
    head = "".join(f'<th scope="col" {CELL}>{escape(head)}</th>' for head in HEADS)
    body = "".join(f"<tr>{''.join(f'<td {CELL}>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
